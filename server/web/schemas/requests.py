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
    bot: Annotated[Name | None, doc("Only games of this bot, in either seat.")] = None
    tournament: Annotated[Id | None, doc("Only this tournament.")] = None
    status: Annotated[MatchStatus | None, doc("Only matches that are `running`, `frozen` or `ended`.")] = None
    before: Annotated[Id | None, doc("Only those before this number.")] = None
    limit: Annotated[int, Meta(ge=1, le=200), doc("Maximum number.")] = 50


class BotQuery(RequestModel, frozen=True, kw_only=True):
    """Which bots to list."""

    after: Annotated[int, Meta(ge=0, le=LARGEST_ID), doc("Only those after this number, from `next`.")] = 0
    limit: Annotated[int, Meta(ge=1, le=1_000), doc("Maximum number.")] = 1_000


class TournamentQuery(RequestModel, frozen=True, kw_only=True):
    """Which tournaments to list."""

    before: Annotated[Id | None, doc("Only those before this number.")] = None
    limit: Annotated[int, Meta(ge=1, le=200), doc("Maximum number.")] = 200


class BoardQuery(RequestModel, frozen=True, kw_only=True):
    """How to draw a position for playing."""

    seat: Annotated[Seat, doc("The side that is at the bottom.")] = 0


class GameBoardQuery(BoardQuery, frozen=True, kw_only=True):
    """A board of a game; changes are made in the order of these fields."""

    position: Annotated[Text | None, doc("A position or an unfinished board; default: the start position.")] = None
    options: Annotated[Text, doc("Options of the start, such as `columns=9 rows=9`; ignored with `position`.")] = ""
    moves: Annotated[
        Annotated[str, Meta(max_length=6_000)],
        doc(
            "Moves from there, separated by spaces, in the game's notation or as written for people, with or "
            "without numbers."
        ),
    ] = ""
    empty: Annotated[bool, doc("Clear the board.")] = False
    place: Annotated[Name | None, doc("Place for `piece`.")] = None
    piece: Annotated[Name | None, doc("A symbol of `pieces` in the answer; `empty` or none clears the place.")] = None
    switch: Annotated[Name | None, doc("Change one of the `switches` in the answer.")] = None
    mover: Annotated[Seat | None, doc("The seat to move.")] = None
    setup: Annotated[bool, doc("Draw the places for setting up pieces instead of those for moves.")] = False


class BoardsQuery(BoardQuery, frozen=True, kw_only=True):
    """Which boards of a match."""

    line: Annotated[
        Annotated[int, Meta(ge=0, le=999_999)] | None,
        doc("Instead of the match: the line that the bot expected with this move (1: the first)."),
    ] = None


class LiveQuery(BoardQuery, frozen=True, kw_only=True):
    """From where to follow a match."""

    after: Annotated[
        Annotated[int, Meta(ge=0, le=999_999)] | None,
        doc("Only moves after this number, as events `moves`; without it every event is a whole `state`."),
    ] = None


class PictureQuery(BoardQuery, frozen=True, kw_only=True):
    """How a picture is drawn."""

    v: Annotated[Name, doc("Version from the pages; with it the picture may be cached forever.")] = ""


class ExportQuery(RequestModel, frozen=True, kw_only=True):
    """Which games to export, and how they are written."""

    format: Annotated[
        Literal["jsonl", "pgn", "sgf"],
        doc(
            "`pgn`: transcripts (PGN for chess); `sgf`: only games that SGF defines; `jsonl`: everything, "
            "one JSON line per game."
        ),
    ] = "jsonl"
    game: Annotated[Name | None, doc("Only this game.")] = None
    bot: Annotated[Name | None, doc("Only games of this bot, in either seat.")] = None
    tournament: Annotated[Id | None, doc("Only this tournament.")] = None
    since: Annotated[Since | None, doc("Only games that began at this time or later, in seconds since 1970.")] = None


class StandingsQuery(RequestModel, frozen=True, kw_only=True):
    """Which standings."""

    pooled: Annotated[bool, doc("Rate all versions of a bot together.")] = False
    time: Annotated[TimeText, doc("Only games with this time control, such as `60+0.5`; empty: all.")] = ""
    anchors: Annotated[
        Annotated[str, Meta(max_length=4_000)],
        doc("Bots with a fixed rating, `NAME=RATING,NAME=RATING`; empty: the server's."),
    ] = ""
    since: Annotated[
        Moment,
        doc(
            "Only games that ended at this time or later: `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM`, in the "
            "server's time zone."
        ),
    ] = ""
    until: Annotated[Moment, doc("Only games that ended before this time or on this day.")] = ""
    among: Annotated[
        Annotated[str, Meta(max_length=4_000)], doc("Only games between these bots, separated by commas.")
    ] = ""
    options: Annotated[Text, doc("Only games with these rules options, such as `columns=9 rows=9`.")] = ""


class SuperiorityQuery(StandingsQuery, frozen=True, kw_only=True):
    """Which part of the matrix."""

    limit: Annotated[int, Meta(ge=1, le=200), doc("Maximum number of bots, from the top.")] = 30


class ExpectedQuery(StandingsQuery, frozen=True, kw_only=True):
    """The opponent."""

    bot: Annotated[Name, doc("Name of a bot in the standings.")]
    version: Annotated[Name, doc("Its version; empty if all versions are rated together.")] = ""


class HeadToHeadQuery(RequestModel, frozen=True, kw_only=True):
    """Which two bots."""

    first: Annotated[Name, doc("Name of a bot.")]
    second: Annotated[Name, doc("Name of another bot.")]


class RegisterOrder(RequestModel, frozen=True, kw_only=True):
    """A new bot."""

    name: Annotated[Name, doc("Its name.")]
    invite: Annotated[Name, doc("The invite code; not needed if registration is open.")] = ""


class SignInOrder(RequestModel, frozen=True, kw_only=True):
    """A sign-in."""

    token: Annotated[Name, doc("A bot's token, or the operator's.")]


class ProgramOrder(RequestModel, frozen=True, kw_only=True):
    """A program for a bot."""

    game: Annotated[Name, doc("The game that it plays.")]
    file_name: Annotated[Name, doc("Its file name: `bot.py`, or a zip of a folder.")]
    content: Annotated[Annotated[bytes, Meta(max_length=MOST_PROGRAM_BYTES)], doc("The file, in base64.")]


class GamesOrder(RequestModel, frozen=True, kw_only=True):
    """Requested games of a bot's program, played when both bots are free."""

    opponent: Annotated[Name, doc("Name of the opponent.")]
    games: Annotated[Annotated[int, Meta(ge=1, le=20)], doc("Number of games, with seats swapped after each.")] = 2


class SeasonOrder(RequestModel, frozen=True, kw_only=True):
    """Begin a season of a game."""

    game: Annotated[Name, doc("The game.")]
    name: Annotated[Annotated[str, Meta(max_length=80)], doc("Its name; default: `Season 3` and so on.")] = ""
    size: Annotated[int, Meta(ge=2, le=100), doc("Bots per division.")] = 10
    moving: Annotated[int, Meta(ge=0, le=50), doc("How many bots move up and down between two divisions.")] = 2


class DeadlineOrder(RequestModel, frozen=True, kw_only=True):
    """The deadline for new versions of programs."""

    at: Annotated[Annotated[float, Meta(ge=0, le=1e12)] | None, doc("In seconds since 1970, may be past; null: none.")]


class RoleOrder(RequestModel, frozen=True, kw_only=True):
    """The role of an account."""

    role: Annotated[Role, doc("`operator`: its token may do everything; `bot`: it may only play.")]


class AbortOrder(RequestModel, frozen=True, kw_only=True):
    """End a match without a result."""

    reason: Annotated[Reason, doc("Reason; everybody can read it.")] = ""


class AdjudicateOrder(RequestModel, frozen=True, kw_only=True):
    """Set the result of a match."""

    winner: Annotated[Seat | None, doc("The seat that wins; null for a draw.")]
    reason: Annotated[Reason, doc("Reason; everybody can read it.")] = ""


class ReplayOrder(RequestModel, frozen=True, kw_only=True):
    """Replay a match from its opening; a running match is aborted first."""

    reason: Annotated[Reason, doc("Reason; everybody can read it.")] = ""


class EmptyOrder(RequestModel, frozen=True, kw_only=True):
    """No fields: `{}`."""


class EnterOrder(RequestModel, frozen=True, kw_only=True):
    """Enter bots in a tournament."""

    bots: Annotated[tuple[Name, ...], Meta(min_length=1), doc("Their names.")]


class WithdrawOrder(RequestModel, frozen=True, kw_only=True):
    """Withdraw a bot from a tournament."""

    bot: Annotated[Name, doc("Its name.")]


class ByeOrder(RequestModel, frozen=True, kw_only=True):
    """Give a bot a bye in the next round."""

    bot: Annotated[Name, doc("Its name.")]
