"""The two encodings and how a websocket handshake chooses one of them.

negotiate(["tabiya.v1.json"]) is Encoding.JSON
negotiate([]) is Encoding.JSON            # the simplest client names no subprotocol
negotiate(["chat"]) is None               # nothing in common: refuse the handshake
"""

from collections.abc import Sequence
from enum import StrEnum

PROTOCOL_VERSION = 1


class Encoding(StrEnum):
    """How messages are written: JSON in text frames or MessagePack in binary frames."""

    JSON = "json"
    MSGPACK = "msgpack"

    @property
    def subprotocol(self) -> str:
        """The name of this encoding in the websocket handshake."""
        return f"tabiya.v{PROTOCOL_VERSION}.{self.value}"


SUBPROTOCOLS = (Encoding.MSGPACK.subprotocol, Encoding.JSON.subprotocol)
"""The encodings that our client offers, in the order of preference."""

_BY_SUBPROTOCOL = {encoding.subprotocol: encoding for encoding in Encoding}


def negotiate(offered: Sequence[str]) -> Encoding | None:
    """The encoding for a connection, None when nothing offered is known.

    offered: the subprotocols of the handshake in the client's order; the first one known wins. A client that
    offers none speaks JSON.
    """
    if not offered:  # a few lines in any language, or a person with a websocket console
        return Encoding.JSON
    return next((_BY_SUBPROTOCOL[name] for name in offered if name in _BY_SUBPROTOCOL), None)
