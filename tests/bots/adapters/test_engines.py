"""Other programs as players, good and bad ones, with real processes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tabiya.bots.adapters.engine_player import EnginePlayer
from tabiya.bots.adapters.nboard_player import NBoardPlayer
from tabiya.bots.adapters.program import Program, ProgramError
from tabiya.bots.adapters.uci_player import UciPlayer
from tabiya.bots.players.api import ThinkMatch, ThinkRequest
from tabiya.games.registry import load_game
from tests.bots.requests import request, request_at
from tests.processes import is_running

FAKE = str(Path(__file__).with_name("fake_engine.py"))
KINDS: dict[str, tuple[Callable[..., EnginePlayer], str]] = {
    "uci": (UciPlayer, "chess"),
    "nboard": (NBoardPlayer, "reversi"),
}
Start = Callable[..., EnginePlayer]
BOTH = pytest.mark.parametrize("protocol", KINDS)
pytestmark = pytest.mark.slow


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Makes players of the fake engine; ends all of them."""
    players: list[EnginePlayer] = []

    def make(protocol: str, behaviour: str = "good", **seconds: float) -> EnginePlayer:
        (tmp_path / "moves").write_text({"uci": "e2e4", "nboard": "D3"}[protocol])
        command = (sys.executable, FAKE, protocol, behaviour, str(tmp_path))
        players.append(KINDS[protocol][0](command, **seconds))
        return players[-1]

    yield make
    for player in players:
        player.kill()


def asked(protocol: str, **fields: object) -> ThinkRequest:
    return request_at(load_game(KINDS[protocol][1]).start(), **fields)


def heard(folder: Path) -> list[str]:
    return (folder / "heard").read_text().splitlines()


def match_of(protocol: str) -> ThinkMatch:
    return ThinkMatch(match=1, game=KINDS[protocol][1])


def test_a_uci_engine_is_greeted_told_of_the_match_and_asked(start: Start, tmp_path: Path) -> None:
    player = start("uci")
    player.new_match(match_of("uci"))
    thought = player.choose(asked("uci", remaining_ms=3_000, opponent_ms=3_000))
    assert (thought.move, thought.depth, thought.score, thought.nodes) == ("e2e4", 3, 31, 1234)
    assert thought.pv == ("e2e4", "e7e5")
    fen = load_game("chess").start().text()
    assert heard(tmp_path) == [
        "uci",
        "ucinewgame",
        "isready",
        f"position fen {fen}",
        "go wtime 3000 btime 3000 winc 0 binc 0",
    ]


def test_an_nboard_engine_is_greeted_told_of_the_match_and_asked(start: Start, tmp_path: Path) -> None:
    player = start("nboard")
    player.new_match(match_of("nboard"))
    thought = player.choose(asked("nboard", remaining_ms=65_000))
    assert (thought.move, thought.score) == ("d3", 150)
    board = "8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *"
    assert heard(tmp_path) == [
        "nboard 2",
        "ping 1",
        "set depth 10",
        "ping 2",
        f"set game (;GM[Othello]PC[tabiya]PB[black]PW[white]RE[?]TI[1:05]TY[8]BO[{board}];)",
        "go",
    ]


@BOTH
def test_an_engine_that_dies_is_started_once_more(start: Start, protocol: str, tmp_path: Path) -> None:
    player = start(protocol, "crash-once")
    player.new_match(match_of(protocol))
    assert player.choose(asked(protocol)).move in ("e2e4", "d3")
    assert heard(tmp_path).count({"uci": "ucinewgame", "nboard": "set depth 10"}[protocol]) == 2


def test_an_engine_that_is_started_once_more_is_told_what_is_left_of_the_clock(start: Start, tmp_path: Path) -> None:
    player = start("uci", "crash-once")
    player.new_match(match_of("uci"))
    player.choose(asked("uci", remaining_ms=30_000, opponent_ms=30_000, budget_s=20.0))
    first, second = (line.split() for line in heard(tmp_path) if line.startswith("go "))
    assert first[:5] == ["go", "wtime", "30000", "btime", "30000"]
    assert int(second[2]) < 30_000
    assert second[4] == "30000"


@BOTH
def test_an_engine_that_always_dies_is_an_error_with_its_last_words(start: Start, protocol: str) -> None:
    player = start(protocol, "crash")
    player.new_match(match_of(protocol))
    with pytest.raises(ProgramError, match="has ended with exit code 139; its last words: segmentation fault"):
        player.choose(asked(protocol))


@BOTH
@pytest.mark.parametrize("behaviour", ["hang", "flood"])
def test_an_engine_that_never_answers_is_ended_and_started_anew(start: Start, protocol: str, behaviour: str) -> None:
    player = start(protocol, behaviour)
    player.new_match(match_of(protocol))
    with pytest.raises(ProgramError, match=r"did not answer"):
        player.choose(asked(protocol, budget_s=0.3))
    with pytest.raises(ProgramError, match=r"did not answer"):
        player.choose(asked(protocol, budget_s=0.3))


@BOTH
def test_garbage_between_the_lines_is_passed_over(start: Start, protocol: str) -> None:
    player = start(protocol, "garbage")
    player.new_match(match_of(protocol))
    assert player.choose(asked(protocol)).move in ("e2e4", "d3")


def test_an_illegal_answer_is_an_error_that_names_it(start: Start) -> None:
    player = start("uci", "illegal")
    player.new_match(match_of("uci"))
    with pytest.raises(ProgramError, match="answered 'a1a8', which is no legal move"):
        player.choose(asked("uci"))


def test_a_long_thought_is_ended_by_stop_before_the_budget_is_over(start: Start, tmp_path: Path) -> None:
    player = start("uci", "until-stop")
    player.new_match(match_of("uci"))
    assert player.choose(asked("uci", budget_s=0.3)).move == "e2e4"
    assert heard(tmp_path)[-1] == "stop"


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        ("silent", "did not say uciok in time: is it a program that speaks UCI"),
        ("dies-at-once", "exit code 1; its last words: cannot find the network file"),
    ],
)
def test_an_engine_that_does_not_start_is_one_clear_error(start: Start, behaviour: str, message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        start("uci", behaviour, start_s=0.5 if behaviour == "silent" else 5.0).new_match(match_of("uci"))


def test_a_program_that_is_not_there_is_one_clear_error() -> None:
    with pytest.raises(ProgramError, match="'no-such-engine' cannot be started: No such file or directory"):
        UciPlayer(("no-such-engine",)).new_match(match_of("uci"))


@pytest.mark.parametrize("behaviour", ["good", "stays"])
def test_closing_ends_the_process_in_any_case(behaviour: str) -> None:
    program = Program((sys.executable, FAKE, "uci", behaviour))
    program.write("uci")
    program.close()
    assert program.has_ended
    with pytest.raises(ProgramError, match="has ended"):
        program.write("uci")


@pytest.mark.parametrize("end", ["close", "kill"])
def test_an_end_that_was_heard_is_not_waited_for_again(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.bots.adapters.program.QUIT_S", 20.0)
    program = Program((sys.executable, FAKE, "uci", "dies-at-once" if end == "kill" else "good"))
    if end == "kill":
        with pytest.raises(ProgramError, match="has ended"):
            program.read(time.monotonic() + 20)
    began_s = time.monotonic()
    getattr(program, end)()
    assert time.monotonic() - began_s < 15


def test_what_an_engine_has_started_ends_with_it(tmp_path: Path) -> None:
    script = "import subprocess, sys; p = subprocess.Popen(['sleep', '60']); print(p.pid, flush=True); p.wait()"
    program = Program((sys.executable, "-c", script))
    child = int(program.read(time.monotonic() + 30) or 0)
    program.kill()
    until_s = time.monotonic() + 20
    while is_running(child):
        assert time.monotonic() < until_s, "it runs on"
        time.sleep(0.01)


def test_an_end_is_noticed_though_what_it_has_started_holds_its_output_open() -> None:
    script = "import subprocess, sys; subprocess.Popen(['sleep', '60']); sys.exit(3)"
    program, began_s = Program((sys.executable, "-c", script)), time.monotonic()
    with pytest.raises(ProgramError, match=r"has ended with exit code 3$"):
        program.read(began_s + 50)
    assert time.monotonic() - began_s < 45
    program.kill()


def test_moves_of_reversi_and_passes_are_written_in_ggf(start: Start, tmp_path: Path) -> None:
    position = request("reversi").position
    player = start("nboard")
    player.new_match(match_of("nboard"))
    player.choose(request("reversi", history_position=position, history_moves=("d3", "pass", "c4"), budget_s=2.0))
    assert "]B[D3]W[PA]B[C4];)" in heard(tmp_path)[-2]
