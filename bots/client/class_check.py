"""Mistakes in an author's class that can be seen before it plays: a hook misspelt, missing, or without `self`."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterator
from types import FunctionType

from tabiya.bots.client.failure import AnswerError

LIKE = 0.8  # as difflib measures it: one letter more, less or changed in a word of five


def misspelt(author_class: type, base: type) -> Iterator[str]:
    """A sentence for each method that nothing calls and whose name is nearly that of a hook of `base`."""
    hooks = [name for name, value in inspect.getmembers(base, callable) if not name.startswith("_")]
    for one in author_class.__mro__[: author_class.__mro__.index(base)]:
        for name, value in vars(one).items():
            if not isinstance(value, FunctionType) or name.startswith("_") or hasattr(base, name):
                continue
            for hook in difflib.get_close_matches(name, hooks, 1, LIKE):
                if getattr(author_class, hook) is getattr(base, hook):  # else the name may well be meant
                    yield f"nothing calls {one.__name__}.{name} (line {_line(value)}); is {hook} meant?"


def check_choose(author_class: type, base: type) -> None:
    """Raises AnswerError if the class has no `choose` that can be called with a turn."""
    choose = inspect.getattr_static(author_class, "choose")
    if choose is inspect.getattr_static(base, "choose"):
        hint = "".join(f"; {sentence}" for sentence in misspelt(author_class, base))
        own = {} if author_class is base else vars(author_class)
        other = next((value for value in own.values() if isinstance(value, FunctionType)), None)  # a line of the class
        raise AnswerError(f"{author_class.__name__} needs a method choose(self, turn){hint}", other)
    if isinstance(choose, FunctionType):
        try:
            inspect.signature(choose).bind(None, None)
        except TypeError:
            written = f"choose{inspect.signature(choose)}"
            raise AnswerError(f"it must be written choose(self, turn), not {written}", choose) from None


def _line(function: FunctionType) -> int:
    return function.__code__.co_firstlineno
