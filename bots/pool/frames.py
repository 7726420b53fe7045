"""The messages between supervisor and worker, through the worker's standard input and output.

A frame is four bytes of length, the first the most significant, and a MessagePack map.
"""

from typing import Any

import msgpack
import msgspec
from msgspec import Struct

from tabiya.bots.client.failure import ProgramFailure
from tabiya.bots.players.api import MatchInfo, MoveReply, MoveRequest

HEADER_BYTES = 4
LARGEST_FRAME = 16 * 1024 * 1024
READY_S = 300.0  # for one game: compiling chess takes up to a minute on a slow machine that is busy
DEFAULT_FACTORY = "tabiya.bots.players.build:build_player"


class Start(Struct, frozen=True, kw_only=True, tag="start"):
    """The first frame.  factory: `module:function`, called as `function(player, threads=threads)`.

    games: those to be warmed up: after `ready` nothing of theirs is compiled any more.  ready_s: for each of them.
    path: folders to be searched for modules before all others.
    """

    player: str
    threads: int = 1
    games: tuple[str, ...] = ()
    factory: str = DEFAULT_FACTORY
    path: tuple[str, ...] = ()
    ready_s: float = READY_S


class Ask(Struct, frozen=True, kw_only=True, tag="ask"):
    """Think.  number: comes back with the answer."""

    number: int
    match: MatchInfo
    request: MoveRequest


class Stop(Struct, frozen=True, kw_only=True, tag="stop"):
    """Answer this question at once."""

    number: int


class Forget(Struct, frozen=True, kw_only=True, tag="forget"):
    """A match has ended."""

    match: int


class Where(Struct, frozen=True, kw_only=True, tag="where"):
    """The time of the phase or move is over: report which line the player's code is at.

    The answer is a failure with the number 0, or the phase again where a compiler is at work.
    """

    phase: str
    limit_s: float


class Phase(Struct, frozen=True, kw_only=True, tag="phase"):
    """The next phase of getting ready.  limit_s: how long it may take."""

    name: str
    limit_s: float


class Ready(Struct, frozen=True, kw_only=True, tag="ready"):
    """The player is built and warm.  warnings: sentences on what seems to be a mistake in its class."""

    warnings: tuple[str, ...] = ()


class Answered(Struct, frozen=True, kw_only=True, tag="answered"):
    """The answer."""

    number: int
    reply: MoveReply


class Failed(Struct, frozen=True, kw_only=True, tag="failed"):
    """The player raised.  number: of the question, 0 while starting, and of where it is."""

    number: int
    failure: ProgramFailure


ToWorker = Start | Ask | Stop | Forget | Where
FromWorker = Phase | Ready | Answered | Failed


def pack(frame: ToWorker | FromWorker) -> bytes:
    """The bytes of a frame, header included.  Raises TypeError, ValueError or OverflowError for what no frame holds."""
    body: bytes = msgpack.packb(msgspec.to_builtins(frame, enc_hook=_plain))
    return len(body).to_bytes(HEADER_BYTES, "big") + body


def _plain(value: Any) -> Any:
    """NumPy's numbers as plain ones, which a frame needs."""
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{value!r:.80} ({type(value).__name__}) cannot be sent to another process")


def body_length(header: bytes) -> int:
    """How many bytes follow a header.  Raises ValueError for what cannot be one."""
    length = int.from_bytes(header, "big")
    if length > LARGEST_FRAME:
        raise ValueError(f"a frame of {length} bytes; at most {LARGEST_FRAME} are read")
    return length


def unpack(body: bytes, kinds: Any) -> Any:
    """The frame in `body`, one of `kinds`.  Raises ValueError for anything else."""
    return msgspec.convert(msgpack.unpackb(body), kinds)
