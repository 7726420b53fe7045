"""`tabiya new my_bot.py`: write a commented start of a bot."""

from __future__ import annotations

import keyword
import sys
from pathlib import Path
from string import Template

import typer

from tabiya.cli.output import note
from tabiya.errors import UserError
from tabiya.protocol.printable import printable

START = Path(__file__).with_name("new_bot.txt")
INSTALLED = ("msgpack", "msgspec", "numba", "numpy", "rich", "tabiya", "typer", "websockets")


def new(path: Path = typer.Argument(help="File to write, such as my_bot.py; it must not exist.")) -> None:
    """Write a first bot with comments, which plays every game."""
    name, text = class_name(path), start_of(path)
    try:
        # mode x: no race with another process that creates the file
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise UserError(f"{printable(path)} exists already and was not changed") from None
    except OSError as error:
        raise UserError(f"{printable(path)} cannot be written: {error.strerror}") from None
    note(f"{path} is written. Play against it: tabiya play {path}:{name} --game tictactoe")


def start_of(path: Path) -> str:
    """A commented start of a bot, for a file of this name. Raises UserError as `class_name` does."""
    return Template(START.read_text(encoding="utf-8")).substitute(name=class_name(path), file=path.name)


def class_name(path: Path) -> str:
    """The name of the class for a file: `MyBot` for my_bot.py. Raises UserError for a file that Python cannot use."""
    stem = path.stem
    if path.suffix != ".py":
        raise UserError(f"a bot is a Python file such as my_bot.py, not {printable(path.name)!r}")
    if not stem.isidentifier() or keyword.iskeyword(stem):
        raise UserError(
            f"{printable(path.name)!r} cannot be the name of a Python module; use letters, digits and _, "
            "such as my_bot.py"
        )
    if stem in INSTALLED or stem in sys.stdlib_module_names:
        raise UserError(f"a file {path.name} would hide the package {stem}; give it another name, such as my_{stem}.py")
    name = "".join(part[:1].upper() + part[1:] for part in stem.split("_"))
    return name if name not in ("", "Bot") else "MyBot"  # `class Bot(Bot)` would hide what it derives from
