"""JSON Schema in words, for the lists of fields on the generated pages."""

from __future__ import annotations

import json
from typing import Any

from scripts.docs.markdown import link, one_line

Schema = dict[str, Any]
LARGEST_BOUND_SHOWN = 1_000_000  # a larger number is no bound that a reader of the page has to mind


def field_list(schema: Schema, *, without: tuple[str, ...] = ()) -> str:
    """The fields of an object, one line each: name, type, default if it may be left out, meaning."""
    return "\n".join(_field(name, schema) for name in schema["properties"] if name not in without)


def _field(name: str, schema: Schema) -> str:
    field = schema["properties"][name]
    required = name in schema.get("required", ())
    kind = type_in_words(field) if required or field.get("default") is not None else _optional(field)
    default = "" if required or field.get("default") is None else f"; default `{json.dumps(field['default'])}`"
    return f"* `{name}` ({kind}{default}): {one_line(field['description'])}"


def _optional(field: Schema) -> str:
    """The type of a field whose default is null; the pages say what optional means."""
    return f"{type_in_words(field).removesuffix(' or null')}; optional"


def type_in_words(schema: Schema) -> str:
    """What a field may hold, such as `text ≤ 64`."""
    if "$ref" in schema:
        return link(str(schema["$ref"]).rsplit("/", 1)[-1].removeprefix("#"))
    if "anyOf" in schema:
        return " or ".join(type_in_words(choice) for choice in schema["anyOf"])
    if "enum" in schema:
        return " or ".join("null" if choice is None else f"`{choice}`" for choice in schema["enum"])
    if "prefixItems" in schema:
        return f"pair of {type_in_words(schema['prefixItems'][0])}"
    return _by_kind(schema)


def _by_kind(schema: Schema) -> str:
    match schema.get("type"):
        case "array":
            return f"list of {type_in_words(schema['items'])}"
        case "object" if "additionalProperties" in schema:
            return f"object of {type_in_words(schema['additionalProperties'])}"
        case "string":
            return _text(schema)
        case "integer" | "number" as kind:
            return _number(kind, schema)
        case kind:
            return "anything" if kind is None else str(kind)


def _text(schema: Schema) -> str:
    if "pattern" in schema:
        return " or ".join(f"`{choice}`" for choice in _choices(schema["pattern"]))
    return f"text ≤ {schema['maxLength']:,}" if "maxLength" in schema else "text"


def _choices(pattern: str) -> list[str]:
    """The choices of a pattern like ^(1-0|0-1)$."""
    return pattern.removeprefix("^(").removesuffix(")$").replace("\\", "").split("|")


def _number(kind: str, schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None or high is None or high > LARGEST_BOUND_SHOWN:
        return kind
    return f"{kind} {low:,} to {high:,}"
