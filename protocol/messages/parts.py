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
    """Details of the bot's search; shown in the replay, not checked. Invalid fields are dropped."""

    depth: Annotated[Count | None, doc("Search depth in plies.")] = None
    score: Annotated[
        OptionNumber | None,
        doc("Value of the position for the moving bot, in hundredths of the game's unit (pawn, disc)."),
    ] = None
    nodes: Annotated[Count | None, doc("Positions visited.")] = None
    pv: Annotated[Variation, doc("Principal variation, starting with this move.")] = ()
    time_ms: Annotated[Milliseconds | None, doc("Time for this move, measured by the bot.")] = None
    text: Annotated[Remark, doc("Other text.")] = ""


class MoveAccount(Part, frozen=True, kw_only=True, gc=False):
    """The server's time account of one move. Charged to the clock: think_ms - credit_ms."""

    server_ms: Annotated[Milliseconds, doc("The server's own time (saving, waiting); never charged.")]
    network_ms: Annotated[Milliseconds, doc("Shortest of the last round trips to this bot; 0 on the same machine.")]
    think_ms: Annotated[Milliseconds, doc("Time from sending the turn to reading the move.")]
    credit_ms: Annotated[Milliseconds, doc("Lag credit; at most network_ms, and limited by a quota.")]


class Clocks(Part, frozen=True, kw_only=True, gc=False):
    """Time left for both players."""

    you: Annotated[Milliseconds, doc("Time left for the receiver when the message was sent.")]
    opponent: Annotated[Milliseconds, doc("Time left for the opponent.")]


class History(Part, frozen=True, kw_only=True, gc=False):
    """The past needed to see repetitions: a position, and the moves from it to the present position."""

    position: Annotated[PositionText, doc("Position after the last irreversible move (or the start of the match).")]
    moves: Annotated[MoveList, doc("Moves since then; from `position` they lead to the present position.")] = ()


class RunningMatch(Part, frozen=True, kw_only=True):
    """A running match of the bot."""

    match: Annotated[MatchId, doc("Number of the match.")]
    game: Annotated[GameName, doc("Name of the game.")]
    seat: Annotated[Seat, doc("Seat of the bot: 0 is the first player of the rules, 1 the second.")]
    opponent: Annotated[BotName, doc("Name of the opponent.")]


class ConnectionLimits(Part, frozen=True, kw_only=True):
    """The limits of this connection; the defaults are under [Limits](#limits)."""

    frame_bytes: Annotated[Count, doc("Largest frame the server accepts, in bytes.")]
    messages_per_second: Annotated[Count, doc("Messages per second in the long run, without answers to turns.")]
    message_burst: Annotated[Count, doc("Messages at once after a quiet time.")]
    matches: Annotated[Count, doc("Matches that a bot may play at once.")]
    watches: Annotated[Count, doc("Matches that a connection may watch at once.")]
    seeks: Annotated[Count, doc("Open seeks and challenges of a bot at once.")]
