"""The options of a program: what it offers, and whether wanted options can be set."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tabiya.bots.adapters.engine_protocol import EngineProtocolError

LONGEST_NUMBER = 15  # digits
PONDER = "Ponder"


class OfferedOption(NamedTuple):
    """An option that an engine has. bounds: least and largest of a whole number (`spin`), None for another kind.

    choices: the values of a `combo` and a `check`, none of another kind.
    """

    name: str
    bounds: tuple[int, int] | None = None
    choices: tuple[str, ...] = ()


def ponders(options: Iterable[tuple[str, str]]) -> bool:
    """Whether a program should also think in its opponent's time."""
    return any(name.casefold() == PONDER.casefold() and value == "true" for name, value in options)


def check_options(asked: Iterable[tuple[str, str]], offered: Mapping[str, OfferedOption]) -> None:
    """Raises EngineProtocolError for one that is not offered or out of bounds. offered: by lower-case name."""
    names = [option.name for option in offered.values()]
    for name, value in asked:
        option = offered.get(name.casefold())
        if option is None:
            near = difflib.get_close_matches(name, names, n=1)
            meant = f"; did you mean {near[0]!r}?" if near else ""
            raise EngineProtocolError(f"has no option {name!r}{meant} (it has: {', '.join(names) or 'none'})")
        if option.bounds is not None:
            (least, most), number = option.bounds, whole_number(value)
            if number is None or not least <= number <= most:
                raise EngineProtocolError(
                    f"takes {option.name} as a whole number from {least} to {most}, not {value!r}"
                )
        if option.choices and value.casefold() not in map(str.casefold, option.choices):
            raise EngineProtocolError(f"takes {option.name} as one of {', '.join(option.choices)}, not {value!r}")


def whole_number(word: str) -> int | None:
    """The whole number of a word of up to fifteen digits, None for any other word."""
    digits = word.removeprefix("-")
    return int(word) if digits.isascii() and digits.isdigit() and len(digits) <= LONGEST_NUMBER else None
