"""The messages between gateways, the server and its hosts.

The *server* knows the bots and pairs them; *hosts* play matches, and the server does too while there is no host. To a
gateway the server is one host more. A *link* is one gateway's talk with one host, from its first batch to the first
that is lost; batches of items are numbered on it. Times of the gateway are on its own clock, so the two clocks need not
agree.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec
from msgspec import Struct

from tabiya.protocol.messages import MatchEnded, Move, Refused, ServerMessage, Turn, Watching, Welcome
from tabiya.storage.records import ResultRecord

# --- items of a gateway


class ConnectionOpened(Struct, frozen=True, array_like=True, tag="opened"):
    """A bot's connection that is new on this link. encoding: as in `Encoding`.

    age_ns: how long it has been open.
    """

    connection: int
    address: str
    is_loopback: bool
    encoding: str
    age_ns: int


class ConnectionIdentified(Struct, frozen=True, array_like=True, tag="introduced"):
    """Which bot the server has welcomed on a connection, for the other hosts.

    legal_moves: whether its turns list them.
    """

    connection: int
    bot_id: int
    name: str
    legal_moves: bool


class MessageReceived(Struct, frozen=True, array_like=True, tag="said"):
    """A message of the bot as its frame held it. read_ns: when its bytes were read.

    passed_on: before, perhaps to this same host: a move for which no match waits is that one, and no fault of the bot.
    """

    connection: int
    data: bytes
    is_text: bool
    read_ns: int
    round_trip_ns: int
    passed_on: bool = False


class TurnWritten(Struct, frozen=True, array_like=True, tag="written"):
    """The turn of this match and ply is with the network, since `at_ns`."""

    connection: int
    match: int
    ply: int
    at_ns: int


class ConnectionLost(Struct, frozen=True, array_like=True, tag="gone"):
    """The connection is gone."""

    connection: int


class GatewayPaused(Struct, frozen=True, array_like=True, tag="stood"):
    """The gateway's process was paused for this time."""

    nanoseconds: int


class ReadsDrained(Struct, frozen=True, array_like=True, tag="read"):
    """Answers `DrainReads`: what had reached the gateway by then has been passed on."""

    question: int


class SendBacklog(Struct, frozen=True, array_like=True, tag="behind"):
    """Bytes that the bot has not taken."""

    connection: int
    backlog: int


GatewayItem = (
    ConnectionOpened
    | ConnectionIdentified
    | MessageReceived
    | TurnWritten
    | ConnectionLost
    | GatewayPaused
    | ReadsDrained
    | SendBacklog
)


class GatewayBatch(Struct, frozen=True, array_like=True):
    """Items from a gateway; empty as a sign of life. received: number of the host's last batch on this link.

    at_ns: when it is sent.
    """

    gateway: str
    link: int
    number: int
    received: int
    at_ns: int
    items: tuple[GatewayItem, ...]


# --- items of a host


class Send(Struct, frozen=True, array_like=True, tag="send"):
    """Send this frame. turn: match and ply, if it is a turn, to be answered by `TurnWritten`.

    asks_for_answer: the bot may say one thing more for it.  ended: the match whose end it tells, 0 for none.
    illegal_moves: of a turn, as in its message.  refused: the match whose move it refuses, 0 for none.
    """

    connection: int
    frame: bytes
    asks_for_answer: bool
    turn: tuple[int, int] | None
    ended: int = 0
    illegal_moves: int = 0
    refused: int = 0


def sending(connection: int, message: ServerMessage, frame: bytes = b"", *, asks_for_answer: bool = False) -> Send:
    """The item that asks to send this message as that frame."""
    turn, ended, illegal_moves, refused = None, 0, 0, 0
    if isinstance(message, Turn):
        turn, illegal_moves = (message.match, message.ply), message.illegal_moves
    elif isinstance(message, MatchEnded):
        ended = message.match
    elif isinstance(message, Refused) and message.about == Move.__struct_config__.tag:
        refused = message.match or 0
    return Send(connection, frame, asks_for_answer, turn, ended, illegal_moves, refused)


class SendWelcome(Struct, frozen=True, array_like=True, tag="welcomed"):
    """Send this welcome without the matches whose end was already sent. The bot has this name from now on."""

    connection: int
    bot_id: int
    welcome: Welcome


class Redirect(Struct, frozen=True, array_like=True, tag="elsewhere"):
    """This message is about a match that another host plays: pass it on to that one, and later ones too."""

    message: MessageReceived
    match: int
    host: int


class Close(Struct, frozen=True, array_like=True, tag="close"):
    """Close the connection."""

    connection: int
    code: int
    reason: str


class DrainReads(Struct, frozen=True, array_like=True, tag="ask"):
    """Answer when all that has reached the gateway by now has been passed on."""

    question: int


HostItem = Send | SendWelcome | Redirect | Close | DrainReads


class HostBatch(Struct, frozen=True, array_like=True):
    """Items from a host to one gateway; empty as a sign of life.

    A batch of number 0 says that messages of the gateway were lost; the link is not read any more.
    """

    host: int
    link: int
    number: int
    items: tuple[HostItem, ...]


class HostPresence(Struct, frozen=True, array_like=True):
    """Sent to all: a host is running. The server's number is higher than that of every server before.

    is_server: whether it is the server, and not one of the hosts beside it.  hosts: those beside the server that it
    has not ended; gateways hear no others.  gateway: the name of the one in the process of the host, empty for none.
    rules: of a host beside the server, the version of the rules of each game that it plays.
    """

    host: int
    is_server: bool
    hosts: tuple[int, ...] = ()
    gateway: str = ""
    rules: dict[str, int] = {}


# --- the server and the hosts beside it


class HostNews(Struct, frozen=True, array_like=True):
    """News from a host to the server of this number; empty as a sign of life.

    number: one more than of the news before, 1 for the first to this server.  ended: results that are saved.
    states: of matches that have changed, the last of those that have ended among them.  moves_saved: since it began.
    leaves: it plays no more.
    """

    host: int
    server: int
    number: int
    ended: tuple[ResultRecord, ...]
    states: tuple[MatchState, ...]
    moves_saved: int
    leaves: bool


class MatchState(Struct, frozen=True, array_like=True):
    """A match at this moment. thinking: whether the clock of the seat to move runs. frozen: by a server error."""

    state: Watching
    thinking: bool
    frozen: bool


class PlayMatch(Struct, frozen=True, array_like=True, tag="look"):
    """The database says that you play this match."""

    match: int


class DecideMatch(Struct, frozen=True, array_like=True, tag="decide"):
    """An operator ends this match."""

    match: int
    winner: int | None
    reason: str


class AbortMatch(Struct, frozen=True, array_like=True, tag="abort"):
    """This match ends without a result."""

    match: int
    reason: str


class Order(Struct, frozen=True, array_like=True):
    """An order of the server to a host."""

    server: int
    what: PlayMatch | DecideMatch | AbortMatch


Batch = TypeVar("Batch", GatewayBatch, HostBatch, HostPresence, HostNews, Order)
pack = msgspec.msgpack.Encoder().encode
_DECODERS = {kind: msgspec.msgpack.Decoder(kind) for kind in (GatewayBatch, HostBatch, HostPresence, HostNews, Order)}


def unpack(data: bytes, kind: type[Batch]) -> Batch | None:
    """The batch in these bytes; None for anything else."""
    try:
        return _DECODERS[kind].decode(data)  # type: ignore[return-value]
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
