"""A run and its file: what a kill leaves, and that the rest of the run is the same as without it."""

from __future__ import annotations

import asyncio
import zlib
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from tabiya.match.participants import MatchFailed
from tabiya.match.plan import MatchPlan
from tabiya.server.ratings.pairs import Pairs
from tabiya.tuning.run import lead_of, tune
from tabiya.tuning.spsa import Gains, Parameter
from tabiya.tuning.state import TuningState
from tabiya.tuning.terms import Terms

PARAMETERS = (
    Parameter("corner", 10.0, 0.0, 600.0, 30.0, 0.1, whole=True),
    Parameter("share", 0.5, 0.0, 1.0, 0.05, 0.1),
)
TERMS = Terms(
    player="my.py:Mine:4",
    game="reversi",
    parameters=PARAMETERS,
    gains=Gains(30),
    pairs=3,
    time_control="1+0.01",
    seed=7,
)
PLAN = MatchPlan(("", ""), "reversi", openings=("one", "two", "three", "four"))


class _Killed(BaseException):
    """As a kill: nothing is cleaned up behind it."""


class Table:
    """Pairs that come out by the players and openings alone, as those of deterministic players do."""

    def __init__(self, dies_in: int = -1) -> None:
        self.plans = list[MatchPlan]()
        self._dies_in = dies_in

    async def play(self, plan: MatchPlan) -> Pairs:
        """The pairs of an iteration."""
        if len(self.plans) == self._dies_in:
            raise _Killed
        self.plans.append(plan)
        random, pairs = Random(zlib.crc32(repr((plan.players, plan.openings, plan.seed)).encode())), Pairs()
        for _ in range(plan.pairs):
            pairs = pairs.plus(random.choice((0.0, 0.5, 1.0)), random.choice((0.0, 0.5, 1.0)))
        return pairs


def play(path: Path, terms: Terms = TERMS, dies_in: int = -1) -> Table:
    """Play a run, or what is left of it."""
    table = Table(dies_in)
    with TuningState(path, terms) as state:
        asyncio.run(tune(state, PLAN, table.play))
    return table


def test_the_two_sides_meet_with_values_beside_the_present_ones_over_openings_that_go_on(tmp_path: Path) -> None:
    plans = play(tmp_path / "run").plans
    assert len(plans) == 30
    assert [plan.openings for plan in plans[:3]] == [
        ("one", "two", "three"),
        ("four", "one", "two"),
        ("three", "four", "one"),
    ]
    assert len({plan.seed for plan in plans}) == 30
    corners = [[player.partition("corner=")[2].partition("&")[0] for player in plan.players] for plan in plans]
    assert all(0 <= int(corner) <= 600 for pair in corners for corner in pair)
    assert all(len(set(pair)) == 2 for pair in corners)


def test_a_run_that_was_killed_goes_on_and_ends_as_one_that_was_not_bit_by_bit(tmp_path: Path) -> None:
    whole = play(tmp_path / "whole")
    for deaths in (0, 4, 9):
        path = tmp_path / f"killed{deaths}"
        with pytest.raises(_Killed):
            play(path, dies_in=deaths)
        with path.open("ab") as file:
            file.write(b'{"number":4,"values":[1.0,0.5],"pairs":[0,0,3,0,0]}')  # without the end of its line
        rest = play(path)
        assert path.read_bytes() == (tmp_path / "whole").read_bytes()
        assert rest.plans == whole.plans[deaths:]


def test_each_iteration_is_in_the_file_before_the_next_is_played(tmp_path: Path) -> None:
    lines = list[int]()

    async def play_pairs(plan: MatchPlan) -> Pairs:
        lines.append(len((tmp_path / "run").read_bytes().splitlines()))
        return Pairs((0, 0, plan.pairs, 0, 0))

    with TuningState(tmp_path / "run", TERMS) as state:
        asyncio.run(tune(state, PLAN, play_pairs))
        assert state.values == TERMS.start  # nobody led
    assert lines == list(range(1, 31))


def test_a_run_that_is_over_plays_nothing_more(tmp_path: Path) -> None:
    play(tmp_path / "run")
    assert play(tmp_path / "run").plans == []


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        (replace(TERMS, player="my.py:Mine:5"), "PLAYER"),
        (replace(TERMS, parameters=PARAMETERS[:1]), "--parameter"),
        (replace(TERMS, gains=Gains(31)), "--iterations"),
        (replace(TERMS, gains=Gains(30, a_ratio=0.2), time_control="1+0"), "--a-ratio, --time"),
        (replace(TERMS, seed=8, pairs=4), "--pairs, --seed"),
    ],
)
def test_a_run_is_not_gone_on_with_on_other_terms(tmp_path: Path, changed: Terms, name: str) -> None:
    play(tmp_path / "run")
    before = (tmp_path / "run").read_bytes()
    with pytest.raises(
        MatchFailed, match=rf"belongs to a run with other options \({name}\), and these must stay the same; name"
    ):
        play(tmp_path / "run", changed)
    assert (tmp_path / "run").read_bytes() == before


@pytest.mark.parametrize("content", [b"my notes", b"my notes\n", b'{"tabiya_tune":1}\n'])
def test_a_file_of_something_else_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "run").write_bytes(content)
    with pytest.raises(MatchFailed, match="was not written by `tabiya tune`"):
        play(tmp_path / "run")
    assert (tmp_path / "run").read_bytes() == content


@pytest.mark.parametrize("line", [b"{}", b'{"number":3,"values":[1.0,0.5],"pairs":[0,0,3,0,0]}', b"?"])
def test_a_damaged_line_is_named_and_nothing_is_played(tmp_path: Path, line: bytes) -> None:
    play(tmp_path / "run")
    lines = (tmp_path / "run").read_bytes().splitlines(keepends=True)
    (tmp_path / "run").write_bytes(b"".join([*lines[:3], line + b"\n", *lines[4:]]))
    with pytest.raises(MatchFailed, match="line 4 of"):
        play(tmp_path / "run")


def test_the_lead_is_games_won_less_games_lost() -> None:
    assert lead_of(Pairs().plus(1, 1).plus(1, 0.5).plus(1, 0).plus(0.5, 0.5)) == 3
    assert lead_of(Pairs().plus(0, 0).plus(0, 0.5)) == -3
