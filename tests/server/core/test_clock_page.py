"""docs/reference/clock.md is true: its examples are played, its numbers are the defaults."""

import re
from pathlib import Path

import pytest

from tabiya.games.endings import Ending
from tabiya.protocol import time_control
from tabiya.server.config import ServerConfig
from tabiya.server.core.effects import SaveMove, SaveResult
from tabiya.server.core.events import MoveArrived, MoveSaved, ProcessPaused, TurnSent
from tabiya.server.core.policy import DEFAULT_POLICY
from tabiya.server.matches.factory import policy_of
from tests.server.core.fakes import MS, table

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "clock.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(
    r"<!-- example: (\S+), round trips (\d+) and (\d+) ms(?:, standstill from (\S+) to (\S+))? -->\n((?:\|.*\n)+)"
)
EXAMPLES = [match.groups() for match in EXAMPLE.finditer(PAGE)]
SENTENCES = re.sub(r"\s+", " ", PAGE.replace("*", ""))


def nanoseconds(seconds: str) -> int:
    """`2.250` as nanoseconds."""
    return round(float(seconds) * 1_000) * MS


def shown(us: int) -> str:
    """Microseconds as the page writes them."""
    return f"{us / 1e6:.3f}"


def rows_of(lines: str) -> list[list[str]]:
    """The rows of a table, without its head."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines.splitlines()[2:]]


@pytest.mark.parametrize(
    ("control", "first_ms", "second_ms", "stops", "runs_on", "lines"), EXAMPLES, ids=[one[0] for one in EXAMPLES]
)
def test_an_example_of_the_page_is_what_the_core_does(
    control: str, first_ms: str, second_ms: str, stops: str | None, runs_on: str | None, lines: str
) -> None:
    trips = (int(first_ms) * MS, int(second_ms) * MS)
    made = table(control, network_ns=trips)
    if stops and runs_on:
        made.do(ProcessPaused(nanoseconds(stops), nanoseconds(runs_on)))
    for ply, seat, handed_out, read, credit, charged, *clocks in rows_of(lines):
        if int(ply):
            made.do(MoveSaved(int(ply) - 1, nanoseconds(handed_out) - MS))
            made.do(TurnSent(int(ply), nanoseconds(handed_out)))
        made.do(MoveArrived(int(seat), "a", int(ply), nanoseconds(read), nanoseconds(read), trips[int(seat)]))
        (save,) = made.effects
        if isinstance(save, SaveResult):
            assert save.result.ending == Ending.TIME
            assert charged == f"late by {(save.result.overrun_ms or 0) / 1000:.3f}"
            assert clocks == [shown(us) for us in save.result.remaining_us]
            continue
        assert isinstance(save, SaveMove)
        row = save.move
        assert (credit, charged) == (shown(row.credit_us), shown(row.think_us - row.credit_us))
        assert clocks == [shown(us) for us in row.remaining_us]


def test_the_page_has_an_example_of_each_kind_of_clock() -> None:
    kinds = {time_control.parse(control).kind for control, *_ in EXAMPLES}
    assert kinds == set(time_control.ControlKind) - {time_control.ControlKind.NONE}


def test_the_numbers_of_the_page_are_the_defaults() -> None:
    lag, policy = DEFAULT_POLICY.lag, DEFAULT_POLICY
    config = ServerConfig()
    assert policy_of(config) == policy
    assert config.illegal_limit == 3
    for sentence in (
        f"a stall limit (default {config.stall_limit_ms // 1000} s)",
        f"A move gets at most {lag.per_move_ms} ms",
        f"quota: {lag.quota_ms // 1000} seconds at the start of a match, plus {lag.refill_ms} ms for each",
        f"never above {lag.quota_ms // 1000} seconds",
        f"A bot that stays away for {config.abandon_ms // 1000} s loses",
        f"does not come within {policy.open_wait_ms // 1000} s, the match is aborted",
        f"It waits up to {policy.open_wait_ms // 1000} s for both bots",
        f"time {time_control.SHORTEST_MS / 1000:g} to {time_control.LONGEST_MS // 1000} s",
        f"increment 0 to {time_control.LONGEST_INCREMENT_MS // 1000} s",
        f"1 to {time_control.MOST_MOVES} moves",
    ):
        assert sentence in SENTENCES, sentence
