"""JSON Schema in words, for the field tables of the reference page."""

import json
from collections.abc import Callable
from typing import Any

from tabiya.protocol.messages.fields import LARGEST_NUMBER

Schema = dict[str, Any]


def type_in_words(schema: Schema) -> str:
    """What a field may hold, such as `text, 1 to 64 characters`. Raises KeyError for what no field of ours uses."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rsplit("/", 1)[-1]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(type_in_words(choice) for choice in schema["anyOf"])
    return _WORDS[schema["type"]](schema)


def presence_in_words(name: str, message: Schema) -> str:
    """`always`, or the default that an absent field means."""
    if name in message["required"]:
        return "always"
    default = json.dumps(message["properties"][name]["default"])
    return f"`{default}`"


def _integer(schema: Schema) -> str:
    return f"integer, {_number(schema['minimum'])} to {_number(schema['maximum'])}"


def _number(value: int) -> str:
    sizes = {LARGEST_NUMBER: "2^53 - 1", -LARGEST_NUMBER: "-(2^53 - 1)"}
    return sizes.get(value, f"{value:,}")


def _text(schema: Schema) -> str:
    if "pattern" in schema:
        return "text: " + ", ".join(f"`{choice}`" for choice in _choices(schema["pattern"]))
    least, most = schema.get("minLength", 0), schema["maxLength"]
    return f"text, {least} to {most:,} characters"


def _choices(pattern: str) -> list[str]:
    """The choices of a pattern like ^(1-0|0-1)$."""
    return pattern.removeprefix("^(").removesuffix(")$").replace("\\", "").split("|")


def _array(schema: Schema) -> str:
    if "prefixItems" in schema:
        return f"pair of: {type_in_words(schema['prefixItems'][0])}"
    return f"list, at most {schema['maxItems']:,} of: {type_in_words(schema['items'])}"


def _object(schema: Schema) -> str:
    values = type_in_words(schema["additionalProperties"])
    return f"object, at most {schema['maxProperties']} names, each with {values}"


_WORDS: dict[str, Callable[[Schema], str]] = {
    "integer": _integer,
    "string": _text,
    "array": _array,
    "object": _object,
    "number": lambda schema: f"number, {schema['minimum']:g} to {schema['maximum']:g}",
    "boolean": lambda _: "true or false",
    "null": lambda _: "null",
}
