"""What is wrong with a query or a body, in a plain sentence: the field, what was given, and what is allowed.

msgspec tells only where the fault is; what a field may hold is read from the struct.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct, inspect

from tabiya.protocol.explain import shown

LARGEST_BOUND_SHOWN = 1_000_000_000_000
_PLACE = re.compile(r"^(?P<fault>.*?)(?: - at `\$(?P<path>[^`]*)`)?$", re.DOTALL)
_STEP = re.compile(r"\.(?P<name>\w+)|\[(?P<index>\d+)\]")
_UNKNOWN = re.compile(r"^Object contains unknown field `(?P<name>.*)`$", re.DOTALL)
_MISSING = re.compile(r"^Object missing required field `(?P<name>\w+)`$")


def field_error(given: Any, kind: type[Struct], fault: str, *, in_query: bool) -> tuple[str, str]:
    """The field, empty for the whole, and the sentence.

    given: the query or body as plain values.  fault: what msgspec says of it, such as "Expected `int` - at `$.limit`".
    """
    whole = "this address" if in_query else "this order"
    found = _PLACE.match(fault)
    assert found is not None  # every part of the pattern may be empty
    path = found["path"] or ""
    place, value = inspect.type_info(kind), given
    for step in _STEP.finditer(path):
        place, value = _inside(place, step["name"]), _value_in(value, step["name"] or int(step["index"]))
    field = path.removeprefix(".")
    if missing := _MISSING.match(found["fault"]):
        lacking = f"{field}.{missing['name']}" if field else missing["name"]
        return lacking, f"{lacking} is missing; it must be {_allowed(_inside(place, missing['name']), in_query)}"
    if unknown := _UNKNOWN.match(found["fault"]):
        names = [each.encode_name for each in _fields(place)]
        known = f"has only {_listed(names, 'and')}" if names else "has no fields"
        return field or unknown["name"], f"{field or whole} {known}, not {shown(unknown['name'])}"
    return field, f"{field or whole} is {shown(value)}; it must be {_allowed(place, in_query)}"


def _inside(place: inspect.Type, name: str | None) -> inspect.Type:
    """The type of the field of this name; without a name that of an element."""
    for choice in _choices(place):
        match choice:
            case inspect.StructType() if name is not None:
                return next(each.type for each in choice.fields if each.encode_name == name)
            case inspect.VarTupleType() | inspect.ListType() if name is None:
                return choice.item_type
    return inspect.AnyType()


def _fields(place: inspect.Type) -> tuple[inspect.Field, ...]:
    return next((choice.fields for choice in _choices(place) if isinstance(choice, inspect.StructType)), ())


def _choices(place: inspect.Type) -> tuple[inspect.Type, ...]:
    if isinstance(place, inspect.Metadata):
        return _choices(place.type)
    return place.types if isinstance(place, inspect.UnionType) else (place,)


def _value_in(value: Any, key: str | int) -> Any:
    try:
        return value[key]
    except (KeyError, IndexError, TypeError):
        return None


def _allowed(place: inspect.Type, in_query: bool) -> str:
    """What a field may hold, such as `a whole number from 1 to 200`; no query can hold null."""
    match place:
        case inspect.Metadata():
            return _allowed(place.type, in_query)
        case inspect.UnionType():
            choices = [choice for choice in place.types if not (in_query and isinstance(choice, inspect.NoneType))]
            return _listed([_allowed(choice, in_query) for choice in choices], "or")
        case inspect.IntType():
            return f"a whole number{_bounds(place.ge, place.le)}"
        case inspect.FloatType():
            return f"a number{_bounds(place.ge, place.le)}"
        case inspect.StrType():
            return f"a text{_bounds(place.min_length, place.max_length, 'characters')}"
        case inspect.BytesType():
            return f"bytes in base64{_bounds(place.min_length, place.max_length, 'bytes')}"
        case inspect.BoolType():
            return "true or false"
        case inspect.NoneType():
            return "null"
        case inspect.LiteralType():
            return _listed([str(value) for value in place.values], "or")
        case inspect.VarTupleType() | inspect.ListType():
            bounds = _bounds(place.min_length, place.max_length, "elements")
            return f"a list{bounds}, each {_allowed(place.item_type, in_query)}"
        case inspect.StructType() | inspect.DictType():
            return "an object"
    return "something else"


def _bounds(low: float | None, high: float | None, unit: str = "") -> str:
    """The bounds of a number, or of a length in a unit; empty without any that a person would mind."""
    unit = f" {unit}" if unit else ""
    if high is None or high > LARGEST_BOUND_SHOWN:
        return f" of at least {low:,}{unit}" if low else ""
    if low is None or (unit and not low):
        return f" of at most {high:,}{unit}"
    return f" of {low:,} to {high:,}{unit}" if unit else f" from {low:,} to {high:,}"


def _listed(texts: list[str], last: str) -> str:
    return f" {last} ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))
