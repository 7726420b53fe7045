"""The ways a match can end, shared by rules, protocol, database and pages.

By the rules it can also end in a word of the game's own, of small letters and _, such as "connected".
"""

from __future__ import annotations

from enum import StrEnum


class Ending(StrEnum):
    """Why a match ended. The value is what travels on the wire and is stored."""

    # by the rules of the games
    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    INSUFFICIENT_MATERIAL = "insufficient_material"
    THREEFOLD_REPETITION = "threefold_repetition"
    FIFTY_MOVES = "fifty_moves"
    LINE = "line"  # k stones in a row
    FULL_BOARD = "full_board"
    MORE_DISCS = "more_discs"
    EQUAL_DISCS = "equal_discs"
    LAST_OBJECT = "last_object"  # Nim: the last object was taken

    # by the players
    RESIGNATION = "resignation"
    DRAW_AGREED = "draw_agreed"
    TIME = "time"
    TIME_CANNOT_WIN = "time_cannot_win"  # time ran out against a player who can never win: a draw
    ILLEGAL_MOVES = "illegal_moves"
    STALL = "stall"  # an untimed game in which a player did not move at all
    ABANDONED = "abandoned"  # a player left and did not come back

    # by the server or its operator
    ADJUDICATED = "adjudicated"
    RESIGNED_BY_SCORES = "resigned_by_scores"  # a player's own scores said for long that it loses
    DRAWN_BY_SCORES = "drawn_by_scores"  # both players' scores said for long that it is level
    MOVE_LIMIT = "move_limit"
    KNOWN_RESULT = "known_result"  # a table of endings has the position
    ABORTED = "aborted"  # no result: does not count


PROGRAM_FAILED = "its program failed"
"""How the reason of a resignation ends that was no decision of the player's."""

LOST_ON_TIME = frozenset({Ending.TIME, Ending.STALL})
"""Out of time against a player who can never win is not among them: that is a draw."""

BY_RULES = frozenset(
    {
        Ending.CHECKMATE,
        Ending.STALEMATE,
        Ending.INSUFFICIENT_MATERIAL,
        Ending.THREEFOLD_REPETITION,
        Ending.FIFTY_MOVES,
        Ending.LINE,
        Ending.FULL_BOARD,
        Ending.MORE_DISCS,
        Ending.EQUAL_DISCS,
        Ending.LAST_OBJECT,
    }
)
