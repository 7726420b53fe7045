"""A player from somebody's Python file, with errors that its author understands."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tabiya.bots.client.bot import Bot
from tabiya.bots.custom_evaluation.loader import load
from tabiya.bots.players.spec import PlayerError

if TYPE_CHECKING:
    from tabiya.bots.custom_evaluation.compile import CustomEvaluator


def load_bot(path: str, name: str) -> Bot:
    """An object of the class `name` in the file. The file runs, once per process and content.

    Raises PlayerError: no such file, an error in it, no such class, not a bot, or a class that cannot be made.
    """
    module = _load(Path(path))
    bot_class = getattr(module, name, None)
    if not isinstance(bot_class, type) or not issubclass(bot_class, Bot) or bot_class is Bot:
        raise PlayerError(_no_bot(path, name, module))
    try:
        return bot_class()
    except (Exception, SystemExit) as error:  # a script may call sys.exit()
        raise PlayerError(f"{name}() in {path} fails: {_in_words(error, path)}") from error


def load_custom_evaluator(path: str, name: str) -> CustomEvaluator | None:
    """The class `name` of the file if it is an evaluation for the playing engine, else None. Raises PlayerError."""
    module = _load(Path(path))
    found: Any = getattr(module, name, None)
    if not is_evaluator_class(found):
        return None
    from tabiya.bots.custom_evaluation.player import read_custom_evaluator

    return read_custom_evaluator(module, found)


def is_evaluator_class(found: Any) -> bool:
    """Whether it is a class that derives from a game's evaluator. Loads no compiler: such a class has done so."""
    base = sys.modules.get("tabiya.bots.evaluators.base")
    return base is not None and isinstance(found, type) and issubclass(found, base.Evaluator)


def _load(path: Path) -> ModuleType:
    try:
        return load(path)
    except OSError as error:
        # the file itself, or one that it opens while it runs
        if error.filename is not None and Path(error.filename) == path.resolve():
            raise PlayerError(f"the file {str(path)!r} cannot be read: {error.strerror}") from None
        raise PlayerError(f"{path} cannot be loaded: {_in_words(error, str(path))}") from error
    except (Exception, SystemExit) as error:
        raise PlayerError(f"{path} cannot be loaded: {_in_words(error, str(path))}") from error


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
    there = f"it has {', '.join(bots)}" if bots else "it has no class that derives from tabiya.Bot"
    if hasattr(module, name):
        return f"{name} in {path} is no class that derives from tabiya.Bot ({there})"
    return f"there is no class {name} in {path} ({there})"
