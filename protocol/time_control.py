"""Time controls: how much time a bot has, written as a short text such as `60+0.5`.

| text         | meaning                                                                                   |
| ------------ | ----------------------------------------------------------------------------------------- |
| `60+0.5`     | 60 seconds for the whole match and half a second more after every move (Fischer)           |
| `40/60`      | 60 seconds for 40 moves; when they are played 60 more seconds are added for the next 40    |
| `40/60+0.5`  | the same, and half a second more after every move                                          |
| `2/move`     | 2 seconds for every move; what is left of them is not kept                                 |
| `none`       | no clock; the server's stall limit still applies                                           |

`60` alone is read as `60+0`. Times are seconds with at most three decimals; inside everything is whole milliseconds.

A match between players with different ones has both, by seat: `60+0.5,30+0.5`. Only `parse_by_seat` reads that.
"""

import functools
import re
from enum import StrEnum

import msgspec

SHORTEST_MS = 10
LONGEST_MS = 7 * 24 * 3_600_000  # a week
LONGEST_INCREMENT_MS = 3_600_000
MOST_MOVES = 1_000
LONGEST_TEXT = 40

ALLOWED = (
    "'60+0.5' (seconds + increment), '40/60' (moves/seconds), '40/60+0.5', '2/move' (seconds for each move) or 'none'"
)

# [0-9] and not \d, which takes the digits of every script. Six of them are enough for LONGEST_MS.
_SECONDS = r"[0-9]{1,6}(?:\.[0-9]{1,3})?"
_PER_MOVE = re.compile(rf"({_SECONDS})/move")
_BANK = re.compile(rf"(?:([0-9]{{1,4}})/)?({_SECONDS})(?:\+({_SECONDS}))?")


class TimeControlError(ValueError):
    """A text that is no time control, or one out of bounds; the message says what was received and what is allowed."""


class ControlKind(StrEnum):
    """The four families of time controls."""

    FISCHER = "fischer"
    PERIODS = "periods"
    PER_MOVE = "per_move"
    NONE = "none"


class TimeControl(msgspec.Struct, frozen=True):
    """One time control; `str()` writes the text that `parse` reads.

    base_ms: the bank at the start (Fischer), of each period, or for each move; 0 for `none`.
    increment_ms: added after every move (Fischer and periods).  moves: length of a period, otherwise 0.
    Raises TimeControlError when a value is out of bounds or does not belong to its kind.
    """

    kind: ControlKind
    base_ms: int = 0
    increment_ms: int = 0
    moves: int = 0

    def __post_init__(self) -> None:
        _check_fields_of_kind(self)
        if self.kind is not ControlKind.NONE:
            _check_bounds(self)

    def __str__(self) -> str:
        seconds = seconds_text(self.base_ms)
        if self.kind is ControlKind.NONE:
            return "none"
        if self.kind is ControlKind.PER_MOVE:
            return f"{seconds}/move"
        if self.kind is ControlKind.FISCHER:
            return f"{seconds}+{seconds_text(self.increment_ms)}"
        increment = f"+{seconds_text(self.increment_ms)}" if self.increment_ms else ""
        return f"{self.moves}/{seconds}{increment}"

    @property
    def timed(self) -> bool:
        """Whether a clock runs at all: everything but `none`."""
        return self.kind is not ControlKind.NONE


@functools.lru_cache(maxsize=1_000)  # every match begins with it, and few are in use
def parse(text: str) -> TimeControl:
    """The time control that `text` writes.  Raises TimeControlError."""
    if text == "none":
        return TimeControl(ControlKind.NONE)
    if per_move := _PER_MOVE.fullmatch(text):
        return TimeControl(ControlKind.PER_MOVE, _milliseconds(per_move[1]))
    if bank := _BANK.fullmatch(text):
        return _bank(bank[1], _milliseconds(bank[2]), _milliseconds(bank[3] or "0"))
    raise TimeControlError(f"time control {_shown(text)} was not understood; allowed are {ALLOWED}")


@functools.lru_cache(maxsize=1_000)
def parse_by_seat(text: str) -> tuple[TimeControl, TimeControl]:
    """The time controls of both seats: one text for both, or one for each with a comma between.

    Raises TimeControlError, also where only one of the two has a clock.
    """
    texts = text.split(",") if text.count(",") == 1 else [text, text]
    first, second = map(parse, texts)
    if first.timed != second.timed:
        raise TimeControlError(f"time control {_shown(text)} gives a clock to one player only")
    return first, second


def by_seat_text(first: TimeControl, second: TimeControl) -> str:
    """The text for `parse_by_seat`: one time control where both are equal, else two."""
    return str(first) if first == second else f"{first},{second}"


def seconds_text(milliseconds: int) -> str:
    """Milliseconds as seconds without needless zeros: 500 is `0.5`, 60000 is `60`."""
    whole, rest = divmod(milliseconds, 1000)
    return f"{whole}.{rest:03d}".rstrip("0") if rest else str(whole)


def _bank(moves: str | None, base_ms: int, increment_ms: int) -> TimeControl:
    if moves is None:
        return TimeControl(ControlKind.FISCHER, base_ms, increment_ms)
    return TimeControl(ControlKind.PERIODS, base_ms, increment_ms, int(moves))


def _milliseconds(seconds: str) -> int:
    whole, _, decimals = seconds.partition(".")
    return int(whole) * 1000 + int(decimals.ljust(3, "0"))


def _shown(text: str) -> str:
    return repr(text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "…")


def _check_fields_of_kind(control: TimeControl) -> None:
    kind = control.kind
    unused = {
        ControlKind.FISCHER: control.moves,
        ControlKind.PERIODS: 0,
        ControlKind.PER_MOVE: control.increment_ms or control.moves,
        ControlKind.NONE: control.base_ms or control.increment_ms or control.moves,
    }
    if unused[kind]:
        raise TimeControlError(f"a time control of kind {kind} has no use for the value {unused[kind]}")


def _check_bounds(control: TimeControl) -> None:
    _check_between("the time", control.base_ms, SHORTEST_MS, LONGEST_MS)
    _check_between("the increment", control.increment_ms, 0, LONGEST_INCREMENT_MS)
    if control.kind is ControlKind.PERIODS and not 1 <= control.moves <= MOST_MOVES:
        raise TimeControlError(f"a period has {control.moves} moves; allowed are 1 to {MOST_MOVES}")


def _check_between(what: str, value_ms: int, least_ms: int, most_ms: int) -> None:
    if not least_ms <= value_ms <= most_ms:
        least, most = seconds_text(least_ms), seconds_text(most_ms)
        raise TimeControlError(f"{what} is {seconds_text(value_ms)} s; allowed are {least} to {most} s")
