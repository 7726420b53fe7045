"""A small engine for Connect 5, by `gomocup` or by `gtp`: it plays the free square nearest to its last one."""

from __future__ import annotations

import sys

SIDE, LETTERS = 15, "ABCDEFGHJKLMNOPQRST"
stones: set[tuple[int, int]] = set()
last = [SIDE // 2, SIDE // 2]


def say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def pair(text: str) -> tuple[int, int]:
    x, y = text.split(",")[:2]
    return int(x), int(y)


def best() -> tuple[int, int]:
    free = [(x, y) for x in range(SIDE) for y in range(SIDE) if (x, y) not in stones]
    x, y = min(free, key=lambda cell: (cell[0] - last[0]) ** 2 + (cell[1] - last[1]) ** 2)
    stones.add((x, y))
    last[:] = x, y
    return x, y


def gomocup(line: str) -> None:
    word, _, rest = line.partition(" ")
    if word == "ABOUT":
        say('name="Stones"')
    elif word in ("START", "RESTART", "BOARD"):
        stones.clear()
        if word == "BOARD":
            while (stone := sys.stdin.readline().strip()) != "DONE":
                stones.add(pair(stone))
            say("{},{}".format(*best()))
        else:
            say("OK")
    elif word in ("BEGIN", "TURN"):
        if rest:
            stones.add(pair(rest))
        say("{},{}".format(*best()))
    elif word != "INFO":
        say("UNKNOWN")


def gtp(line: str) -> None:
    number, word, *rest = line.split()
    if word == "clear_board":
        stones.clear()
    if word == "play":
        stones.add((LETTERS.index(rest[1][0]), int(rest[1][1:]) - 1))
    if word == "genmove":
        x, y = best()
        say(f"={number} {LETTERS[x]}{y + 1}", "")
    elif word == "list_commands":
        say(f"={number} clear_board", "play", "genmove", "list_commands", "")
    elif word == "boardsize" and rest != [str(SIDE)]:
        say(f"?{number} unacceptable size", "")
    else:
        say(f"={number}", "")


while (heard := sys.stdin.readline().strip()) not in ("", "END", "quit"):
    gomocup(heard) if sys.argv[1] == "gomocup" else gtp(heard)
