"""JSON Schemas and summaries of structs, for the generated documents."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct


def reference(kind: type[Struct]) -> dict[str, str]:
    """The schema of a struct that is in the document's components."""
    return {"$ref": f"#/components/schemas/{kind.__name__}"}


def components(kinds: Iterable[type[Struct]]) -> dict[str, Any]:
    """The schemas of structs and of all they hold, as plain JSON values, sorted by name."""
    found = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")[1]
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(found))
    return {name: plain[name] for name in sorted(plain)}


def summary(thing: object) -> str:
    """The docstring as one line."""
    return " ".join((inspect.getdoc(thing) or "").split())
