"""What can be wrong with a game's name, options, position or move: one type each, all `ValueError`s.

Every message names what was received and what is allowed, in one sentence that can be shown to a person.
"""

from __future__ import annotations

import unicodedata

BLANKS = {ord(letter): ascii(letter)[1:-1] for letter in "\u115f\u1160\u3164\uffa0"}
"""Letters that show nothing."""


class GameError(ValueError):
    """Base of all errors that bad input to the rules can cause."""


class UnknownGame(GameError):
    """No game of that name is registered."""


class OptionError(GameError):
    """A start option is unknown or outside its bounds."""


class PositionError(GameError):
    """A position text cannot be read, or describes a position the rules do not allow."""


class PlacingError(GameError):
    """A board has no such place, or the game no such piece, to set a position up with."""


class SwitchError(GameError):
    """A board that is set up has no such switch."""


class MoveFormatError(GameError):
    """A move text is not in the game's notation."""


class IllegalMove(GameError):
    """A readable move that the rules do not allow in this position."""


class TranscriptError(GameError):
    """The record of a game (PGN) cannot be read."""


def shown(text: object, limit: int = 80) -> str:
    """`text` as a quoted, printable, bounded piece for an error message; letters of all languages stay as they are."""
    piece = str(text)
    piece = piece if len(piece) <= limit else piece[: limit - 1] + "…"
    written = repr(piece)  # in which everything is escaped that cannot be printed
    if piece.isascii():
        return written
    if unicodedata.category(piece[0]).startswith("M"):  # it would be drawn upon the quotation mark
        written = written[0] + ascii(piece[0])[1:-1] + written[2:]
    return written.translate(BLANKS)
