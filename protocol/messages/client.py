"""What a bot says to the server."""

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
    """The first message of a connection: who the bot is and what it wants. Answered by `welcome`."""

    name: Annotated[
        BotName,
        doc(
            "Name of the bot, 1 to 40 characters, first a letter or digit: an account's with its token, or a free one."
        ),
    ]
    token: Annotated[TokenText, doc("The secret shown at registration; empty where the server is open.")] = ""
    version: Annotated[Word, doc("The bot's own version. Each version of a bot is rated separately.")] = ""
    games: Annotated[GameNames, doc("Games the bot can play; empty: those it seeks or is challenged to.")] = ()
    seek: Annotated[
        GameNames, doc("Games to be seated in at once, and again after each match, at the server's usual time control.")
    ] = ()
    max_matches: Annotated[Count, doc("How many matches the bot will play at the same time; 0 to watch only.")] = 1
    legal_moves: Annotated[bool, doc("Whether turns shall list the legal moves; false makes them shorter.")] = True
    client: Annotated[Word, doc("Name and version of the client library, for the server's log.")] = ""
    resume: Annotated[
        TokenText | None,
        doc(
            "Without a token: the secret of an earlier `welcome`, by which the bot has its name and matches back; "
            "empty: none yet, but give me one."
        ),
    ] = None
    # 1 for ever, whatever PROTOCOL_VERSION becomes: bots of version 1 leave the field out
    protocol: Annotated[Version, doc("Version of this protocol that the bot speaks.")] = 1


# gc=False here and in some other messages: frozen and made of plain values, they are part of no reference cycle, so the
# garbage collector need not look at what comes thousands of times a second.
class Move(WireMessage, frozen=True, kw_only=True, gc=False):
    """The answer to a `turn`."""

    match: Annotated[MatchId, doc("The match, as in the turn.")]
    ply: Annotated[Ply, doc("The ply of the turn that this answers; a repeated or stale move is known by it.")]
    move: Annotated[MoveText, doc("The move in the notation of the game, spelled as in legal_moves.")]
    info: Annotated[MoveInfo | None, doc("What the bot thought, for the replay. What is bad in it is left out.")] = None


class Seek(WireMessage, frozen=True, kw_only=True):
    """Asks for matches in one game until `unseek`. A second seek for the same game replaces the first."""

    game: Annotated[GameName, doc("Name of the game.")]
    time: Annotated[TimeText, doc("Time control wanted, such as 60+0.5; empty: the server's usual one.")] = ""
    options: Annotated[Options, doc("Options of the game, such as a board size; left out: the usual ones.")] = field(
        default_factory=dict
    )
    opponent: Annotated[BotName | None, doc("Only this opponent.")] = None
    rated: Annotated[bool, doc("Whether the match shall count for the ratings.")] = True


class Unseek(WireMessage, frozen=True, kw_only=True):
    """Takes the seek for a game back; a running match goes on."""

    game: Annotated[GameName, doc("Name of the game.")]


class Challenge(WireMessage, frozen=True, kw_only=True):
    """Asks one bot, or whoever has a code, for one match. Both get `challenged`; it lapses if not accepted in time."""

    opponent: Annotated[BotName | None, doc("Name of the bot that is challenged; null: whoever has the `code`.")] = None
    game: Annotated[GameName, doc("Name of the game.")]
    time: Annotated[TimeText, doc("Time control wanted; empty: the server's usual one.")] = ""
    options: Annotated[Options, doc("Options of the game; left out: the usual ones.")] = field(default_factory=dict)
    rated: Annotated[bool, doc("Whether the match shall count for the ratings.")] = True
    opening: Annotated[
        bool, doc("Whether the match begins from an opening that the server draws; false: from the game's start.")
    ] = True
    seat: Annotated[
        Seat | None,
        doc("The seat wanted; null: seats change from meeting to meeting. With a chosen seat the match is not rated."),
    ] = None
    code: Annotated[
        Word,
        doc(
            "With no `opponent`: a secret of the challenger's making, 16 characters or more, to be passed on in a link."
        ),
    ] = ""


class Accept(WireMessage, frozen=True, kw_only=True):
    """Accepts a challenge; the match starts."""

    challenge: Annotated[ChallengeId, doc("Number of the challenge.")]
    code: Annotated[Word, doc("The code, if the challenge is for whoever has it.")] = ""


class Decline(WireMessage, frozen=True, kw_only=True):
    """Declines a challenge, or takes back one's own."""

    challenge: Annotated[ChallengeId, doc("Number of the challenge.")]
    reason: Annotated[Remark, doc("Why, in words; passed on to the other bot.")] = ""


class Resign(WireMessage, frozen=True, kw_only=True):
    """Gives a match up. Counts at any ply, whoever is to move."""

    match: Annotated[MatchId, doc("The match.")]
    failure: Annotated[
        Remark,
        doc(
            "The error, if the bot's program has failed. Others are told that it has; the text is for the bot's owner "
            "and the operator."
        ),
    ] = ""


class DrawOffer(WireMessage, frozen=True, kw_only=True):
    """Offers a draw, or accepts the opponent's offer. Told with the next move, it lapses with the opponent's next."""

    match: Annotated[MatchId, doc("The match.")]
    ply: Annotated[
        Ply, doc("The ply about to be played, as in `turn` or `draw_offered`; an offer for a past ply is refused.")
    ]


class TakeBack(WireMessage, frozen=True, kw_only=True):
    """Asks to take one's last move back, or agrees to what the opponent has asked. Only in matches not rated."""

    match: Annotated[MatchId, doc("The match.")]
    ply: Annotated[Ply, doc("The ply about to be played; a request for a past ply is refused.")]
    agree: Annotated[bool, doc("Whether this agrees to the opponent's request.")] = False


class Watch(WireMessage, frozen=True, kw_only=True):
    """Asks to see a match. Answered by `watching`, and by another one whenever the match has changed."""

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
