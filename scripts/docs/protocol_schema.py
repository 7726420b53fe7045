"""The JSON Schema of all messages."""

import json
from typing import Any

import msgspec

from tabiya.protocol.messages import CLIENT_MESSAGES, SERVER_MESSAGES
from tabiya.protocol.messages.client import WireMessage


def definitions() -> dict[str, Any]:
    """The schema of every message and part, plain JSON values; sorted by class name, fields as declared."""
    _, found = msgspec.json.schema_components((*CLIENT_MESSAGES, *SERVER_MESSAGES), ref_template="#/$defs/{name}")
    plain: dict[str, Any] = json.loads(msgspec.json.encode(found))
    return {name: plain[name] for name in sorted(plain)}


def schema_text() -> str:
    """docs/reference/protocol.schema.json: `$defs/ClientMessage` is what a bot may send, `$defs/ServerMessage` not."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Tabiya protocol, version 1",
        "description": "Generated from the message classes; docs/reference/protocol.md explains it.",
        "anyOf": [{"$ref": "#/$defs/ClientMessage"}, {"$ref": "#/$defs/ServerMessage"}],
        "$defs": {
            "ClientMessage": _one_of("What a bot may send.", CLIENT_MESSAGES),
            "ServerMessage": _one_of("What the server may send.", SERVER_MESSAGES),
            **definitions(),
        },
    }
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def _one_of(description: str, messages: tuple[type[WireMessage], ...]) -> dict[str, Any]:
    return {"description": description, "anyOf": [{"$ref": f"#/$defs/{kind.__name__}"} for kind in messages]}
