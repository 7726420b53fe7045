"""A UCI program that plays by the rules, or not: `python rules_engine.py BEHAVIOUR FOLDER`.

It gives mate when it can, otherwise plays some check or capture, else some move; the same in the same position. Its
process id is added to FOLDER/pids, so that a test can look whether it still runs.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import chess

BEHAVIOUR, FOLDER = sys.argv[1], Path(sys.argv[2])


def say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def position(words: list[str]) -> chess.Board:
    at = words.index("moves") if "moves" in words else len(words)
    board = chess.Board(" ".join(words[2:at]))
    for move in words[at + 1 :]:
        board.push_uci(move)
    return board


def is_mate(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    try:
        return board.is_checkmate()
    finally:
        board.pop()


def best(board: chess.Board) -> chess.Move:
    moves = sorted(board.legal_moves, key=chess.Move.uci)
    forcing = [move for move in moves if board.gives_check(move) or board.is_capture(move)]
    mates = [move for move in moves if is_mate(board, move)]
    several = mates or forcing or moves
    return several[board.ply() * 7 % len(several)]


def misbehave() -> None:
    if BEHAVIOUR == "hangs":
        while True:
            time.sleep(60)
    mark = FOLDER / "died"
    if BEHAVIOUR == "crashes" or (BEHAVIOUR == "crashes-once" and not mark.exists()):
        mark.write_text("")
        sys.stderr.write("no memory\n")
        sys.exit(3)


def expected(move: str) -> str:
    """The reply that `best` would give; if it is to be misled any other, at times one that is not legal."""
    if BEHAVIOUR not in ("mates", "misled"):
        return ""
    after = board.copy()
    after.push_uci(move)
    if after.is_game_over():
        return ""
    reply = best(after)
    if BEHAVIOUR == "misled":
        reply = next((other for other in after.legal_moves if other != reply), chess.Move.from_uci("a1a2"))
    return f" ponder {reply.uci()}"


with (FOLDER / "pids").open("a") as pids:
    pids.write(f"{os.getpid()}\n")
board = chess.Board()
for line in sys.stdin:
    words = line.split()
    match words[:1]:
        case ["uci"]:
            say("id name Rules 1", "option name Hash type spin default 1 min 1 max 9")
            say("option name Ponder type check default false", "uciok")
        case ["isready"]:
            say("readyok")
        case ["position"]:
            board = position(words)
        case ["go"] if words[1:2] == ["ponder"]:
            pass  # it knows its answer, and gives it when it is told to
        case ["go" | "ponderhit" | "stop" as why]:
            misbehave()
            with (FOLDER / "why").open("a") as log:
                log.write(f"{why}\n")
            move = {"illegal": "a1a1", "long": "e2e4" * 9, "no-move": "(none)"}.get(BEHAVIOUR) or best(board).uci()
            say(f"info depth 7 score cp 25 nodes 99 pv {move}", f"bestmove {move}{expected(move)}")
        case ["quit"]:
            break
