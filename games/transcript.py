"""A finished game as a text for people and other programs: tags, then numbered moves, in the form PGN made common.

Chess writes PGN in the strict sense (games/chess/rules.py); every other game writes its own notation in the same form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tabiya.games.endings import Ending
from tabiya.games.position import Position
from tabiya.games.rules import Rules

UNKNOWN = "?"
ROSTER = {"Event": UNKNOWN, "Site": UNKNOWN, "Date": "????.??.??", "Round": UNKNOWN}  # what every reader expects
ONGOING_RESULT = "*"
RESULTS = ("1-0", "0-1", "1/2-1/2", ONGOING_RESULT)
LINE_WIDTH = 79
TAG_NAME = re.compile(r"[A-Za-z0-9_]{1,255}")
BOOK = "book"  # the comment on an opening ply, as other programs write it

WriteMove = Callable[[Position, str, Position], str]
"""A move as people write it, from the positions before and after it."""

UNBROKEN = "\xa0"  # a space at which no line is broken

_TERMINATIONS: dict[str, str] = {
    Ending.TIME: "time forfeit",
    Ending.TIME_CANNOT_WIN: "time forfeit",
    Ending.STALL: "time forfeit",
    Ending.ABANDONED: "abandoned",
    Ending.ILLEGAL_MOVES: "rules infraction",
    Ending.ADJUDICATED: "adjudication",
    Ending.RESIGNED_BY_SCORES: "adjudication",
    Ending.DRAWN_BY_SCORES: "adjudication",
    Ending.MOVE_LIMIT: "adjudication",
    Ending.KNOWN_RESULT: "adjudication",
    Ending.ABORTED: "unterminated",
}


@dataclass(frozen=True, slots=True)
class GameRecord:
    """What a transcript holds. `moves` are in the game's wire notation, from the position `start_text` on."""

    start_text: str
    moves: tuple[str, ...]
    players: tuple[str, str] = (UNKNOWN, UNKNOWN)
    result: str = ONGOING_RESULT  # one of RESULTS; 1-0 is a win of seat 0
    ending: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)  # Event, Site, Date (yyyy.mm.dd), Round and any other
    opening_plies: int = 0  # so many first moves were not chosen by the players
    clocks_ms: tuple[int | None, ...] = ()  # remaining after each move; may be shorter than `moves`
    comments: tuple[str, ...] = ()  # one for each move, "" for none; may be shorter than `moves`


def result_of(winner: int | None, ending: str | None) -> str:
    """The result token of a game; winner is a seat or None, ending None while the game goes on."""
    if ending in (None, Ending.ABORTED):
        return ONGOING_RESULT
    return "1/2-1/2" if winner is None else RESULTS[winner]


def write_transcript(
    start: Position,
    record: GameRecord,
    write_move: WriteMove,
    *,
    start_tags: Iterable[tuple[str, str]],
    number: int = 1,
) -> str:
    """The transcript of `record`, whose start position is `start`, ending with a newline.

    start_tags: how this game names itself and its start position.  number: of the first move.
    Raises MoveFormatError or IllegalMove for moves that cannot be played, ValueError for a result or a tag's name that
    is none.
    """
    if record.result not in RESULTS:
        raise ValueError(f"a result is one of {', '.join(RESULTS)}, not {record.result!r}")
    tags = "".join(f'[{name} "{_escaped(value)}"]\n' for name, value in _tags(start.game, record, start_tags))
    words = " ".join([*_moves(start, record, write_move, number), record.result])
    return f"{tags}\n{_filled(words)}\n".replace(UNBROKEN, " ")


def _filled(words: str) -> str:
    """The words in lines; one that is longer than a line has one for itself. (`textwrap` takes five times as long.)"""
    lines, line = list[str](), ""
    for word in words.split(" "):
        if line and len(line) + len(word) >= LINE_WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, line])


def _tags(game: Rules, record: GameRecord, start_tags: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The seven tags every reader expects, then this game's, the ending, and the caller's."""
    given = dict(record.tags)
    for name, unknown in ROSTER.items():
        yield name, given.pop(name, unknown)
    yield from zip(game.seat_names, record.players, strict=True)
    yield "Result", record.result
    own = dict(start_tags)
    if record.ending is not None:
        own["Termination"] = _TERMINATIONS.get(record.ending, "normal")
        own["Ending"] = str(record.ending)
    yield from own.items()
    for name, value in given.items():
        if not TAG_NAME.fullmatch(name):
            raise ValueError(f"a tag's name is made of letters, digits and _, not {name!r}")
        if name not in own and name not in (*game.seat_names, "Result"):
            yield name, value


def _escaped(value: str) -> str:
    if not value.isprintable():
        value = "".join(letter if letter.isprintable() else " " for letter in value)
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _moves(position: Position, record: GameRecord, write_move: WriteMove, number: int) -> Iterator[str]:
    """The moves with their numbers and comments. A number stands before all but the second of a pair."""
    answers = False  # whether the move is the second seat's, with nothing between it and the first's
    for ply, move in enumerate(record.moves):
        mover, after = position.to_move, position.play(move)
        if mover == 0 or not answers:
            yield f"{number}." if mover == 0 else f"{number}..."
        yield write_move(position, move, after)
        answers = mover == 0
        if comment := _comment(record, ply):
            yield "{" + comment + "}"
            answers = False
        number += mover > after.to_move  # the turn comes back to the first seat
        position = after


def _comment(record: GameRecord, ply: int) -> str:
    """What stands in braces after a move: the book, the clock, the caller's words; "" for nothing."""
    parts = [BOOK] if ply < record.opening_plies else []
    if ply < len(record.clocks_ms) and (clock_ms := record.clocks_ms[ply]) is not None:
        parts.append(f"[%clk{UNBROKEN}{_clock(clock_ms)}]")
    if ply < len(record.comments) and record.comments[ply]:
        parts.append(" ".join(record.comments[ply].replace("{", "(").replace("}", ")").split()))
    return " ".join(parts)


def _clock(clock_ms: int) -> str:
    """Hours, minutes, seconds, with a fraction where there is one: 0:01:58.8."""
    seconds, ms = divmod(max(0, clock_ms), 1000)
    fraction = f".{ms:03}".rstrip("0") if ms else ""
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}{fraction}"
