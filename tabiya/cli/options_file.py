"""`--config FILE`: options of a command in a TOML file, by the names that they have on the command line.

players = ["uci:./new", "uci:./old"]
game = "chess"
time = "10+0.1"
sprt = "elo0=0 elo1=5"

What is given on the command line wins.
"""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Any

import typer

from tabiya.errors import UserError

PLAYERS = "players"


def _read(context: typer.Context, path: Path | None) -> Path | None:
    if path is not None:
        context.default_map = _defaults(path, context.command.params)
    return path


CONFIG_OPTION = typer.Option(
    None,
    "--config",
    is_eager=True,  # before the options whose values it has
    callback=_read,
    help="TOML file with players and options by these names; the command line overrides it.",
)


def _defaults(path: Path, parameters: list[Any]) -> dict[str, Any]:
    """Values by the names of the parameters. Raises UserError."""
    options = {name[2:]: one for one in parameters for name in one.opts if name.startswith("--") and not one.is_eager}
    players = [one.name for one in parameters if one.param_type_name == "argument"]
    found = dict[str, Any]()
    for name, value in _values(path).items():
        if name == PLAYERS:
            if not isinstance(value, list) or len(value) != len(players):
                raise UserError(f"{path}: {PLAYERS} are a list of {len(players)} texts")
            found |= zip(players, map(str, value), strict=True)
        elif name in options:
            found[options[name].name] = _value(path, name, options[name], value)
        else:
            near = difflib.get_close_matches(name, (*options, PLAYERS), n=1)
            meant = f"; did you mean {near[0]}?" if near else ""
            raise UserError(f"{path} has {name!r}, which is no option of this command{meant}")
    return found


def _values(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:  # also for bytes that are no UTF-8
        raise UserError(f"{path} is no TOML: {error}") from None


def _value(path: Path, name: str, option: Any, value: Any) -> Any:
    """As the command line would give it; an option that may be given several times also takes a list."""
    if option.is_flag:
        if not isinstance(value, bool):
            raise UserError(f"{path}: {name} is true or false, not {value!r}")
        return value
    values = value if isinstance(value, list) and option.multiple else [value]
    if any(isinstance(one, bool) or not isinstance(one, str | int | float) for one in values):
        texts = " or a list of texts" if option.multiple else ""
        raise UserError(f"{path}: {name} is a text or a number{texts}, not {value!r}")
    return [str(one) for one in values] if option.multiple else str(value)
