"""Request models of the API: queries and orders, every field bounded."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from tabiya.protocol.messages.fields import doc
from tabiya.storage.records import MatchStatus, Role

MOST_PROGRAM_BYTES = 1_000_000
LARGEST_ID = 2**53 - 1  # as far as JavaScript counts exactly
Id = Annotated[int, Meta(ge=1, le=LARGEST_ID)]
Seat = Annotated[int, Meta(ge=0, le=1)]
Since = Annotated[float, Meta(ge=0, le=1e12)]
Name = Annotated[str, Meta(max_length=200)]
Text = Annotated[str, Meta(max_length=1_000)]
Moment = Annotated[str, Meta(max_length=40)]
TimeText = Annotated[str, Meta(max_length=40)]
Reason = Annotated[str, Meta(max_length=500)]


class RequestModel(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of everything a client sends: an unknown field is an error."""


class MatchQuery(RequestModel, frozen=True, kw_only=True):
    """Which matches to list."""

    game: Annotated[Name | None, doc("Only this game.")] = None
    bot: Annotated[Name | None, doc("Only of this bot, in either seat.")] = None
    tournament: Annotated[Id | None, doc("Only of this tournament.")] = None
    status: Annotated[MatchStatus | None, doc("Only `running`, `frozen` or `ended` ones.")] = None
    before: Annotated[Id | None, doc("Only older ones than this number.")] = None
    limit: Annotated[int, Meta(ge=1, le=200), doc("At most so many.")] = 50


class BotQuery(RequestModel, frozen=True, kw_only=True):
    """Which bots to list."""

    after: Annotated[int, Meta(ge=0, le=LARGEST_ID), doc("Only those after this number, as `next` has it.")] = 0
    limit: Annotated[int, Meta(ge=1, le=1_000), doc("At most so many.")] = 1_000


class TournamentQuery(RequestModel, frozen=True, kw_only=True):
    """Which tournaments to list."""

    before: Annotated[Id | None, doc("Only older ones than this number.")] = None
    limit: Annotated[int, Meta(ge=1, le=200), doc("At most so many.")] = 200


class BoardQuery(RequestModel, frozen=True, kw_only=True):
    """How a position is drawn to play on."""

    seat: Annotated[Seat, doc("From whose side it is seen.")] = 0


class GameBoardQuery(BoardQuery, frozen=True, kw_only=True):
    """Which board of a game; what is asked of it is done in the order of these fields."""

    position: Annotated[Text | None, doc("A position, or a board that is none yet; the start if it is not given.")] = (
        None
    )
    options: Annotated[Text, doc("Of the start, such as `columns=9 rows=9`; not looked at with a `position`.")] = ""
    moves: Annotated[
        Annotated[str, Meta(max_length=6_000)],
        doc("Played from there, with blanks between, in the game's notation or as people write them, numbered or not."),
    ] = ""
    empty: Annotated[bool, doc("Take everything off the board.")] = False
    place: Annotated[Name | None, doc("Put `piece` on this place.")] = None
    piece: Annotated[
        Name | None, doc("A symbol of `pieces` in the answer; `empty`, or none given, takes away what stands there.")
    ] = None
    switch: Annotated[Name | None, doc("Turn one of the `switches` in the answer.")] = None
    mover: Annotated[Seat | None, doc("The seat that shall be to move.")] = None
    setup: Annotated[
        bool, doc("Draw the board with the places that take pieces, not those by which moves are made.")
    ] = False


class BoardsQuery(BoardQuery, frozen=True, kw_only=True):
    """Which boards of a match."""

    line: Annotated[
        Annotated[int, Meta(ge=0, le=999_999)] | None,
        doc("Not the match, but how the bot that made this move (1: the first) expects it to go on."),
    ] = None


class LiveQuery(BoardQuery, frozen=True, kw_only=True):
    """From where on a match is followed."""

    after: Annotated[
        Annotated[int, Meta(ge=0, le=999_999)] | None,
        doc("What is new after so many moves, as events `moves`; without it every event is a whole `state`."),
    ] = None


class PictureQuery(BoardQuery, frozen=True, kw_only=True):
    """How a picture is drawn."""

    v: Annotated[Name, doc("As the pages say it, the picture may be kept for ever.")] = ""


class ExportQuery(RequestModel, frozen=True, kw_only=True):
    """Which games to export, and how they are written."""

    format: Annotated[
        Literal["jsonl", "pgn", "sgf"],
        doc(
            "`pgn`: transcripts (PGN for chess); `sgf`: the games that SGF knows, others are left out; "
            "`jsonl`: everything, a JSON line a game."
        ),
    ] = "jsonl"
    game: Annotated[Name | None, doc("Only this game.")] = None
    bot: Annotated[Name | None, doc("Only of this bot, in either seat.")] = None
    tournament: Annotated[Id | None, doc("Only of this tournament.")] = None
    since: Annotated[Since | None, doc("Only those begun then or later, in seconds since 1970.")] = None


class StandingsQuery(RequestModel, frozen=True, kw_only=True):
    """How the standings are wanted."""

    pooled: Annotated[bool, doc("Rate all versions of a bot as one.")] = False
    time: Annotated[TimeText, doc("Only games with this time control, such as `60+0.5`; empty for all.")] = ""
    anchors: Annotated[
        Annotated[str, Meta(max_length=4_000)],
        doc("Bots with a fixed rating, `NAME=RATING,NAME=RATING`; empty for those of the server."),
    ] = ""
    since: Annotated[
        Moment,
        doc("Only games that ended then or later: `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM`, in the server's time zone."),
    ] = ""
    until: Annotated[Moment, doc("Only games that ended before, or on this day.")] = ""
    among: Annotated[
        Annotated[str, Meta(max_length=4_000)], doc("Only games between these bots, with commas between their names.")
    ] = ""
    options: Annotated[Text, doc("Only games with these options of the rules, such as `columns=9 rows=9`.")] = ""


class SuperiorityQuery(StandingsQuery, frozen=True, kw_only=True):
    """Which part of the matrix is wanted."""

    limit: Annotated[int, Meta(ge=1, le=200), doc("At most so many bots, from the top.")] = 30


class ExpectedQuery(StandingsQuery, frozen=True, kw_only=True):
    """Against whom."""

    bot: Annotated[Name, doc("Name of a bot in the standings.")]
    version: Annotated[Name, doc("Its version; empty where all versions are rated as one.")] = ""


class HeadToHeadQuery(RequestModel, frozen=True, kw_only=True):
    """Which two bots."""

    first: Annotated[Name, doc("Name of a bot.")]
    second: Annotated[Name, doc("Name of another.")]


class RegisterOrder(RequestModel, frozen=True, kw_only=True):
    """A new bot."""

    name: Annotated[Name, doc("Its name.")]
    invite: Annotated[Name, doc("The invite code; not asked for where registration is open.")] = ""


class SignInOrder(RequestModel, frozen=True, kw_only=True):
    """Who wants to go on without showing a token each time."""

    token: Annotated[Name, doc("A bot's token, or the operator's.")]


class ProgramOrder(RequestModel, frozen=True, kw_only=True):
    """A program to be run for a bot."""

    game: Annotated[Name, doc("The game that it plays.")]
    file_name: Annotated[Name, doc("As it was called: `bot.py`, or a zip of a folder.")]
    content: Annotated[Annotated[bytes, Meta(max_length=MOST_PROGRAM_BYTES)], doc("The file, in base64.")]


class GamesOrder(RequestModel, frozen=True, kw_only=True):
    """Games that a bot's program shall play, when both are free."""

    opponent: Annotated[Name, doc("Name of the bot that it shall meet.")]
    games: Annotated[Annotated[int, Meta(ge=1, le=20)], doc("So many, with seats changed after each.")] = 2


class SeasonOrder(RequestModel, frozen=True, kw_only=True):
    """Begin a season of a game."""

    game: Annotated[Name, doc("The game.")]
    name: Annotated[
        Annotated[str, Meta(max_length=80)], doc("What it is called; `Season 3` and so on if not given.")
    ] = ""
    size: Annotated[int, Meta(ge=2, le=100), doc("Bots of a division.")] = 10
    moving: Annotated[int, Meta(ge=0, le=50), doc("So many go up and down between two divisions.")] = 2


class DeadlineOrder(RequestModel, frozen=True, kw_only=True):
    """Until when versions of programs are taken."""

    at: Annotated[
        Annotated[float, Meta(ge=0, le=1e12)] | None, doc("In seconds since 1970, may be past; null: at any time.")
    ]


class RoleOrder(RequestModel, frozen=True, kw_only=True):
    """What an account may do beside playing."""

    role: Annotated[Role, doc("`operator`: its token gives every order; `bot`: it only plays.")]


class AbortOrder(RequestModel, frozen=True, kw_only=True):
    """End a match without a result."""

    reason: Annotated[Reason, doc("A sentence for everybody.")] = ""


class AdjudicateOrder(RequestModel, frozen=True, kw_only=True):
    """Decide a match."""

    winner: Annotated[Seat | None, doc("The seat that wins; null for a draw.")]
    reason: Annotated[Reason, doc("A sentence for everybody.")] = ""


class ReplayOrder(RequestModel, frozen=True, kw_only=True):
    """Play a match again from its opening; a running one is aborted first."""

    reason: Annotated[Reason, doc("A sentence for everybody.")] = ""


class EmptyOrder(RequestModel, frozen=True, kw_only=True):
    """Nothing to say: `{}`."""


class EnterOrder(RequestModel, frozen=True, kw_only=True):
    """Enter bots in a tournament."""

    bots: Annotated[tuple[Name, ...], Meta(min_length=1), doc("Their names.")]


class WithdrawOrder(RequestModel, frozen=True, kw_only=True):
    """Take a bot out of a tournament."""

    bot: Annotated[Name, doc("Its name.")]


class ByeOrder(RequestModel, frozen=True, kw_only=True):
    """Let a bot sit out the next round."""

    bot: Annotated[Name, doc("Its name.")]
