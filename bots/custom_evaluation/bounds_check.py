"""Runs an author's methods in Python on positions of random games, to find indexes out of range.

Compiled code does not check them: it silently reads whatever lies there.
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

from tabiya.bots.custom_evaluation.code_hash import is_author_code
from tabiya.bots.custom_evaluation.compile import CustomEvaluator
from tabiya.bots.custom_evaluation.python_callback import CALLBACK_METHODS
from tabiya.bots.search.clock import SECOND_NS, now_ns
from tabiya.games.contract import Game
from tabiya.games.position import Position

GAMES = 2
PLIES = 80  # of each, at most
MOVES = 4  # of each position, at most
LONGEST_NS = SECOND_NS // 2  # not longer: what is quick compiled may be slow in Python, or never end


class _TooLong(BaseException):
    """The time is up. Not an Exception, so that an author's `try` does not catch it."""


def index_error_in(custom: CustomEvaluator, game: Game) -> IndexError | None:
    """The first index beyond the end of a list in the author's code, None if there is none in these games.

    Other errors are ignored here: compiling the class, or playing with it, reports them.
    """
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            _try(custom, game)
    except IndexError as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return error if is_author_code(last.filename) else None
    except (Exception, _TooLong):  # whatever the author's code raises
        return None
    return None


def _try(custom: CustomEvaluator, game: Game) -> None:
    parameters = custom.parameters.record()
    python_instance = custom.python_instance(int(parameters.ctypes.data))
    in_python = sorted(custom.overridden & CALLBACK_METHODS.keys())
    callbacks = [
        (getattr(python_instance, name), position.state, given)
        for position in _positions(game)
        for name in in_python
        for given in _calls(name, position)
    ]
    with _until(now_ns() + LONGEST_NS):
        for method, state, given in callbacks:
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


def _calls(name: str, position: Position) -> list[tuple[Any, ...]]:
    return [()] if name == "evaluate" else [(np.int64(code),) for code in position.move_codes()[:MOVES]]


def _positions(game: Game) -> list[Position]:
    """Unfinished positions of random games, always the same ones, early and late mixed."""
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
