"""An author's methods tried in Python on positions of random games: compiled code does not look where a list ends.

An index beyond the end reads whatever lies there, silently and never twice the same; Python says so.
"""

from __future__ import annotations

import contextlib
import random
import sys
import traceback
import warnings
from collections.abc import Iterator
from types import FrameType
from typing import Any

import numpy as np

from tabiya.bots.custom_evaluation.code_hash import is_authors
from tabiya.bots.custom_evaluation.compile import Own
from tabiya.bots.custom_evaluation.python_callback import ASKABLE
from tabiya.bots.search.clock import SECOND_NS, now_ns
from tabiya.games.contract import Game
from tabiya.games.position import Position

GAMES = 2
PLIES = 80  # of each, at most
MOVES = 4  # of each position, at most
LONGEST_NS = SECOND_NS // 2  # not longer: what is quick compiled may be slow in Python, or never end


class _TooLong(BaseException):
    """The time is up. Not an Exception, so that an author's `try` does not catch it."""


def beyond_the_end(own: Own, game: Game) -> IndexError | None:
    """The first index beyond the end of a list in the author's code, None if there is none in these games.

    What else goes wrong is not this function's matter, but that of who compiles or asks.
    """
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            _try(own, game)
    except IndexError as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return error if is_authors(last.filename) else None
    except (Exception, _TooLong):  # whatever the author's code raises
        return None
    return None


def _try(own: Own, game: Game) -> None:
    parameters = own.parameters.record()
    person = own.person(int(parameters.ctypes.data))
    asked = sorted(own.overridden & ASKABLE.keys())
    questions = [
        (getattr(person, name), position.state, given)
        for position in _positions(game)
        for name in asked
        for given in _questions(name, position)
    ]
    with _until(now_ns() + LONGEST_NS):
        for method, state, given in questions:
            method(state, *given)


@contextlib.contextmanager
def _until(ends_ns: int) -> Iterator[None]:
    """Look at the clock at every line of Python that runs, for a loop may have no end. Raises _TooLong."""

    def look(_frame: FrameType, _event: str, _given: object) -> Any:
        if now_ns() > ends_ns:
            raise _TooLong
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        yield
    finally:
        sys.settrace(before)


def _questions(name: str, position: Position) -> list[tuple[Any, ...]]:
    return [()] if name == "evaluate" else [(np.int64(code),) for code in position.move_codes()[:MOVES]]


def _positions(game: Game) -> list[Position]:
    """Of random games, always the same ones, those in which the game goes on; early and late ones mixed."""
    choice, found = random.Random(1), list[Position]()
    for _ in range(GAMES):
        position = game.start()
        for _ in range(PLIES):
            if position.outcome() is not None:
                break
            found.append(position)
            position = position.play(choice.choice(position.legal_moves()))
    choice.shuffle(found)
    return found
