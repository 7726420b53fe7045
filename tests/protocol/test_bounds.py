"""Every number, text and list on the wire has bounds, and the codec holds them, in both encodings."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec import inspect

from tabiya.protocol.codec import CodecError, Encoding, decode_client, decode_server
from tabiya.protocol.messages import CLIENT_MESSAGES, SERVER_MESSAGES
from tabiya.protocol.messages.fields import LARGEST_NUMBER
from tests.protocol.test_codec import frame

MESSAGES = [*CLIENT_MESSAGES, *SERVER_MESSAGES]
EVERYTHING = 10**9
Path = tuple[str | int, ...]


def described(kind: type) -> inspect.StructType:
    found = inspect.type_info(kind)
    assert isinstance(found, inspect.StructType)
    return found


def plain(kind: inspect.Type) -> inspect.Type:
    return plain(kind.type) if isinstance(kind, inspect.Metadata) else kind


def leaves(kind: inspect.Type, path: Path = ()) -> Iterator[tuple[Path, inspect.Type]]:
    """Every type inside a type, with the path to a value of it; step 0 goes into a list."""
    kind = plain(kind)
    yield path, kind
    if isinstance(kind, inspect.StructType):
        for field in kind.fields:
            yield from leaves(field.type, (*path, field.encode_name))
    elif isinstance(kind, inspect.UnionType):
        for choice in kind.types:
            yield from leaves(choice, path)
    elif isinstance(kind, inspect.VarTupleType):
        yield from leaves(kind.item_type, (*path, 0))
    elif isinstance(kind, inspect.TupleType):
        for place, item in enumerate(kind.item_types):
            yield from leaves(item, (*path, place))
    elif isinstance(kind, inspect.DictType):
        yield from leaves(kind.value_type, (*path, "option"))


def least(kind: inspect.Type) -> Any:
    """The smallest plain value that a type allows."""
    kind = plain(kind)
    match kind:
        case inspect.IntType() | inspect.FloatType():
            return kind.ge
        case inspect.StrType():
            return "1-0" if kind.pattern else "x" * (kind.min_length or 0)
        case inspect.BoolType():
            return False
        case inspect.TupleType():
            return [least(item) for item in kind.item_types]
        case inspect.VarTupleType():
            return []
        case inspect.DictType():
            return {}
        case inspect.UnionType():
            return least(kind.types[0])
        case inspect.StructType():
            tag = {"type": kind.tag} if kind.tag else {}
            return tag | {field.encode_name: least(field.type) for field in kind.fields if field.required}
    raise AssertionError(f"{kind} is new here")


def with_value(kind: inspect.Type, path: Path, value: Any) -> Any:
    """The least value of a type, but with `value` at the path."""
    kind = plain(kind)
    if not path:
        return value
    if isinstance(kind, inspect.UnionType):
        inner = (inspect.StructType, inspect.VarTupleType, inspect.TupleType, inspect.DictType)
        return with_value(next(choice for choice in map(plain, kind.types) if isinstance(choice, inner)), path, value)
    head, rest = path[0], path[1:]
    if isinstance(kind, inspect.StructType):
        field = next(field for field in kind.fields if field.encode_name == head)
        return {**least(kind), str(head): with_value(field.type, rest, value)}
    if isinstance(kind, inspect.DictType):
        return {str(head): with_value(kind.value_type, rest, value)}
    if isinstance(kind, inspect.VarTupleType):
        return [with_value(kind.item_type, rest, value)]
    assert isinstance(kind, inspect.TupleType)
    items = [least(item) for item in kind.item_types]
    items[int(head)] = with_value(kind.item_types[int(head)], rest, value)
    return items


def edges(kind: inspect.Type) -> tuple[list[Any], list[Any]]:
    """Values just within and just beyond the bounds of a type."""
    match kind:
        case inspect.IntType():
            assert kind.ge is not None
            assert kind.le is not None
            return [kind.ge, kind.le], [kind.ge - 1, kind.le + 1, float(kind.ge), True, 2**64 - 1]
        case inspect.StrType() if kind.pattern:
            return ["1-0", "0-1", "1/2-1/2", "*"], ["", "1-0 ", " 1-0", "2-0", "1-0\n1-0"]
        case inspect.StrType():
            assert kind.max_length is not None
            shortest = kind.min_length or 0
            within = ["x" * shortest, "x" * kind.max_length, "é" * kind.max_length, "♞" * kind.max_length]
            return within, ["x" * (kind.max_length + 1)] + (["x" * (shortest - 1)] if shortest else [])
        case inspect.VarTupleType():
            assert kind.max_length is not None
            item = least(kind.item_type)
            return [[], [item] * kind.max_length], [[item] * (kind.max_length + 1), {}]
        case inspect.TupleType():
            items = [least(item) for item in kind.item_types]
            return [items], [items[:-1], [*items, items[0]], []]
        case inspect.DictType():
            assert kind.max_length is not None
            most = {f"option {number}": True for number in range(kind.max_length)}
            return [{}, most], [{**most, "more": True}, {"": True}, {"x" * 33: True}, []]
    return [], []


def cases() -> Iterator[Any]:
    for message in MESSAGES:
        for path, kind in leaves(described(message)):
            if any(edges(kind)):
                name = f"{message.__name__}.{'.'.join(map(str, path))}:{type(kind).__name__}"
                yield pytest.param(message, path, kind, id=name)


def accepts(message: type, value: Any, encoding: Encoding) -> bool:
    decode = decode_client if message in CLIENT_MESSAGES else decode_server
    try:
        decode(frame(value, encoding), encoding, EVERYTHING)
    except CodecError:
        return False
    return True


@pytest.mark.parametrize("encoding", list(Encoding))
@pytest.mark.parametrize(("message", "path", "kind"), list(cases()))
def test_bounds_are_held(message: type, path: Path, kind: inspect.Type, encoding: Encoding) -> None:
    whole = described(message)
    within, beyond = edges(kind)
    assert [value for value in within if not accepts(message, with_value(whole, path, value), encoding)] == []
    others = [choice for other, choice in leaves(whole) if other == path and choice is not kind]
    wrong = [value for value in beyond if not any(allowed_by(choice, value) for choice in others)]
    assert [value for value in wrong if accepts(message, with_value(whole, path, value), encoding)] == []


def allowed_by(kind: inspect.Type, value: Any) -> bool:
    """Whether another choice at the same place allows the value, as `true` where options may be numbers."""
    return isinstance(kind, inspect.BoolType) and isinstance(value, bool)


@pytest.mark.parametrize("message", MESSAGES)
def test_every_number_text_and_list_is_bounded(message: type) -> None:
    for path, kind in leaves(described(message)):
        match kind:
            case inspect.IntType():
                assert kind.ge is not None, path
                assert kind.le is not None, path
                assert -LARGEST_NUMBER <= kind.ge <= kind.le <= LARGEST_NUMBER, path
            case inspect.StrType():
                assert kind.max_length is not None or kind.pattern is not None, path
            case inspect.VarTupleType() | inspect.DictType():
                assert kind.max_length is not None, path
            case inspect.FloatType():
                assert (kind.ge, kind.le) == (0, 1), path
            case _:
                known = (inspect.StructType, inspect.UnionType, inspect.TupleType, inspect.BoolType, inspect.NoneType)
                assert isinstance(kind, known), path


@pytest.mark.parametrize("message", MESSAGES)
def test_every_message_and_field_is_described(message: type[msgspec.Struct]) -> None:
    for _, kind in leaves(described(message)):
        if isinstance(kind, inspect.StructType):
            assert kind.cls.__doc__, kind.cls
            for field in kind.fields:
                assert isinstance(field.type, inspect.Metadata), f"{kind.cls.__name__}.{field.name}"
                assert (field.type.extra_json_schema or {}).get("description", "").endswith("."), field.name


@pytest.mark.parametrize("message", MESSAGES)
@pytest.mark.parametrize("encoding", list(Encoding))
def test_a_required_field_cannot_be_left_out(message: type, encoding: Encoding) -> None:
    whole = described(message)
    for field in whole.fields:
        if field.required:
            value = least(whole)
            del value[field.encode_name]
            assert not accepts(message, value, encoding), field.name
