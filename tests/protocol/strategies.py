"""Random messages, made from the bounds in the message classes themselves."""

from collections.abc import Callable
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from msgspec import inspect

from tabiya.protocol.messages import CLIENT_MESSAGES, SERVER_MESSAGES

LONGEST_TEXT = 24
MOST_ITEMS = 4
CHARACTERS = st.characters(exclude_categories=["Cs"])


def of_class(kind: type) -> st.SearchStrategy[Any]:
    """Messages (or parts) of one class, every field within its bounds."""
    described = inspect.type_info(kind)
    assert isinstance(described, inspect.StructType)
    required = {field.name: of_type(field.type) for field in described.fields if field.required}
    optional = {field.name: of_type(field.type) for field in described.fields if not field.required}
    return st.fixed_dictionaries(required, optional=optional).map(lambda fields: kind(**fields))


def of_type(described: inspect.Type) -> st.SearchStrategy[Any]:
    """Values of a type as `msgspec.inspect` describes it."""
    if isinstance(described, inspect.Metadata):
        return of_type(described.type)
    return _MAKERS[type(described)](described)


def _integers(described: inspect.IntType) -> st.SearchStrategy[Any]:
    return st.integers(described.ge, described.le)


def _texts(described: inspect.StrType) -> st.SearchStrategy[Any]:
    if described.pattern is not None:
        return st.from_regex(described.pattern.replace("$", r"\Z"))
    longest = min(described.max_length or 0, LONGEST_TEXT)
    return st.text(CHARACTERS, min_size=described.min_length or 0, max_size=longest)


def _lists(described: inspect.VarTupleType) -> st.SearchStrategy[Any]:
    return st.lists(of_type(described.item_type), max_size=MOST_ITEMS).map(tuple)


def _pairs(described: inspect.TupleType) -> st.SearchStrategy[Any]:
    return st.tuples(*(of_type(item) for item in described.item_types))


def _objects(described: inspect.DictType) -> st.SearchStrategy[Any]:
    return st.dictionaries(of_type(described.key_type), of_type(described.value_type), max_size=MOST_ITEMS)


_MAKERS: dict[type, Callable[[Any], st.SearchStrategy[Any]]] = {
    inspect.IntType: _integers,
    inspect.StrType: _texts,
    inspect.VarTupleType: _lists,
    inspect.TupleType: _pairs,
    inspect.DictType: _objects,
    inspect.FloatType: lambda described: st.floats(described.ge, described.le),
    inspect.BoolType: lambda _: st.booleans(),
    inspect.NoneType: lambda _: st.none(),
    inspect.UnionType: lambda described: st.one_of([of_type(choice) for choice in described.types]),
    inspect.StructType: lambda described: of_class(described.cls),
}

client_messages = st.one_of([of_class(kind) for kind in CLIENT_MESSAGES])
server_messages = st.one_of([of_class(kind) for kind in SERVER_MESSAGES])

steady = settings(derandomize=True, deadline=None, max_examples=150)
"""The same examples on every run; a longer search is `max_examples` of a test, not luck."""
