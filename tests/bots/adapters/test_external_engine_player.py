"""Other programs as players, good and bad ones, with real processes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tabiya.bots.adapters.engine_process import ProgramError
from tabiya.bots.adapters.external_engine_player import ExternalEnginePlayer
from tabiya.bots.adapters.uci_protocol import UciProtocol
from tabiya.bots.players.api import MatchInfo, MoveRequest
from tabiya.games.registry import load_game
from tests.bots.adapters.engines import EACH, GAMES, PROTOCOLS, command_of, received
from tests.bots.requests import request, request_at
from tests.waiting import until

Start = Callable[..., ExternalEnginePlayer]
pytestmark = pytest.mark.slow


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Makes players of the fake engine, ready for a match; ends all of them."""
    players: list[ExternalEnginePlayer] = []

    def make(
        protocol: str, behaviour: str = "good", options: Any = (), is_ready: bool = True, **seconds: float
    ) -> ExternalEnginePlayer:
        command = command_of(protocol, behaviour, tmp_path)
        players.append(ExternalEnginePlayer(command, lambda: PROTOCOLS[protocol](options), **seconds))
        if is_ready:
            players[-1].new_match(MatchInfo(match=1, game=GAMES[protocol]))
        return players[-1]

    yield make
    for player in players:
        player.close()


def in_a_thread(folder: Path, word: str, act: Callable[[], object]) -> None:
    """Have another thread act when the engine has heard a line that begins with this."""

    def has_heard() -> bool:
        return (folder / "heard").exists() and any(line.startswith(word) for line in received(folder))

    def wait() -> None:
        asyncio.run(until(has_heard))
        act()

    threading.Thread(target=wait).start()


def asked(protocol: str, **fields: object) -> MoveRequest:
    return request_at(load_game(GAMES[protocol]).start(), **fields)


def test_a_uci_engine_is_greeted_set_up_and_asked_in_a_match(start: Start, tmp_path: Path) -> None:
    player = start("uci", options=(("hash", "32"), ("Skill Level", "3"), ("Clear Hash", "")))
    reply = player.choose(asked("uci", remaining_ms=3_000, opponent_ms=3_000))
    assert (reply.move, reply.depth, reply.score, reply.nodes) == ("e2e4", 3, 31, 1234)
    assert reply.pv == ("e2e4", "e7e5")
    assert reply.time_ms is not None
    assert received(tmp_path) == [
        "uci",
        "setoption name Hash value 32",
        "setoption name Skill Level value 3",
        "setoption name Clear Hash",
        "ucinewgame",
        "isready",
        f"position fen {load_game('chess').start().text()}",
        "go wtime 3000 btime 3000 winc 0 binc 0",
    ]


def test_an_nboard_engine_is_greeted_set_up_and_asked_in_a_match(start: Start, tmp_path: Path) -> None:
    reply = start("nboard", options=(("depth", "4"),)).choose(asked("nboard", remaining_ms=65_000))
    assert (reply.move, reply.score) == ("d3", 150)
    board = "8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *"
    assert received(tmp_path) == [
        "nboard 2",
        "ping 1",
        "set depth 4",
        "ping 2",
        f"set game (;GM[Othello]PC[tabiya]PB[black]PW[white]RE[?]TI[1:05]TY[8]BO[{board}];)",
        "go",
    ]


def test_moves_of_reversi_and_passes_are_written_in_ggf(start: Start, tmp_path: Path) -> None:
    position, moves = request("reversi").position, ("d3", "pass", "c4")
    start("nboard").choose(request("reversi", history_position=position, history_moves=moves, budget_s=2.0))
    assert "]B[D3]W[PA]B[C4];)" in received(tmp_path)[-2]


def test_an_engine_that_dies_is_restarted_once_with_the_remaining_clock(start: Start, tmp_path: Path) -> None:
    player = start("uci", "crash-once")
    assert player.choose(asked("uci", remaining_ms=30_000, opponent_ms=30_000, budget_s=20.0)).move == "e2e4"
    first, second = (line.split() for line in received(tmp_path) if line.startswith("go "))
    assert first[:5] == ["go", "wtime", "30000", "btime", "30000"]
    assert int(second[2]) < 30_000
    assert second[4] == "30000"
    assert received(tmp_path).count("ucinewgame") == 2


@EACH
def test_an_engine_that_always_dies_is_an_error_with_its_last_words(start: Start, protocol: str) -> None:
    with pytest.raises(ProgramError, match="has ended with exit code 139; its last words: segmentation fault"):
        start(protocol, "crash").choose(asked(protocol))


@EACH
def test_an_engine_that_never_answers_is_ended_and_started_anew(start: Start, protocol: str) -> None:
    player = start(protocol, "hang")
    for _ in range(2):
        with pytest.raises(ProgramError, match=r"did not answer(: the time for its move was| in 0\.[0-9]+ s)"):
            player.choose(asked(protocol, budget_s=0.3))


def test_an_engine_whose_start_takes_all_the_time_for_the_move_says_so(start: Start) -> None:
    player = start("uci")
    player.kill()
    with pytest.raises(ProgramError, match="the time for its move was used up by its start"):
        player.choose(asked("uci", budget_s=0.001))


@EACH
def test_garbage_between_the_lines_is_passed_over(start: Start, protocol: str) -> None:
    assert start(protocol, "garbage").choose(asked(protocol)).move in ("e2e4", "d3", "h8")


def test_an_illegal_answer_is_an_error_that_names_it(start: Start) -> None:
    with pytest.raises(ProgramError, match="answered 'a1a8', which is not a legal move"):
        start("uci", "illegal").choose(asked("uci"))


@pytest.mark.parametrize("stopped_early", [False, True])
def test_a_long_search_is_ended_by_stop_before_the_budget_is_over(
    stopped_early: bool, start: Start, tmp_path: Path
) -> None:
    player = start("uci", "until-stop")
    if stopped_early:
        in_a_thread(tmp_path, "go ", player.stop)
    assert player.choose(asked("uci", budget_s=60.0 if stopped_early else 0.3)).move == "e2e4"
    assert received(tmp_path)[-1] == "stop"


def test_a_search_is_over_when_another_thread_kills_the_engine(start: Start, tmp_path: Path) -> None:
    player = start("uci", "hang")
    in_a_thread(tmp_path, "go ", player.kill)
    with pytest.raises(ProgramError, match="has been ended"):
        player.choose(asked("uci", budget_s=60.0))


def test_a_start_is_over_when_another_thread_kills_the_engine(start: Start, tmp_path: Path) -> None:
    player = start("uci", "silent", is_ready=False)
    in_a_thread(tmp_path, "uci", player.kill)
    with pytest.raises(ProgramError, match="has been ended"):
        player.new_match(MatchInfo(match=1, game="chess"))


def test_an_engine_that_dies_as_it_starts_anew_for_a_move_is_started_once_more(start: Start) -> None:
    player = start("uci", "dies-at-once", is_ready=False)
    with pytest.raises(ProgramError, match="exit code 1"):
        player.choose(asked("uci", budget_s=60.0))
    assert player._engine.starts == 2


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        ("silent", "did not say uciok within 0.5 s: is it a program that speaks UCI"),
        ("dies-at-once", "exit code 1; its last words: cannot find the network file"),
    ],
)
def test_an_engine_that_does_not_start_is_one_clear_error(start: Start, behaviour: str, message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        start("uci", behaviour, start_s=0.5 if behaviour == "silent" else 10.0)


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(ProgramError, match="'no-such-engine' cannot be started: No such file or directory"):
        ExternalEnginePlayer(("no-such-engine",), UciProtocol).new_match(MatchInfo(match=1, game="chess"))


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("Hsh", "1", "has no option 'Hsh'; did you mean 'Hash'"),
        ("hash", "0", "takes Hash as a whole number from 1 to 64, not '0'"),
        ("Hash", "65", "takes Hash as a whole number from 1 to 64, not '65'"),
        ("Hash", "1.5", "takes Hash as a whole number from 1 to 64, not '1.5'"),
    ],
)
def test_an_option_that_the_engine_does_not_have_or_take_is_named(
    start: Start, name: str, value: str, words: str
) -> None:
    with pytest.raises(ProgramError, match=words):
        start("uci", options=((name, value),))
