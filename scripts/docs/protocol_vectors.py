"""Reads the test vectors: one or more examples of each message, as exact bytes in both encodings."""

from __future__ import annotations

from pathlib import Path

import msgspec

ROOT = Path(__file__).parents[2]
VECTORS_PATH = "docs/reference/protocol.vectors.json"


class Vector(msgspec.Struct, frozen=True, rename={"sender": "from"}):
    """One message as both encodings write it; msgpack in hexadecimal. sender: client or server."""

    name: str
    sender: str
    json: str
    msgpack: str


class Readable(msgspec.Struct, frozen=True):
    """A frame of a bot that means the same as `json`, though we would write it otherwise."""

    name: str
    encoding: str
    frame: str
    json: str


class Refusal(msgspec.Struct, frozen=True):
    """A frame of a bot and the answer: a refusal code, or `garbage` when the connection closes."""

    name: str
    encoding: str
    frame: str
    answer: str


class Vectors(msgspec.Struct, frozen=True):
    """The whole file."""

    about: str
    messages: tuple[Vector, ...]
    readable: tuple[Readable, ...]
    refused: tuple[Refusal, ...]


def read_vectors(root: Path = ROOT) -> Vectors:
    """The test vectors under the repository's root. Raises OSError, or ValueError naming the fault."""
    return msgspec.json.decode((root / VECTORS_PATH).read_bytes(), type=Vectors)
