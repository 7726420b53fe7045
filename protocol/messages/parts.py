"""The parts that messages are made of; they have no `type` of their own on the wire."""

from typing import Annotated

from msgspec import Struct

from tabiya.protocol.messages.fields import (
    BotName,
    Count,
    GameName,
    MatchId,
    Milliseconds,
    MoveList,
    OptionNumber,
    PositionText,
    Remark,
    Seat,
    Variation,
    doc,
)

__all__ = [
    "FROM_BOOK",
    "NOT_ITS_OWN",
    "Clocks",
    "ConnectionLimits",
    "History",
    "MoveAccount",
    "MoveInfo",
    "RunningMatch",
]

FROM_BOOK = "from its book"
"""The `text` of a move that was played for a bot out of its own opening book (`?book=`)."""
NOT_ITS_OWN = "not the bot's own move: "
"""How the `text` of a move begins that was played in place of a bot that had none (`--on-failure legal-move`)."""


class Part(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What all parts share: immutable, built by name, fields at their default left out on the wire."""


class MoveInfo(Part, frozen=True, kw_only=True):
    """What a bot tells about its own thinking; shown in the replay, never believed. A bad field is left out."""

    depth: Annotated[Count | None, doc("Depth of the search in plies.")] = None
    score: Annotated[
        OptionNumber | None,
        doc(
            "Value of the position for the bot that moves, in hundredths of its unit (a pawn, a disc); more is better."
        ),
    ] = None
    nodes: Annotated[Count | None, doc("Positions visited.")] = None
    pv: Annotated[
        Variation, doc("Principal variation: the line the bot expects, starting with the move it sends.")
    ] = ()
    time_ms: Annotated[Milliseconds | None, doc("Time the bot believes it has used for this move.")] = None
    text: Annotated[Remark, doc("Anything else in words.")] = ""


class MoveAccount(Part, frozen=True, kw_only=True, gc=False):
    """Where the time of one move went, as the server measured it. Charged to the clock: think_ms - credit_ms."""

    server_ms: Annotated[
        Milliseconds, doc("Time the server itself took (saving, waiting for its loop); never charged to anybody.")
    ]
    network_ms: Annotated[
        Milliseconds, doc("Shortest of the last round trips the server measured to this bot; 0 on the same machine.")
    ]
    think_ms: Annotated[
        Milliseconds, doc("From handing the turn to the network until the bytes of the move were read.")
    ]
    credit_ms: Annotated[Milliseconds, doc("Lag credit given back; at most network_ms, and bounded by a quota.")]


class Clocks(Part, frozen=True, kw_only=True, gc=False):
    """Time left to both players."""

    you: Annotated[Milliseconds, doc("Time left to the bot that receives this, when the message was sent.")]
    opponent: Annotated[Milliseconds, doc("Time left to the opponent.")]


class History(Part, frozen=True, kw_only=True, gc=False):
    """Enough of the past to see repetitions: a position, and the moves from it to the present one."""

    position: Annotated[PositionText, doc("Position after the last irreversible move (or the start of the match).")]
    moves: Annotated[
        MoveList, doc("Moves since, in order; played from `position` they give the present position.")
    ] = ()


class RunningMatch(Part, frozen=True, kw_only=True):
    """A match that is still running and in which the bot has a seat."""

    match: Annotated[MatchId, doc("Number of the match.")]
    game: Annotated[GameName, doc("Name of the game.")]
    seat: Annotated[Seat, doc("Seat of the bot: 0 is the first player of the rules, 1 the second.")]
    opponent: Annotated[BotName, doc("Name of the opponent.")]


class ConnectionLimits(Part, frozen=True, kw_only=True):
    """The limits that hold on this connection; the defaults are under [Limits](#limits)."""

    frame_bytes: Annotated[Count, doc("Largest frame the server accepts, in bytes.")]
    messages_per_second: Annotated[
        Count, doc("Messages a second it accepts in the long run, answers to turns not counted.")
    ]
    message_burst: Annotated[Count, doc("Messages it accepts at once after a quiet time.")]
    matches: Annotated[Count, doc("Matches a bot may play at once.")]
    watches: Annotated[Count, doc("Matches one connection may watch at once.")]
    seeks: Annotated[Count, doc("Open seeks and challenges a bot may have at once.")]
