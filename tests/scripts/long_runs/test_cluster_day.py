"""A day on a cluster whose parts are killed, in its short form, and that nothing passes which it is there to find."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from scripts.long_runs.checks.postconditions import Stored
from scripts.long_runs.cluster_day import __main__ as cluster_day
from scripts.long_runs.cluster_day.bots import BotMessages
from scripts.long_runs.cluster_day.outages import Outage, summary
from scripts.long_runs.cluster_day.verdict import alarms, charged_s, find_faults, wrong_ratings
from scripts.long_runs.harness.standby_server import CommandProcess
from tabiya.protocol.messages import Move, Welcome
from tabiya.server.standings import read_standings
from tabiya.storage.open import open_store
from tests.bots.client import fake_server as messages
from tests.scripts.long_runs.test_chaos import END, RESULT, match, row, turn
from tests.server.archive.test_verify import fill


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_matches_go_on_when_hosts_and_the_server_are_killed(capsys: pytest.CaptureFixture[str]) -> None:
    short = ["--bots", "6", "--games", cluster_day.GAMES[0], "--think", "0.2", "--every", "0.2", "--kills", "3"]
    code = cluster_day.main([*short, "--only", "kill_host", "kill_server", "--seed", "5"])
    output = capsys.readouterr().out
    assert (code, output.splitlines()[-1]) == (0, "nothing was lost, doubled or decided by it"), output
    assert "kill_host" in output
    assert "kill_server" in output


# --- what it measures


async def test_an_outage_is_over_when_every_match_has_had_a_turn_or_an_end() -> None:
    outage = Outage("kill_host", [(1, 0), (2, 7), (3, 0)], load=4.0)
    outage.turn_sent(1, 5)  # before it was done
    outage.is_done()
    outage.turn_sent(1, 5)  # it was on its way
    outage.counts_from_s = 0.0
    for reported in ((1, 5), (1, 6), (2, 6)):
        outage.turn_sent(*reported)
    assert (len(outage.after_s), outage.waiting) == (1, {(2, 7), (3, 0)})
    outage.turn_sent(2, 7)
    with pytest.raises(TimeoutError):
        await outage.over(0)
    outage.ended(3)
    await outage.over(5)
    assert len(outage.after_s) == 2


def test_the_summary_tells_those_alone_from_those_beside_another() -> None:
    outages = [Outage("kill_host", [], load) for load in (1.0, 2.0, 3.0)]
    for outage, after_s in zip(outages, ([2.0, 4.0], [3.0], [9.0]), strict=True):
        outage.after_s = after_s
    outages[2].alone = False
    outages[0].serves_s = 1.5
    served = "the other one served after 1.5, 1.5, 1.5, 1.5"
    assert summary(outages).splitlines() == [
        f"kill_host, 2 times, 3 turns: 2.0, 3.0, 4.0, 4.0; {served}; load 1.0, 2.0, 2.0, 2.0",
        "kill_host beside another, 1 times, 1 turns: 9.0, 9.0, 9.0, 9.0; load 3.0, 3.0, 3.0, 3.0",
    ]


# --- what it judges


def messages_of(*moves: str) -> BotMessages:
    """Two bots who have said these moves of match 7 and were told them and its end."""
    found = BotMessages()
    for ply, text in enumerate(moves):
        found.to_bot(ply % 2, turn(ply, moves[ply - 1] if ply else None))
        found.from_bot(Move(match=7, ply=ply, move=text))
    found.to_bot(0, replace(END, plies=len(moves), last_move=moves[-1]))
    return found


def stored(*moves: str) -> Stored:
    rows = tuple(row(ply, text, (5_000_000, 5_000_000)) for ply, text in enumerate(moves))
    played = replace(match("line"), result=RESULT)
    return Stored([], {played.id: played}, {played.id: rows}, [])


def test_each_fault_is_found() -> None:
    assert find_faults(stored("a1", "b2"), messages_of("a1", "b2"), []) == []
    lost = find_faults(stored("a1"), messages_of("a1", "b2"), [])
    assert any("the last move b2 was told; stored is None" in fault for fault in lost), lost
    [other] = find_faults(stored("c3", "b2"), messages_of("a1", "b2"), [])[-1:]
    assert other == "match 7: ply 0 is stored as c3, which nobody has sent"
    late = stored("a1", "b2")
    record = next(iter(late.matches.values()))
    unfinished = late._replace(matches={record.id: replace(record, result=None)})
    assert "match 7 is not over" in find_faults(unfinished, messages_of("a1", "b2"), [])
    timed = late._replace(matches={record.id: replace(record, result=replace(RESULT, ending="time"))})
    assert any("lost by nobody's doing: time" in fault for fault in find_faults(timed, messages_of("a1", "b2"), []))
    cup = {"name": "Swiss 0", "status": "running", "games": [], "lines": []}
    assert find_faults(late, messages_of("a1", "b2"), [cup]) == ["Swiss 0: after 0 s the tournament is running"]


def test_what_a_clock_was_charged_beyond_the_bots_own_time() -> None:
    bots = messages_of("a1")
    bots.thought_s = defaultdict(float, {(7, 0): 1.5})
    [row_] = stored("a1").rows.values()
    late = Stored([], {}, {row_[0].match_id: (replace(row_[0], think_us=4_000_000),)}, [])
    assert charged_s(late, bots) == [2.5]


def test_a_match_that_is_not_in_a_welcome_is_over() -> None:
    bots = BotMessages()
    bots.to_bot(1, turn(0, None))
    assert set(bots.running) == {7}
    welcome = messages.welcome()
    assert isinstance(welcome, Welcome)
    bots.to_bot(2, welcome)
    assert set(bots.running) == {7}
    bots.to_bot(1, welcome)
    assert not bots.running


async def test_ratings_that_are_not_those_of_the_results_are_found(tmp_path: Path) -> None:
    path = str(tmp_path / "games.db")
    store = await open_store(path)
    await fill(store)
    game = (await store.results(after=0, limit=1))[0].game
    shown = to_builtins(await read_standings(store, game))
    await store.close()
    assert await wrong_ratings(path, {game: shown}) == []
    bot = shown["rows"][0]["bot"]
    shown["rows"][0]["games"] += 1
    [fault] = await wrong_ratings(path, {game: shown})
    assert fault.startswith(f"{bot} was shown as")
    [fault] = await wrong_ratings(path, {game: shown | {"rows": shown["rows"][1:]}})
    assert fault.startswith(f"{bot} was shown as None")


def test_an_error_of_ours_in_a_log_is_a_fault(tmp_path: Path) -> None:
    process = CommandProcess(tmp_path, "host-1")
    process.log.write_text("all is well\nTraceback (most recent call last):\n", "utf-8")
    assert alarms([process]) == ["1 times in the log of host-1: Traceback (most recent call last):"]
