"""An author's numbers: declared on the class with their defaults, and given other values without a new compilation.

    class Corners(evaluator("reversi")):
        corner = 300
        by_ring = [0, 20, 40, 60]

Every attribute of a class that is a number, or a list, a tuple or an array of numbers, is a parameter. What is given in
its place has the same length, and is whole if the default is.
"""

from __future__ import annotations

import ctypes
import json
import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tabiya.bots.players.spec import PlayerError

ParameterValues = dict[str, Any]
LARGEST_FILE = 1 << 24  # bytes
ELEMENT = re.compile(r"(?P<name>\w+)\[(?P<place>[0-9]{1,6})\]")
FIELDS = {"b": np.int64, "i": np.int64, "u": np.uint64, "f": np.float64}


class ParameterError(PlayerError):
    """A name, a kind or a length that is not the class's; the message is one sentence."""


class Parameters:
    """The parameters of a class. Values are kept in a record of `layout`, which Python and compiled code read."""

    def __init__(self, owner: str, defaults: Mapping[str, Any]) -> None:
        """owner: the class, for errors.  defaults: as declared, `can_be_parameter` all of them."""
        self._owner, self._defaults = owner, dict(defaults)
        fields = {name: _array(value) for name, value in defaults.items()}
        self.layout = np.dtype([(name, found.dtype, found.shape) for name, found in fields.items()], align=True)

    @property
    def names(self) -> tuple[str, ...]:
        """The names, as declared."""
        return tuple(self._defaults)

    def record(self) -> Any:
        """A new record with the defaults."""
        record = np.zeros((), self.layout)
        self.write(record, self._defaults)
        return record

    def write(self, record: Any, given: Mapping[str, Any]) -> None:
        """Put other values in; those that are not given stay. Raises ParameterError, and then nothing is changed."""
        for name, found in self.check(given).items():
            record[name] = found

    def check(self, given: Mapping[str, Any]) -> ParameterValues:
        """The given values as arrays of the declared kinds. Raises ParameterError."""
        return {name: self._checked(name, value) for name, value in given.items()}

    def at(self, address: int) -> Any:
        """The record at this address."""
        memory: Any = (ctypes.c_char * self.layout.itemsize).from_address(address)
        return np.frombuffer(memory, self.layout)[0]

    def value(self, record: Any, name: str) -> Any:
        """One value, in the form in which it was declared: a number, a list, a tuple or an array."""
        declared, found = self._defaults[name], record[name]
        if isinstance(declared, np.ndarray | np.generic):
            return found.copy()[()]
        return type(declared)(found.tolist())

    def values(self, record: Any) -> ParameterValues:
        """All values, by name."""
        return {name: self.value(record, name) for name in self._defaults}

    def plain(self, record: Any) -> ParameterValues:
        """All values as JSON has them: numbers, true or false, lists. `check` takes them back unchanged."""
        found = {name: record[name].tolist() for name in self._defaults}
        return {
            name: bool(value) if isinstance(self._defaults[name], bool | np.bool_) else value
            for name, value in found.items()
        }

    def text(self, name: str, value: Any) -> str:
        """A value as `read` takes it."""
        return ",".join(str(number) for number in np.array(value, self._field(name).base).flatten().tolist())

    def read(self, options: Iterable[tuple[str, str]]) -> ParameterValues:
        """The values in texts, as the PLAYER grammar has them, checked. Raises ParameterError.

        options: a name and a number or several with commas between; `share[1]` and a number, for the second one of
        several alone; without a name, a JSON file.
        """
        found = ParameterValues()
        for name, text in options:
            if element := ELEMENT.fullmatch(name):
                found |= self._read_element(element["name"], int(element["place"]), text, found)
            else:
                found |= {name: self._read(name, text)} if name else _read_file(Path(text))
        return self.check(found)

    def _read_element(self, name: str, place: int, text: str, found: ParameterValues) -> ParameterValues:
        values = np.array(self._checked(name, found.get(name, self._defaults.get(name)))).astype(object)
        number = _number(text)
        if place >= values.size or number is None:
            raise ParameterError(f"{name} of {self._owner} takes {self._kind(name)}, not {text!r} at {place}")
        values.flat[place] = number
        return {name: values.tolist()}

    def _read(self, name: str, text: str) -> Any:
        shape = self._field(name).shape
        numbers = [_number(part) for part in text.split(",")]
        if None in numbers:
            raise ParameterError(f"{name} of {self._owner} takes {self._kind(name)}, not {text!r}")
        if len(numbers) == 1 and not shape:
            return numbers[0]
        return np.array(numbers).reshape(shape).tolist() if len(numbers) == math.prod(shape) else numbers

    def _checked(self, name: str, value: Any) -> Any:
        field, found = self._field(name), _array(value)
        if found is not None and found.shape == field.shape:
            fitting = found.astype(field.base)
            if field.base == np.float64 or (fitting == found).all():
                return fitting
        raise ParameterError(f"{name} of {self._owner} takes {self._kind(name)}, not {_shown(value, found)}")

    def _field(self, name: str) -> np.dtype[Any]:
        if name not in self._defaults:
            there = f"it has {', '.join(self._defaults)}" if self._defaults else "it has none"
            raise ParameterError(f"{self._owner} has no parameter {name!r} ({there})")
        return self.layout[name]

    def _kind(self, name: str) -> str:
        field = self._field(name)
        number = "number" if field.base == np.float64 else "whole number"
        return f"{' x '.join(map(str, field.shape))} {number}s" if field.shape else f"a {number}"


def can_be_parameter(value: Any) -> bool:
    """Whether a value is a number, or a list, a tuple or an array of numbers."""
    return _array(value) is not None


def _array(value: Any) -> Any:
    """Numbers of 64 bits; None for everything else, for no numbers at all, and for those that are not finite."""
    if not isinstance(value, bool | int | float | list | tuple | np.ndarray | np.generic):
        return None
    try:
        found = np.array(value)
        if found.dtype.kind == "f" and _is_whole(value):  # NumPy takes 1 beside a set of 64 squares for a float
            found = np.array(value, np.uint64)
    except (ValueError, OverflowError):  # lists of several lengths
        return None
    if found.dtype.kind not in FIELDS or not found.size or not np.isfinite(found).all():
        return None
    return found.astype(FIELDS[found.dtype.kind])


def _is_whole(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_whole, value))
    return isinstance(value, int | np.integer)


def _number(text: str) -> int | float | None:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return None


def _read_file(path: Path) -> ParameterValues:
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(LARGEST_FILE))
    except OSError as error:
        raise ParameterError(f"the file of parameters {str(path)!r} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ParameterError(f"the file of parameters {str(path)!r} is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise ParameterError(f"the file of parameters {str(path)!r} has no names: it is to be {{NAME: VALUE, ...}}")
    return found


def _shown(value: Any, found: Any) -> str:
    """A value in an error: of many numbers only how many."""
    if found is not None and found.shape:
        return f"{' x '.join(map(str, found.shape))} numbers" if found.size > 3 else repr(value)
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
