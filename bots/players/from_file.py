"""A player from somebody's Python file, with errors that its author understands."""

from __future__ import annotations

import contextlib
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tabiya.bots.client.bot import Bot
from tabiya.bots.client.class_check import check_choose, check_fields, check_init, misspelt, remarks
from tabiya.bots.client.failure import AnswerError, failure_of
from tabiya.bots.custom_evaluation.loader import load
from tabiya.bots.players.spec import PlayerError
from tabiya.bots.players.time_limit import LOAD_S, TooSlow, time_limit

if TYPE_CHECKING:
    from tabiya.bots.custom_evaluation.compile import CustomEvaluator


def load_bot(path: str, name: str) -> Bot:
    """An object of the class `name` in the file. The file runs, once per process and content.

    Raises PlayerError: no such file, an error in it, no such class, not a bot, or a class that cannot be made.
    """
    bot_class = _bot_class(path, name)
    with _mistaken(name, "()", path):
        check_init(bot_class)
    with _failing_as(f"{name}() in {path}", f"{name}() in {path} fails", path):
        bot = bot_class()
    with _mistaken(name, ".choose", path):
        check_choose(bot_class, Bot)
    with _mistaken(name, "", path):
        check_fields(bot)
    return bot


def _bot_class(path: str, name: str) -> type[Bot]:
    module = _load(Path(path))
    bot_class = getattr(module, name, None)
    if not isinstance(bot_class, type) or not issubclass(bot_class, Bot) or bot_class is Bot:
        raise PlayerError(_no_bot(path, name, module))
    return bot_class


def load_class(path: str, name: str) -> Any:
    """The file's `name`, None if it has none. The file runs, once per process and content. Raises PlayerError."""
    return getattr(_load(Path(path)), name, None)


def load_custom_evaluator(path: str, name: str) -> CustomEvaluator | None:
    """The class `name` of the file if it is an evaluation for the playing engine, else None. Raises PlayerError."""
    module = _load(Path(path))
    found: Any = getattr(module, name, None)
    if not is_evaluator_class(found):
        return None
    from tabiya.bots.custom_evaluation.player import read_custom_evaluator

    return read_custom_evaluator(module, found)


def warnings_of(path: str, name: str) -> list[str]:
    """Sentences on what seems to be a mistake in a class that can be loaded. Raises PlayerError."""
    own = load_custom_evaluator(path, name)
    if own is not None:
        return list(misspelt(own.author_class, own.base))
    return list(remarks(_bot_class(path, name), Bot))


def is_evaluator_class(found: Any) -> bool:
    """Whether it is a class that derives from a game's evaluator. Loads no compiler: such a class has done so."""
    base = sys.modules.get("tabiya.bots.evaluators.base")
    return base is not None and isinstance(found, type) and issubclass(found, base.Evaluator)


def _load(path: Path) -> ModuleType:
    try:
        with _failing_as(f"loading {path}", f"{path} cannot be loaded", str(path)):
            return load(path)
    except PlayerError as error:
        cause = error.__cause__  # of the file itself, or of one that it opens while it runs
        if isinstance(cause, OSError) and cause.filename is not None and Path(cause.filename) == path.resolve():
            raise PlayerError(f"the file {str(path)!r} cannot be read: {cause.strerror}") from None
        raise


@contextlib.contextmanager
def _mistaken(name: str, part: str, path: str) -> Iterator[None]:
    """The PlayerError of a mistake in the class `name` that is found before it plays. part: of the class, as shown."""
    try:
        yield
    except AnswerError as error:
        raise PlayerError(f"{name} in {path}: {error}", failure_of(error, f"{name}{part} in {path}")) from None


@contextlib.contextmanager
def _failing_as(called: str, sentence: str, path: str) -> Iterator[None]:
    """Turn errors of the author's code, and more than LOAD_S of time, into a PlayerError."""
    try:
        with time_limit(LOAD_S):
            yield
    except (Exception, SystemExit, TooSlow) as error:  # a script may call sys.exit()
        raise PlayerError(f"{sentence}: {_in_words(error, path)}", failure_of(error, called)) from error


def _in_words(error: BaseException, path: str) -> str:
    """The error and the last line of the author's file that took part in it."""
    what = traceback.format_exception_only(error)[-1].strip()
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {what}"
    own = Path(path).resolve()
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).resolve() == own
    ]
    return f"line {lines[-1]}: {what}" if lines else what


def _no_bot(path: str, name: str, module: ModuleType) -> str:
    bots = [
        found
        for found, value in vars(module).items()
        if isinstance(value, type)
        and (issubclass(value, Bot) or is_evaluator_class(value))
        and value.__module__ == module.__name__
    ]
    there = f"it has {', '.join(bots)}" if bots else f"write class {name}(Bot):"
    if hasattr(module, name):
        return f"{name} in {path} is no class that derives from tabiya.Bot ({there})"
    return f"there is no class {name} in {path} ({there})"
