"""The troubles of our bots, by their stored games and by their and the server's logs.

found = troubles(stored, folder)      # by game; every bot's log is FOLDER/GAME-NAME.log, the server's is server.log
found["..."].is_sound                 # nothing but its clock has cost a game, and nothing has failed
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.long_runs.checks.lost_on_time import ON_TIME
from scripts.long_runs.checks.postconditions import Stored
from tabiya.games.endings import BY_RULES, Ending
from tabiya.storage.records import MatchRecord, MoveRecord

USUAL = re.compile(
    r"getting ready: .*|tabiya: (connected to .*|it seeks matches in .*|match \d+: .*|the tournament .* is \w+)"
    r"|\S+: \d+ won, \d+ drawn, \d+ lost"
)
CONNECTED = "tabiya: connected to "
TIME, ILLEGAL, CRASH = "time", "illegal", "crash"
AT_RANDOM, LATE, LINE, OTHER = "moves at random", "thoughts too late", "lines lost", "other"
KILLED, REPLACED, PAUSED = "workers killed", "workers replaced", "server paused"
KINDS = {
    "; a legal move is played at random": AT_RANDOM,
    "; its clock runs on": LATE,
    " and not answered yet, in the position ": LATE,
    "(out_of_time)": LATE,
    "did not answer in time and is killed": KILLED,
    "has taken the place of one that is gone": REPLACED,
    "; trying again in ": LINE,
    CONNECTED: LINE,  # not the first time
    "the server stood still for ": PAUSED,
}
OF_THE_CLOCK = (AT_RANDOM, LATE, PAUSED)  # no failures: a busy machine does this to a sound server and its bots
TOLD = 20  # lines of what failed, of a game


@dataclass(frozen=True)
class Troubles:
    """Of one game. lost: how often, by TIME, ILLEGAL or CRASH.  unusual: how often, by kind.  failures: log lines."""

    games: int
    lost: Counter[str]
    illegal_moves: int
    unusual: Counter[str]
    failures: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        """No game was lost by a crash or an illegal move, no illegal move was made, no log tells of a failure."""
        return not (self.lost[ILLEGAL] or self.lost[CRASH] or self.illegal_moves or self.failures)

    def __str__(self) -> str:
        on_time, illegal, crash = (self.lost[kind] for kind in (TIME, ILLEGAL, CRASH))
        lost = f"lost on time {on_time}, by illegal moves {illegal}, by a crash {crash}"
        kinds = (f"{kind} {self.unusual[kind]}" for kind in (AT_RANDOM, LATE, PAUSED, KILLED, REPLACED, LINE, OTHER))
        lines = [f"{self.games} games; {lost}; illegal moves {self.illegal_moves}, {', '.join(kinds)}"]
        return "\n  ".join([*lines, *self.failures[:TOLD]])


def troubles(stored: Stored, folder: Path) -> dict[str, Troubles]:
    """Of every game in which a match was played, and of the server under the name `server`, if it said anything."""
    found = {}
    for game in sorted({match.game for match in stored.matches.values()}):
        matches = [match for match in stored.matches.values() if match.game == game]
        ends = Counter(kind for match in matches if (kind := kind_of(match)))
        illegal = sum(illegal_moves(stored.rows.get(match.id, ())) for match in matches)
        unusual_lines = [each for log in sorted(folder.glob(f"{game}-*.log")) for each in unusual(lines_of(log))]
        played = sum(match.result is not None and match.result.ending != Ending.ABORTED for match in matches)
        found[game] = Troubles(played, ends, illegal, *_counted(unusual_lines))
    if alarms := [line for line in lines_of(folder / "server.log") if re.search(r" (WARNING|ERROR|CRITICAL) ", line)]:
        found["server"] = Troubles(0, Counter(), 0, *_counted([(kind_of_line(line), line) for line in alarms]))
    return found


def _counted(unusual_lines: Sequence[tuple[str, str]]) -> tuple[Counter[str], tuple[str, ...]]:
    """How often each kind was said, and the lines that tell of failures."""
    failures = tuple(line for kind, line in unusual_lines if kind not in OF_THE_CLOCK)
    return Counter(kind for kind, _ in unusual_lines), failures


def kind_of(match: MatchRecord) -> str:
    """How the loser lost it, if not by the rules: TIME, ILLEGAL or CRASH. A match called off was lost by nobody."""
    if match.frozen_reason is not None:
        return CRASH
    ending = "" if match.result is None else match.result.ending
    if ending in {"", Ending.ABORTED, Ending.DRAW_AGREED, *BY_RULES}:
        return ""
    return TIME if ending in ON_TIME else ILLEGAL if ending == Ending.ILLEGAL_MOVES else CRASH


def illegal_moves(rows: Iterable[MoveRecord]) -> int:
    """How many were made and forgiven before the last move."""
    return max((sum(row.illegal_counts) for row in rows), default=0)


def lines_of(log: Path) -> list[str]:
    """All of a log; none if it is not there."""
    return log.read_text("utf-8", "replace").splitlines() if log.exists() else []


def unusual(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The lines of a bot's log that are not in every run, with their kinds."""
    connected = False
    for line in lines:
        again, connected = connected and line.startswith(CONNECTED), connected or line.startswith(CONNECTED)
        if again or not USUAL.fullmatch(line):
            yield kind_of_line(line), line


def kind_of_line(line: str) -> str:
    """The kind of a line of a log, by its words."""
    return next((kind for words, kind in KINDS.items() if words in line), OTHER)
