"""The soak in its short form: a real server process, twenty bots, a few seconds; and what it would not let pass."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from scripts.long_runs import soak
from scripts.long_runs.harness.random_bots import BotBehaviour, Notes, RandomBot
from scripts.long_runs.harness.watching import growth
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names
from tabiya.protocol.codec import Encoding
from tabiya.protocol.messages import MatchEnded, Refused, Turn
from tests.bots.client import fake_server as messages


@pytest.mark.slow
def test_twenty_bots_of_mixed_encodings_and_games_for_three_seconds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "soak.json"
    code = soak.main(["--bots", "20", "--minutes", "0.04", "--think", "0.03", "--out", str(out)])
    assert code == 0, capsys.readouterr().out
    found = json.loads(out.read_text())
    assert found["failed"] == []
    assert found["summary"]["moves"] > 100
    assert sum(found["summary"]["endings"].values()) == found["summary"]["matches_ended"] > 5
    sockets, tasks = found["summary"]["sockets"], found["summary"]["tasks"]
    assert sockets["most"] > sockets["after"] == sockets["before"]
    assert tasks["after"] == tasks["before"]  # a connection needs none


def test_half_of_the_bots_speak_json_and_all_games_are_played() -> None:
    all_bots = soak.behaviours(100, 0.5, Random(1), {"soak0": "secret"})
    assert sum(bot.encoding is Encoding.JSON for bot in all_bots) == 50
    assert {game for bot in all_bots for game in bot.games} == set(names())
    assert [bot.name for bot in all_bots if bot.cuts_every_s] == ["soak0"]


def some_bot() -> RandomBot:
    behaviour = BotBehaviour(name="soak1", encoding=Encoding.JSON, games=("nim",), max_matches=1, think_s=100.0)
    return RandomBot(behaviour, Notes(), Random(1))


def ended(ending: str, **fields: Any) -> MatchEnded:
    return replace(messages.ended(7), ending=ending, **fields)


def turn(ply: int, *moves: str) -> Turn:
    return messages.turn(7, ply, legal_moves=moves)


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ([ended("boredom")], "boredom"),
        ([ended("time")], "time"),  # no rule of the game, and no reason in words
        ([ended("last_object"), ended("last_object")], "ended twice"),
        ([ended("last_object"), turn(5, "a1")], "which has ended"),
        ([turn(5, "a1"), turn(3, "a1")], "ply 3 of match 7 after ply 5"),
        ([turn(5)], "without a legal move"),
        ([Refused(code="illegal_move", message="no")], "refused illegal_move"),
    ],
)
async def test_a_server_that_breaks_the_protocol_is_found(
    printed: list[MatchEnded | Turn | Refused], words: str
) -> None:
    bot = some_bot()
    for message in printed:
        bot._hear(message)
    assert [words in fault for fault in bot.notes.faults] == [True]
    for timer in bot._thinking.values():
        timer.cancel()


START = load_game("tictactoe").start()
PLAYED = START.play("a1")
BEGUN = replace(messages.started(7), game="tictactoe", position=START.text())


def shown(position: Position = PLAYED, ply: int = 1, last_move: str = "a1") -> Turn:
    return replace(turn(ply, *position.legal_moves()), game="tictactoe", position=position.text(), last_move=last_move)


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        (shown(), ""),
        (shown(START.play("b2")), "is not what was played"),
        (replace(shown(), legal_moves=("b2",)), "is not what was played"),
        (shown(ply=2), "is not what was played"),
        (shown(last_move="z9"), "z9"),
        (ended("line", plies=1, last_move="a1"), "the rules: None"),
        (ended("resignation", plies=1, last_move="a1", reason="it resigned"), ""),
        (ended("resignation", plies=2, reason="it resigned"), "after 2 plies"),
    ],
)
async def test_a_board_or_an_end_that_the_moves_do_not_lead_to_is_found(printed: Turn | MatchEnded, words: str) -> None:
    bot = some_bot()
    for message in (BEGUN, printed):
        bot._hear(message)
    assert bool(words) == bool(bot.notes.faults)
    assert words in "".join(bot.notes.faults)
    for timer in bot._thinking.values():
        timer.cancel()


async def test_both_bots_of_a_match_get_the_same_end() -> None:
    notes = Notes()
    for name, winner in (("one", 0), ("other", 1)):
        notes.end(name, ended("last_object", winner=winner))
    assert notes.faults == ["other: match 7 ended as ('last_object', 0) and as ('last_object', 1)"]


async def test_what_is_allowed_is_no_fault() -> None:
    bot = some_bot()
    bot._hear(turn(5, "a1"))
    bot._hear(turn(5, "a1"))  # again, after a reconnection
    bot._hear(Refused(code="match_over", message="the move has crossed the end"))
    bot._hear(ended("last_object"))
    assert bot.notes.faults == []


def test_growing_memory_is_seen_and_a_warm_up_is_not() -> None:
    grows = [{"at_s": 5.0 * n, "rss_mb": 100 + n} for n in range(100)]
    assert growth(grows).slope_mb_per_hour == pytest.approx(720)
    warms_up = [{"at_s": 5.0 * n, "rss_mb": min(100 + 10 * n, 200)} for n in range(100)]
    assert growth(warms_up).mb == pytest.approx(0)


@pytest.mark.parametrize("what", ["tasks", "sockets", "matches", "frozen"])
def test_what_is_left_behind_fails_the_run(what: str) -> None:
    class Server:
        samples = (
            {"connections": 0, "matches": 0, "bots": 0, "frozen": 0, "tasks": 3, "sockets": 2},
            {"connections": 0, "matches": 0, "bots": 0, "frozen": 0, "tasks": 3, "sockets": 2} | {what: 9},
        )

        def faults(self) -> list[str]:
            return []

    notes = Notes()
    notes.endings["line"] += 1
    wrong = soak.find_faults(Server(), notes, growth([{"at_s": 0.0, "rss_mb": 1.0}]))  # type: ignore[arg-type]
    assert [what in sentence for sentence in wrong] == [True]
