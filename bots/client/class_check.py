"""Mistakes in an author's bot that are seen before it plays: a hook misspelt or missing, no `self`, a lost position."""

from __future__ import annotations

import ast
import difflib
import inspect
import textwrap
from collections.abc import Iterable, Iterator
from types import FunctionType
from typing import Any

from tabiya.bots.client.failure import AnswerError

LIKE = 0.8  # as difflib measures it: one letter more, less or changed in a word of five


WITH_TURN = ("choose", "opponent_offers_draw")  # hooks whose argument is a turn


def remarks(author_class: type, base: type) -> Iterator[str]:
    """A sentence for each part of a bot's class that does nothing, though its author seems to think that it does."""
    yield from misspelt(author_class, base)
    for one in author_class.__mro__[: author_class.__mro__.index(base)]:
        for name in WITH_TURN:
            if isinstance(hook := vars(one).get(name), FunctionType):
                yield from _lost_positions(hook)


def misspelt(author_class: type, base: type) -> Iterator[str]:
    """A sentence for each method that nothing calls and whose name is nearly that of a hook of `base`."""
    hooks = [name for name, value in inspect.getmembers(base, callable) if not name.startswith("_")]
    for one in author_class.__mro__[: author_class.__mro__.index(base)]:
        for name, value in vars(one).items():
            if not isinstance(value, FunctionType) or name.startswith("_") or hasattr(base, name):
                continue
            for hook in difflib.get_close_matches(name, hooks, 1, LIKE):
                if getattr(author_class, hook) is getattr(base, hook):  # any other name may be intended
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


def check_init(author_class: type) -> None:
    """Raises AnswerError if the class cannot be created without arguments, as it is for a match."""
    init = inspect.getattr_static(author_class, "__init__")
    if isinstance(init, FunctionType):
        try:
            inspect.signature(init).bind(None)
        except TypeError:
            written = f"__init__{inspect.signature(init)}"
            raise AnswerError(
                f"it is created without arguments; {written} needs a default value for each", init
            ) from None


def check_fields(bot: Any) -> None:
    """Raises AnswerError if `name`, `version` or `games` are of another type: `("x")` is a text, `("x",)` a tuple."""
    for field in ("name", "version"):
        value = getattr(bot, field)
        if not isinstance(value, str):
            raise AnswerError(f"{field} must be a text in quotation marks, not {value!r}")
    games = bot.games
    if isinstance(games, str):
        raise AnswerError(f'games is a text, not a tuple of texts; a comma is missing: games = ("{games}",)')
    if not isinstance(games, Iterable) or not all(isinstance(game, str) for game in games):
        raise AnswerError(f"games must be a tuple of texts, not {games!r}")


def _lost_positions(hook: FunctionType) -> Iterator[str]:
    """A sentence for each `position.play(move)` whose result nobody keeps. A move that is only tried is no mistake."""
    try:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(hook))).body
    except (OSError, SyntaxError, ValueError):  # its lines are not to be had, or cannot be read alone
        return
    _, turn = (*hook.__code__.co_varnames[: hook.__code__.co_argcount], "", "")[:2]
    bound = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
    bound += [node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)]
    if bound.count(turn) != 1:
        return
    given = [
        node.targets[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and ast.unparse(node.value) == f"{turn}.position()"
    ]
    positions = {f"{turn}.position()", *(name for name in given if given.count(name) == bound.count(name))}
    for node in _not_tried(tree):
        match node:
            case ast.Expr(ast.Call(ast.Attribute(position, "play"))) if ast.unparse(position) in positions:
                line = _line(hook) - 1 + node.lineno
                text = ast.unparse(node)
                yield f"{hook.__qualname__}, line {line}: {text} changes nothing; write after = {text} and use after"


def _not_tried(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below a node, except in `try` and `with`, where the code may only want to see the error."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.Try | ast.With | ast.AsyncWith):
            yield child
            yield from _not_tried(child)


def _line(function: FunctionType) -> int:
    return function.__code__.co_firstlineno
