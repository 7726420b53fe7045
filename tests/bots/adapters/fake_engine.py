"""An engine that speaks one of the protocols, well or badly: `python fake_engine.py PROTOCOL BEHAVIOUR [FOLDER]`.

Every line it hears is kept in FOLDER/heard. It plays the first move of the list MOVES that it has been given as
`FOLDER/moves`, or e2e4.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

PROTOCOL, BEHAVIOUR = sys.argv[1], sys.argv[2]
FOLDER = Path(sys.argv[3]) if len(sys.argv) > 3 else None


def say(*lines: str) -> None:
    for line in lines:
        sys.stdout.write(line + "\n")
    sys.stdout.flush()


def keep(line: str) -> None:
    if FOLDER is not None:
        with (FOLDER / "heard").open("a") as file:
            file.write(line + "\n")


def move() -> str:
    moves = FOLDER / "moves" if FOLDER is not None else None
    return moves.read_text().strip() if moves is not None and moves.exists() else "e2e4"


def is_first_life() -> bool:
    """Whether no earlier process has died in this folder; leaves the mark."""
    assert FOLDER is not None
    mark = FOLDER / "died"
    if mark.exists():
        return False
    mark.write_text("")
    return True


def sleep_for_ever() -> None:
    while True:
        time.sleep(60)


def go() -> None:
    if BEHAVIOUR == "hang":
        sleep_for_ever()
    if BEHAVIOUR == "crash-once" and is_first_life():
        sys.stderr.write("out of memory\n")
        sys.exit(3)
    if BEHAVIOUR == "crash":
        sys.stderr.write("segmentation fault\n")
        sys.exit(139)
    if BEHAVIOUR == "mute":  # still runs, but nothing it says can be heard any more
        os.close(1)
        sleep_for_ever()
    if BEHAVIOUR == "flood":
        while True:
            say("info depth 1 score cp 1")
    if BEHAVIOUR == "garbage":
        sys.stdout.buffer.write(
            b"\xff\xfe\x00 info depth\ninfo depth x score cp\ninfo score mate\n\n" + b"x" * 200_000 + b"\n"
        )
        sys.stdout.buffer.write(b"info depth " + b"9" * 5_000 + b"\n")
    if PROTOCOL == "uci":
        say("info depth 3 seldepth 5 score cp 31 nodes 1234 nps 99 pv e2e4 e7e5", "info string thinking")
        if BEHAVIOUR == "until-stop":
            for line in sys.stdin:
                keep(line.strip())
                if line.strip() == "stop":
                    break
        say("bestmove a1a8" if BEHAVIOUR == "illegal" else f"bestmove {move()} ponder e7e5")
    elif PROTOCOL == "xboard":
        say("# a comment", "3 31 12 1234 e4 e5", f"move {move()}")
    elif PROTOCOL == "gomocup":
        say("DEBUG thinking", "MESSAGE well", move())
    elif PROTOCOL == "gtp":
        say(f"={number} {move()}", "")
    else:
        say("status thinking", f"=== {move()}/1.50/0.3", "status")


def answer(line: str) -> None:
    if line in ("quit", "END") and BEHAVIOUR != "stays":
        sys.exit(0)
    elif line == "uci":
        if BEHAVIOUR == "silent":
            sleep_for_ever()
        say("id name Fake 1.0", "id author tests", "option name Hash type spin default 16 min 1 max 64")
        say("option name Skill Level type spin default 20 min 0 max 20", "option name Clear Hash type button")
        say("option name Ponder type check default false", "uciok")
    elif line.startswith("protover"):
        if BEHAVIOUR == "silent":
            sleep_for_ever()
        say('feature done=0 myname="Fake 1.0" ping=1 setboard=1 memory=1', 'feature option="Skill -spin 20 0 20"')
        say("feature usermove=1 san=1 reuse=0 done=1" if BEHAVIOUR == "once" else "feature usermove=1 done=1")
    elif line == "isready":
        say("readyok")
    elif line.startswith("ping "):
        say("set myname Fake", line.replace("ping", "pong"))
    elif line == "ABOUT":
        say('name="Fake 1.0", version="1.0"')
    elif line.startswith(("START", "RECTSTART", "RESTART")):
        say("OK")
    elif PROTOCOL == "gtp" and not line.startswith("genmove"):
        texts = {"name": "Fake 1.0", "list_commands": "name\ngenmove\ntime_left\ntime_settings\nlevel\nmy-setup_board"}
        say(f"={number} {texts.get(line, '')}", "")
    elif line.startswith("go ponder") and BEHAVIOUR != "hasty":
        say("info depth 2 score cp 7 nodes 55 pv d2d4")
        keep(sys.stdin.readline().strip())  # stop or ponderhit
        go()
    elif line.startswith(("go", "usermove", "BEGIN", "TURN", "DONE", "genmove")):
        go()


if BEHAVIOUR == "dies-at-once":
    sys.stderr.write("cannot find the network file\n")
    sys.exit(1)
number = ""  # of the command, where they have one
for heard in sys.stdin:
    keep(heard.strip())
    if PROTOCOL == "gtp" and heard[0].isdigit():
        number, _, heard = heard.partition(" ")
    answer(heard.strip())
if BEHAVIOUR == "stays":
    sleep_for_ever()
