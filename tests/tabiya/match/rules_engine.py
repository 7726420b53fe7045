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

FOLDER = Path(sys.argv[2])
BEHAVIOUR, IS_LATER = sys.argv[1].removesuffix("-later"), sys.argv[1].endswith("-later")
LATER = 9  # the move of the game from which on it does so


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


def misbehave(behaves: str) -> None:
    if behaves == "hangs":
        while True:
            time.sleep(60)
    mark = FOLDER / "died"
    if behaves == "crashes" or (behaves == "crashes-once" and not mark.exists()):
        mark.write_text("")
        sys.stderr.write("no memory\n")
        sys.exit(3)


with (FOLDER / "pids").open("a") as pids:
    pids.write(f"{os.getpid()}\n")
board = chess.Board()
for heard in sys.stdin:
    words = heard.split()
    match words[:1]:
        case ["uci"]:
            say("id name Rules 1", "option name Hash type spin default 1 min 1 max 9", "uciok")
        case ["isready"]:
            say("readyok")
        case ["position"]:
            board = position(words)
        case ["go"]:
            behaves = BEHAVIOUR if not IS_LATER or board.fullmove_number >= LATER else "well"
            misbehave(behaves)
            if BEHAVIOUR == "talks":  # in every way that can still be understood
                sys.stdout.buffer.write(
                    b"\xff\x00 \xe2\x82\n\n\r\nbestmov\n" + b"info string " + b"x" * 100_000 + b"\n"
                )
                say(*["info depth 1 seldepth 2 nodes 3 nps 4 hashfull 5 currmove a1a8 score cp 7\r"] * 9_000)
            move = {"illegal": "a1a1", "no-move": "(none)"}.get(behaves) or best(board).uci()
            end = "\r" if BEHAVIOUR == "talks" else ""
            say(f"info depth 7 score cp 25 nodes 99 pv {move}{end}", f"bestmove {move}{end}")
        case ["quit"]:
            break
