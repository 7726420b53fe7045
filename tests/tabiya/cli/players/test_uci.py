"""`tabiya uci` as a process, spoken to by a client that is not ours (python-chess) and by our own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.engine
import psutil
import pytest

from tests.live import ROOT

COMMAND = [sys.executable, "-m", "tabiya", "uci"]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def engine() -> Iterator[chess.engine.SimpleEngine]:
    found = chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=90, cwd=ROOT)
    yield found
    found.quit()


def test_an_independent_client_plays_a_game_with_it(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board()
    while not board.is_game_over(claim_draw=True) and board.ply() < 60:
        answer = engine.play(board, chess.engine.Limit(nodes=500), game=1)
        assert answer.move is not None
        assert answer.move in board.legal_moves
        board.push(answer.move)


@pytest.mark.parametrize(("number", "ponders"), [(None, False), (None, True), (500, True)])  # a start of Chess960
def test_an_independent_client_plays_a_game_by_xboards_protocol(number: int | None, ponders: bool) -> None:
    with chess.engine.SimpleEngine.popen_xboard([*COMMAND[:-1], "xboard"], timeout=90, cwd=ROOT) as engine:
        assert engine.id["name"].startswith("Tabiya ")
        board = chess.Board() if number is None else chess.Board.from_chess960_pos(number)
        while not board.is_game_over(claim_draw=True) and board.ply() < 40:
            limit = chess.engine.Limit(depth=2)
            answer = engine.play(board, limit, game=1, info=chess.engine.INFO_ALL, ponder=ponders)
            assert answer.move is not None
            assert answer.move in board.legal_moves
            assert {"depth", "score", "nodes", "pv"} <= set(answer.info)
            board.push(answer.move)


def test_an_independent_client_reads_what_it_says_of_its_thinking(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    found = engine.analyse(board, chess.engine.Limit(depth=4), multipv=2)
    assert found[0]["score"].white() == chess.engine.Mate(1)
    assert [line["multipv"] for line in found] == [1, 2]
    assert {"depth", "seldepth", "nodes", "nps", "hashfull", "time", "pv"} <= set(found[0])
    for line in found:
        after = board.copy()
        for move in line["pv"]:
            assert move in after.legal_moves
            after.push(move)


def test_an_independent_client_stops_an_endless_analysis(engine: chess.engine.SimpleEngine) -> None:
    with engine.analysis(chess.Board(), root_moves=[chess.Move.from_uci("a2a3")]) as analysis:
        for news in analysis:
            if news.get("depth", 0) >= 3:
                break
    assert analysis.wait().move == chess.Move.from_uci("a2a3")


def test_an_independent_client_sets_its_options(engine: chess.engine.SimpleEngine) -> None:
    engine.configure({"Hash": 4, "Threads": 2, "Move Overhead": 20})
    assert engine.play(chess.Board(), chess.engine.Limit(white_clock=1, black_clock=1)).move is not None


def started(**more: str) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, stderr=pipe, cwd=ROOT, env=os.environ | more)


def test_bytes_that_are_no_text_do_not_end_it_and_the_end_of_its_input_does() -> None:
    rubbish = bytes(range(256)) * 40 + b"\n" + b"go " * 9_000 + b"\nposition fen \xff\xfe\ngo depth 1\n"
    running = started()
    assert running.stdin is not None
    assert running.stdout is not None
    running.stdin.write(b"uci\n" + rubbish + b"isready\n")
    running.stdin.flush()
    while (line := running.stdout.readline()) != b"readyok\n":
        assert line
    rest, wrong = running.communicate(timeout=90)
    assert (rest, wrong, running.returncode) == (b"", b"", 0)


@pytest.mark.parametrize("end", [b"quit\n", b""])
def test_while_it_compiles_it_says_who_it_is_and_ends_when_told(tmp_path: Path, end: bytes) -> None:
    output, wrong = (running := started(NUMBA_CACHE_DIR=str(tmp_path))).communicate(b"uci\nisready\n" + end, timeout=90)
    assert output.splitlines()[-1] == b"uciok"  # compiling takes seconds, so there is no readyok
    assert (wrong, running.returncode) == (b"", 0)


def test_a_game_that_is_not_there_is_told_at_once() -> None:
    done = subprocess.run([*COMMAND, "--game", "go"], capture_output=True, timeout=90, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"tabiya: there is no game 'go' (there are: ")


OWN = """
from tabiya.evaluators import evaluator, popcount

class Nothing(evaluator("reversi")):
    def evaluate(self, state):
        if popcount(state.mine) > 10:
            return 5

class Endless(evaluator("reversi")):
    def evaluate(self, state):
        value = 0
        while popcount(state.mine | state.theirs) > 8:
            value = (value * 3 + 1) & 1023
        return value
"""


def processor_s(pid: int) -> float:
    """Seconds of the processor that a process has used."""
    return sum(psutil.Process(pid).cpu_times()[:2])


def started_with(folder: Path, name: str) -> subprocess.Popen[bytes]:
    (folder / "own.py").write_text(OWN, encoding="utf-8")
    pipe, command = subprocess.PIPE, [*COMMAND, f"{folder / 'own.py'}:{name}"]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=ROOT)


@pytest.mark.timeout(300)
def test_an_evaluation_that_cannot_play_is_a_sentence_and_the_end(tmp_path: Path) -> None:
    with started_with(tmp_path, "Nothing") as running:
        assert running.stdin is not None
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdin.write(b"isready\n")
        running.stdin.flush()
        output, wrong = running.stdout.read(), running.stderr.read()
    sentence = b"Nothing cannot play: evaluate returns nothing; does it end without `return`?\n"
    assert output.splitlines(keepends=True)[-1] == b"info string " + sentence
    assert (wrong, running.returncode) == (b"tabiya: " + sentence, 1)


@pytest.mark.timeout(300)
def test_an_evaluation_that_never_returns_is_left_when_told_to_quit(tmp_path: Path) -> None:
    running = started_with(tmp_path, "Endless")
    assert running.stdin is not None
    assert running.stdout is not None
    for order, answer in (("isready\ngo infinite", "info depth 4 "), ("isready", "readyok")):
        running.stdin.write(order.encode() + b"\n")
        running.stdin.flush()
        while not (line := running.stdout.readline().decode()).startswith(answer):
            assert line
    begun_s = processor_s(running.pid)
    while processor_s(running.pid) < begun_s + 0.5:  # the next iteration is in it at its first leaf
        time.sleep(0.01)
    rest, wrong = running.communicate(b"quit\n", timeout=90)
    assert rest.splitlines()[-1] == b"info string the search does not end; it is left without its answer"
    assert (wrong, running.returncode) == (b"", 0)


def test_it_ends_when_nobody_listens_any_more() -> None:
    running = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
    assert running.stdin is not None
    assert running.stdout is not None
    running.stdin.write(b"isready\n")
    running.stdin.flush()
    assert running.stdout.readline() == b"readyok\n"
    running.stdout.close()
    running.stdin.write(b"uci\ngo infinite\nstop\nquit\n")
    running.stdin.close()
    assert running.wait(timeout=30) in (0, 120)  # 120: the interpreter could not flush what nobody reads
