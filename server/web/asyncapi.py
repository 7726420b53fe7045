"""The bots' protocol as an AsyncAPI 3.0 document, written from the messages; docs/reference/protocol.md explains it."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from msgspec import Struct

from tabiya.protocol.encodings import PROTOCOL_VERSION, SUBPROTOCOLS
from tabiya.protocol.messages import CLIENT_MESSAGES, SERVER_MESSAGES
from tabiya.server.web.schemas.schemas import components, reference, summary

Json = dict[str, Any]

ABOUT = f"""\
How bots play on a Tabiya server: over one websocket, one message a frame, in JSON (text frames) or MessagePack (binary
frames, the same objects), as the subprotocol says that the handshake agrees to: {" or ".join(sorted(SUBPROTOCOLS))};
without one it is JSON. A whole bot sends `hello`, receives `turn` and sends `move`. A client ignores messages and
fields that it does not know."""
SERVER = {
    "host": "{host}:{port}",
    "protocol": "ws",
    "description": (
        "`websocket` of `/api/v1/server` has the address. A token is a field of `hello`; a server on one's own machine "
        "admits names without one."
    ),
    "variables": {
        "host": {"default": "127.0.0.1", "description": "Where the server runs."},
        "port": {"default": "8765", "description": "Its port for bots."},
    },
}


@cache
def text() -> str:
    """The document as it is sent, and as docs/reference/asyncapi.json."""
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"


def document() -> Json:
    """The document as plain JSON values."""
    messages = {kind.__name__: _message(kind) for kind in (*CLIENT_MESSAGES, *SERVER_MESSAGES)}
    on_channel = {name: {"$ref": f"#/components/messages/{name}"} for name in messages}
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "Tabiya, the bots' protocol", "version": str(PROTOCOL_VERSION), "description": ABOUT},
        "defaultContentType": "application/json",
        "servers": {"bots": SERVER},
        "channels": {"bots": {"address": "/", "description": "Any path will do.", "messages": on_channel}},
        "operations": {
            "fromBots": _operation("receive", "What a bot may send.", CLIENT_MESSAGES),
            "toBots": _operation("send", "What the server may send.", SERVER_MESSAGES),
        },
        "components": {"messages": messages, "schemas": _schemas()},
    }


def _message(kind: type[Struct]) -> Json:
    return {
        "name": kind.__struct_config__.tag,
        "title": kind.__name__,
        "summary": summary(kind),
        "payload": reference(kind),
    }


def _operation(action: str, about: str, kinds: tuple[type[Struct], ...]) -> Json:
    """An operation of the document, seen from the server."""
    messages = [{"$ref": f"#/channels/bots/messages/{kind.__name__}"} for kind in kinds]
    return {"action": action, "summary": about, "channel": {"$ref": "#/channels/bots"}, "messages": messages}


def _schemas() -> Json:
    found = components((*CLIENT_MESSAGES, *SERVER_MESSAGES))
    return {name: _as_draft_7(schema) for name, schema in found.items()}


def _as_draft_7(schema: Any) -> Any:
    """The schema in the words of JSON Schema draft 7, on which AsyncAPI stands: it has no `prefixItems`."""
    if isinstance(schema, list):
        return [_as_draft_7(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {key: _as_draft_7(part) for key, part in schema.items()}
    if "prefixItems" in parts:
        parts["additionalItems"] = parts.pop("items", True)
        parts["items"] = parts.pop("prefixItems")
    return parts
