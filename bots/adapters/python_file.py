"""A bot from somebody's Python file, with errors that its author understands."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType

from bots.client.bot import Bot
from bots.player_spec import PlayerError


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
    except Exception as error:
        raise PlayerError(f"{name}() in {path} fails: {_in_words(error, path)}") from error


def _load(path: Path) -> ModuleType:
    try:
        source = path.read_bytes()
    except OSError as error:
        raise PlayerError(f"the file {str(path)!r} cannot be read: {error.strerror}") from None
    digest = hashlib.sha256(str(path.resolve()).encode() + b"\0" + source).hexdigest()[:16]
    module_name = f"tabiya_player_{digest}"  # two files with classes of one name are two modules
    if module_name not in sys.modules:
        _run(path, module_name)
    return sys.modules[module_name]


def _run(path: Path, module_name: str) -> None:
    """Import the file as a module; its folder is searched last, so that no file there hides a package of ours."""
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[module_name]
        raise PlayerError(f"{path} cannot be loaded: {_in_words(error, str(path))}") from error


def _in_words(error: BaseException, path: str) -> str:
    """The error and the last line of the author's file that took part in it."""
    what = traceback.format_exception_only(error)[-1].strip()
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {what}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith(path)]
    return f"line {lines[-1]}: {what}" if lines else what


def _no_bot(path: str, name: str, module: ModuleType) -> str:
    bots = [
        found
        for found, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Bot) and value.__module__ == module.__name__
    ]
    there = f"it has {', '.join(bots)}" if bots else "it has no class that derives from tabiya.Bot"
    if hasattr(module, name):
        return f"{name} in {path} is no class that derives from tabiya.Bot ({there})"
    return f"there is no class {name} in {path} ({there})"
