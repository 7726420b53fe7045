"""The messages of a bot to the server."""

from typing import Annotated

from msgspec import Struct, field

from tabiya.protocol.messages.fields import (
    BotName,
    ChallengeId,
    Count,
    GameName,
    GameNames,
    MatchId,
    MoveText,
    Options,
    Ply,
    PositionText,
    Remark,
    Seat,
    TimeText,
    TokenText,
    Version,
    Word,
    doc,
)
from tabiya.protocol.messages.parts import MoveInfo


def snake_case(name: str) -> str:
    """The tag of a message class: `DrawOffer` is `draw_offer` on the wire."""
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name).lstrip("_")


class WireMessage(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag=snake_case):
    """What all messages share: immutable, built by name, tagged by `type`, defaults left out on the wire."""


class Hello(WireMessage, frozen=True, kw_only=True):
    """The first message of a connection. The answer is `welcome`."""

    name: Annotated[
        BotName,
        doc(
            "Name of the bot, 1 to 40 characters, the first a letter or digit: an account's name with its "
            "token, or a free name."
        ),
    ]
    token: Annotated[TokenText, doc("The secret shown at registration; may be empty if the server is open.")] = ""
    version: Annotated[Word, doc("The bot's version. Each version has its own rating.")] = ""
    games: Annotated[
        GameNames, doc("Games that the bot can play; empty: those that it seeks or is challenged to.")
    ] = ()
    seek: Annotated[
        GameNames, doc("Games to seek now and after each match, with the server's default time control.")
    ] = ()
    max_matches: Annotated[Count, doc("How many matches the bot plays at the same time; 0: only watch.")] = 1
    legal_moves: Annotated[bool, doc("Whether turns list the legal moves; false makes them shorter.")] = True
    client: Annotated[Word, doc("Name and version of the client library, for the server's log.")] = ""
    resume: Annotated[
        TokenText | None,
        doc(
            "Without a token: the secret of an earlier `welcome`, which returns the bot's name and matches; "
            "empty: ask for a secret."
        ),
    ] = None
    # 1 forever, whatever PROTOCOL_VERSION becomes: bots of version 1 leave the field out
    protocol: Annotated[Version, doc("Protocol version of the bot.")] = 1


# gc=False here and in some other messages: frozen and made of plain values, they are part of no reference cycle, so the
# garbage collector need not look at what comes thousands of times a second.
class Move(WireMessage, frozen=True, kw_only=True, gc=False):
    """The answer to a `turn`."""

    match: Annotated[MatchId, doc("The match, as in the turn.")]
    ply: Annotated[Ply, doc("The ply of the turn that this answers; it identifies a repeated or late move.")]
    move: Annotated[MoveText, doc("The move in the notation of the game, spelled as in legal_moves.")]
    info: Annotated[MoveInfo | None, doc("Details of the search, for the replay. Invalid parts are dropped.")] = None


class Seek(WireMessage, frozen=True, kw_only=True):
    """Asks for matches in one game until `unseek`. A second seek for the same game replaces the first."""

    game: Annotated[GameName, doc("Name of the game.")]
    time: Annotated[TimeText, doc("Time control, such as 60+0.5; empty: the server's default.")] = ""
    options: Annotated[Options, doc("Options of the game, such as a board size; left out: the defaults.")] = field(
        default_factory=dict
    )
    opponent: Annotated[BotName | None, doc("Only this opponent.")] = None
    rated: Annotated[bool, doc("Whether the match counts for ratings.")] = True


class Unseek(WireMessage, frozen=True, kw_only=True):
    """Withdraws the seek for a game; a running match continues."""

    game: Annotated[GameName, doc("Name of the game.")]


class Challenge(WireMessage, frozen=True, kw_only=True):
    """Asks one bot, or anybody who has a code, for one match. Both get `challenged`; it may expire."""

    opponent: Annotated[BotName | None, doc("Name of the challenged bot; null: anybody who has the `code`.")] = None
    game: Annotated[GameName, doc("Name of the game.")]
    time: Annotated[TimeText, doc("Time control; empty: the server's default.")] = ""
    options: Annotated[Options, doc("Options of the game; left out: the defaults.")] = field(default_factory=dict)
    rated: Annotated[bool, doc("Whether the match counts for ratings.")] = True
    opening: Annotated[
        bool, doc("Whether the match begins from a random opening; false: from the game's start position.")
    ] = True
    position: Annotated[
        PositionText | None,
        doc(
            "Position to begin from, in the notation of the game, without `options` and without an opening. "
            "The match is not rated."
        ),
    ] = None
    seat: Annotated[
        Seat | None,
        doc("The challenger's seat; null: seats alternate. With a chosen seat the match is not rated."),
    ] = None
    code: Annotated[
        Word,
        doc("Without `opponent`: a secret chosen by the challenger, at least 16 characters, to share in a link."),
    ] = ""


class Accept(WireMessage, frozen=True, kw_only=True):
    """Accepts a challenge; the match starts."""

    challenge: Annotated[ChallengeId, doc("Number of the challenge.")]
    code: Annotated[Word, doc("The code, if the challenge has one.")] = ""


class Decline(WireMessage, frozen=True, kw_only=True):
    """Declines a challenge, or withdraws the bot's own."""

    challenge: Annotated[ChallengeId, doc("Number of the challenge.")]
    reason: Annotated[Remark, doc("The reason in words, for the other bot.")] = ""


class Resign(WireMessage, frozen=True, kw_only=True):
    """Resigns a match. Counts at any time, with either side to move."""

    match: Annotated[MatchId, doc("The match.")]
    failure: Annotated[
        Remark,
        doc(
            "The error, if the bot's program has failed. Everybody sees that it failed; only the bot's owner "
            "and the operator see the text."
        ),
    ] = ""


class DrawOffer(WireMessage, frozen=True, kw_only=True):
    """Offers a draw, or accepts the opponent's offer. Sent with the next move; ends with the opponent's next."""

    match: Annotated[MatchId, doc("The match.")]
    ply: Annotated[Ply, doc("The next ply, as in `turn` or `draw_offered`; an offer for a past ply is refused.")]


class TakeBack(WireMessage, frozen=True, kw_only=True):
    """Asks to take back the bot's last move, or agrees to the opponent's request. Only in unrated matches."""

    match: Annotated[MatchId, doc("The match.")]
    ply: Annotated[Ply, doc("The next ply; a request for a past ply is refused.")]
    agree: Annotated[bool, doc("Whether this agrees to the opponent's request.")] = False


class Watch(WireMessage, frozen=True, kw_only=True):
    """Asks to watch a match. The answer is `watching`, and another after each change."""

    match: Annotated[MatchId, doc("The match.")]


class Unwatch(WireMessage, frozen=True, kw_only=True):
    """Ends watching a match."""

    match: Annotated[MatchId, doc("The match.")]


ClientMessage = (
    Hello | Move | Seek | Unseek | Challenge | Accept | Decline | Resign | DrawOffer | TakeBack | Watch | Unwatch
)

# The same again as values: type checkers want the union written out; codec and documents go through the classes.
CLIENT_MESSAGES: tuple[type[WireMessage], ...] = (
    Hello,
    Move,
    Seek,
    Unseek,
    Challenge,
    Accept,
    Decline,
    Resign,
    DrawOffer,
    TakeBack,
    Watch,
    Unwatch,
)
