"""Response models of the API; docs/reference/api.md is generated from them.

Units: `_ms` milliseconds (a number with at most three decimals), `_s` seconds, `_at` seconds since 1970 (UTC). A seat
is 0 or 1, a colour and not a bot; pairs are by seat.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Struct, UnsetType

from tabiya.protocol.messages.fields import doc
from tabiya.server.archive.reviews import JudgedMove
from tabiya.server.core.adjudication import Adjudication
from tabiya.server.standings import StandingsRow

Millis = float
Times = tuple[float, float]


class ResponseModel(Struct, frozen=True, kw_only=True):
    """Base of every response."""


class ListPage(ResponseModel, frozen=True, kw_only=True):
    """Base of a part of a list."""

    next: Annotated[str | None, doc("Address of the next part; null at the end.")]


class Problem(ResponseModel, frozen=True, kw_only=True):
    """An error, as problem details (RFC 9457)."""

    type: Annotated[str, doc("`about:blank`: see `status`.")]
    title: Annotated[str, doc("The name of the status.")]
    status: Annotated[int, doc("The status of the answer.")]
    detail: Annotated[str, doc("The error as a sentence.")]
    error: Annotated[str, doc("The same, for older clients.")]
    field: Annotated[str | UnsetType, doc("The wrong field of the query or body, such as `limit`; may be missing.")] = (
        UNSET
    )


# --- the server


class Counts(ResponseModel, frozen=True, kw_only=True):
    """The present load of the server."""

    connections: Annotated[int, doc("Open websockets, with those of gateways.")]
    gateways: Annotated[int, doc("Gateways that hold bots' connections for this server.")]
    hosts: Annotated[int, doc("Other hosts that play matches for this server.")]
    bots: Annotated[int, doc("Connected bots.")]
    matches_running: Annotated[int, doc("Running matches.")]
    moves_saved: Annotated[int, doc("Moves and results saved since the start.")]
    matches_frozen: Annotated[int, doc("Matches frozen by a server error since the start.")]
    matches_waiting: Annotated[int, doc("Matches that wait because nothing can be saved.")]
    store_waiting: Annotated[int, doc("Rows that wait to be saved.")]


class ServerInfo(ResponseModel, frozen=True, kw_only=True):
    """The server, and the address for bots."""

    name: Annotated[str, doc("Name and version, as in `welcome`.")]
    version: Annotated[str, doc("Version of Tabiya.")]
    protocol: Annotated[int, doc("Version of the bots' protocol.")]
    websocket: Annotated[str, doc("Address for bots, as seen by the client.")]
    games: Annotated[tuple[str, ...], doc("Names of the games.")]
    open_registration: Annotated[bool, doc("Whether bots may play without a token.")]
    time_control: Annotated[str, doc("Default time control.")]
    uptime_s: Annotated[float, doc("Seconds since the start.")]
    counts: Annotated[Counts, doc("Present load.")]


class OptionInfo(ResponseModel, frozen=True, kw_only=True):
    """One start option of a game."""

    name: Annotated[str, doc("Its name.")]
    default: Annotated[str | int | bool, doc("Default value; also shows the type.")]
    help: Annotated[str, doc("What it does.")]
    low: Annotated[int | None, doc("Smallest number allowed.")] = None
    high: Annotated[int | None, doc("Largest number allowed.")] = None


class GameInfo(ResponseModel, frozen=True, kw_only=True):
    """A game on this server."""

    name: Annotated[str, doc("Name in messages.")]
    title: Annotated[str, doc("Display name.")]
    seats: Annotated[tuple[str, str], doc("Names of the seats, seat 0 first.")]
    draws_possible: Annotated[bool, doc("Whether a game can be drawn.")]
    notation: Annotated[str, doc("How a move is written.")]
    letters: Annotated[dict[str, str], doc("Meaning of the letter after the places of a move, in words.")]
    start: Annotated[str, doc("The usual start position.")]
    options: Annotated[tuple[OptionInfo, ...], doc("Start options.")]
    rules_version: Annotated[int, doc("Increases when the same moves can end differently.")]


class Games(ResponseModel, frozen=True, kw_only=True):
    """All games."""

    games: Annotated[tuple[GameInfo, ...], doc("In the order of the registry.")]


# --- bots


class BotLine(ResponseModel, frozen=True, kw_only=True):
    """One bot."""

    name: Annotated[str, doc("Its name.")]
    guest: Annotated[bool, doc("Whether it plays without a token.")]
    connected: Annotated[bool, doc("Whether it is connected.")]
    plays: Annotated[tuple[str, ...], doc("If connected: the games that it plays; empty: any.")]
    hosted: Annotated[tuple[str, ...], doc("Games for which the server has its program.")]
    created_at: Annotated[float, doc("When it was first seen.")]


class Bots(ListPage, frozen=True, kw_only=True):
    """Bots that the server knows."""

    bots: Annotated[tuple[BotLine, ...], doc("In the order of their arrival; at most `limit`.")]


class ThinkingTimes(ResponseModel, frozen=True, kw_only=True):
    """Thinking times of a bot's version in one game, in all matches, rated or not."""

    version: Annotated[str, doc("The version.")]
    moves: Annotated[int, doc("Its moves, without opening moves.")]
    mean_ms: Annotated[Millis, doc("Mean time per move.")]
    max_ms: Annotated[Millis, doc("Longest time.")]


class BotGame(ResponseModel, frozen=True, kw_only=True):
    """One bot in one game, with a row per version."""

    game: Annotated[str, doc("Name of the game.")]
    title: Annotated[str, doc("Display name.")]
    rows: Annotated[tuple[StandingsRow, ...], doc("Its versions in the standings, best first.")]
    thinking: Annotated[tuple[ThinkingTimes, ...], doc("Thinking times of its versions.")] = ()


class BotDetail(BotLine, frozen=True, kw_only=True):
    """One bot with its record."""

    games: Annotated[tuple[BotGame, ...], doc("Games in which it has rated results or moves.")]


# --- matches


class MatchSeat(ResponseModel, frozen=True, kw_only=True):
    """One seat of a match and its bot."""

    bot: Annotated[str, doc("Name of the bot.")]
    version: Annotated[str, doc("Its version when the match began.")]
    seat: Annotated[str, doc("The game's word for the seat.")]


class LostTurnInfo(ResponseModel, frozen=True, kw_only=True):
    """A turn that ran out of time: `sent_at`, `limit_ms`, `credit_ms` and `standstill_ms` add up to `deadline_at`."""

    ply: Annotated[int, doc("Number of the late move, from 0.")]
    seat: Annotated[int, doc("Its seat.")]
    sent_at: Annotated[float, doc("When the turn was sent.")]
    deadline_at: Annotated[float, doc("The last time at which a move counted.")]
    arrived_at: Annotated[float | None, doc("When the late move arrived; null if none had arrived.")]
    limit_ms: Annotated[Millis, doc("Time on the clock; the stall limit in a match without clocks.")]
    credit_ms: Annotated[Millis, doc("Largest possible lag credit of this turn.")]
    network_ms: Annotated[Millis, doc("Shortest round trip.")]
    server_ms: Annotated[Millis, doc("The server's share, before and within the turn.")]
    standstill_ms: Annotated[Millis, doc("Its part within the turn: a standstill of the server.")]
    forgiven_ms: Annotated[Millis, doc("Earlier thinking time on this turn, forgiven after a restart of the server.")]


class ResultInfo(ResponseModel, frozen=True, kw_only=True):
    """The end of a match."""

    result: Annotated[str, doc("`1-0`, `0-1` or `1/2-1/2`, seat 0 first; `*` means no result.")]
    winner: Annotated[int | None, doc("The winning seat.")]
    winner_bot: Annotated[str | None, doc("The winning bot.")]
    ending: Annotated[str, doc("How it ended, from the protocol's list of endings.")]
    sentence: Annotated[str, doc("The same as a sentence with the bots' names.")]
    reason: Annotated[str, doc("The server's measurement or the operator's text; may be empty.")]
    overrun_ms: Annotated[int | None, doc("The delay beyond the limit.")]
    clock_ms: Annotated[Times | None, doc("Time left for both; null in a match without clocks.")]
    ended_at: Annotated[float, doc("When.")]
    lost_turn: Annotated[LostTurnInfo | None, doc("The turn in which a player ran out of time, if any.")]


class MatchLine(ResponseModel, frozen=True, kw_only=True):
    """One match in a list."""

    id: Annotated[int, doc("Number of the match.")]
    game: Annotated[str, doc("Name of the game.")]
    title: Annotated[str, doc("Display name.")]
    seats: Annotated[tuple[MatchSeat, MatchSeat], doc("The players by seat.")]
    time_control: Annotated[
        str, doc("Such as `60+0.5`, `40/60`, `2/move` or `none`; if they differ, by seat: `60+0.5,30+0.5`.")
    ]
    rated: Annotated[bool, doc("Whether it counts for standings.")]
    tournament: Annotated[int | None, doc("Number of its tournament.")]
    status: Annotated[str, doc("`running`, `frozen` (stopped by a server error) or `ended`.")]
    plies: Annotated[int, doc("Saved moves, with those of the opening.")]
    created_at: Annotated[float, doc("When it was created.")]
    result: Annotated[ResultInfo | None, doc("How it ended; null before the end.")]
    frozen_reason: Annotated[str | None, doc("Why the server stopped it.")]
    fault: Annotated[str | None, doc("Why the stored match cannot be read or replayed, if so.")]


class Matches(ListPage, frozen=True, kw_only=True):
    """Matches, newest first."""

    matches: Annotated[tuple[MatchLine, ...], doc("At most `limit`.")]
    before: Annotated[int | None, doc("Value of `before` for the next older matches; null at the end.")]


class MoveLine(ResponseModel, frozen=True, kw_only=True):
    """One move with its time account. Charged: `think_ms` minus `credit_ms`; see docs/reference/clock.md."""

    ply: Annotated[int, doc("Number of the move, from 0.")]
    seat: Annotated[int, doc("The seat that moved.")]
    move: Annotated[str, doc("The move in the game's notation.")]
    readable: Annotated[str, doc("The move as written for people.")]
    opening: Annotated[bool, doc("Whether it is an opening move.")]
    clock_ms: Annotated[Times | None, doc("Both clocks after the move; null in a match without clocks.")]
    think_ms: Annotated[Millis, doc("Time from sending the turn to the arrival of the move, without standstills.")]
    credit_ms: Annotated[Millis, doc("Lag credit given back.")]
    network_ms: Annotated[Millis, doc("Shortest round trip.")]
    server_ms: Annotated[Millis, doc("The server's share: saving and delays before the turn, standstills.")]
    standstill_ms: Annotated[Millis, doc("Its part within the turn: a standstill of the server.")]
    claimed_ms: Annotated[Millis | None, doc("Time stated by the bot; never used.")]
    forgiven_ms: Annotated[Millis, doc("Thinking time forgiven after a restart of the server.")]
    illegal_moves: Annotated[int, doc("Illegal moves of this seat so far in the match.")]
    draw_offer: Annotated[int | None, doc("The seat with an open draw offer after the move.")]
    info: Annotated[dict[str, Any] | None, doc("The bot's details about its search.")]
    expected: Annotated[tuple[str, ...], doc("Expected moves as written for people, as far as they are legal.")]
    sent_at: Annotated[float | None, doc("When its turn was sent; null for opening moves.")]
    at: Annotated[float, doc("When it arrived.")]


class MatchTournament(ResponseModel, frozen=True, kw_only=True):
    """The place of a match in a tournament."""

    id: Annotated[int, doc("Number of the tournament.")]
    name: Annotated[str, doc("Its name.")]
    meeting: Annotated[int | None, doc("Number of the meeting, from 0.")]
    leg: Annotated[int | None, doc("Which game of it, from 0.")]


class MatchDetail(MatchLine, frozen=True, kw_only=True):
    """A whole match. A running match shows only saved moves."""

    place: Annotated[MatchTournament | None, doc("Its place in its tournament.")]
    options: Annotated[dict[str, Any], doc("Options of the game.")]
    illegal_limit: Annotated[int, doc("Illegal move with this number loses.")]
    stall_limit_ms: Annotated[int, doc("Longest time for one move in a match without clocks.")]
    adjudication: Annotated[Adjudication | None, doc("Rules by which the server ends the match; null: none.")]
    start: Annotated[str, doc("Position before the first move.")]
    position: Annotated[str | None, doc("Position after the last move; null if the moves cannot be replayed.")]
    board: Annotated[tuple[str, ...], doc("The same drawn with letters, in lines; empty if impossible.")]
    to_move: Annotated[int | None, doc("Seat to move; null when the match has ended.")]
    clock_ms: Annotated[Times | None, doc("Both clocks at the start of this turn; null without clocks.")]
    thinking_ms: Annotated[Millis, doc("Time that the seat to move has used so far.")]
    illegal_moves: Annotated[tuple[int, int], doc("Illegal moves of both until the last saved move.")]
    moves: Annotated[tuple[MoveLine, ...], doc("All moves in order.")]


class Review(ResponseModel, frozen=True, kw_only=True):
    """A review of a match's moves by the playing engine."""

    match: Annotated[int, doc("Number of the match.")]
    judged_by: Annotated[str, doc("How it was made: version, rules, nodes per position, moves so far.")]
    judged: Annotated[tuple[JudgedMove, ...], doc("All moves in order.")]


class ReviewProgress(ResponseModel, frozen=True, kw_only=True):
    """Progress of a review."""

    judged: Annotated[int, doc("Reviewed moves.")]
    moves: Annotated[int, doc("All moves.")]
    review: Annotated[Review | None, doc("The finished review.")] = None
    costliest: Annotated[tuple[JudgedMove, ...], doc("The worst moves of each player, without opening moves.")] = ()
    problem: Annotated[str, doc("Why a review is impossible, as a sentence.")] = ""


class PlaceInfo(ResponseModel, frozen=True, kw_only=True):
    """A clickable place of a picture, in units of its view box."""

    name: Annotated[
        str, doc("Name in the game's notation. A move is one or two such names, sometimes with a letter after them.")
    ]
    x: Annotated[float, doc("Its left edge.")]
    y: Annotated[float, doc("Its upper edge.")]
    width: Annotated[float, doc("Width.")]
    height: Annotated[float, doc("Height.")]
    content: Annotated[str, doc("Its content in words.")]


class BoardPicture(ResponseModel, frozen=True, kw_only=True):
    """A position to play on."""

    svg: Annotated[str, doc("An SVG document.")]
    places: Annotated[tuple[PlaceInfo, ...], doc("Places for entering moves; empty: moves must be typed.")]


class BoardChange(ResponseModel, frozen=True, kw_only=True):
    """A board as changes of the previous board."""

    title: Annotated[str, doc("The position in words.")]
    position: Annotated[str, doc("The position in the game's notation.")]
    edits: Annotated[
        tuple[tuple[int, ...], ...],
        doc("Changes in this order, each: first element, how many to remove, the numbers of the elements to insert."),
    ]
    tally: Annotated[tuple[str, str], doc("The count of each seat, such as `34 discs`.")]
    expected: Annotated[
        tuple[tuple[float, ...], ...],
        doc("The moving bot's expected line: for each move the centre of its place or places, as x and y."),
    ]


class Boards(ResponseModel, frozen=True, kw_only=True):
    """Many boards in one document. A picture is `head`, its elements in order and the closing tag."""

    head: Annotated[str, doc("The opening tag of an SVG document.")]
    parts: Annotated[tuple[str, ...], doc("All elements, numbered from 0 as they first appear.")]
    boards: Annotated[tuple[BoardChange, ...], doc("One per ply; the first changes an empty board.")]


class LiveState(ResponseModel, frozen=True, kw_only=True):
    """The present state of a match, one event of the stream. Some states may be skipped, but never the last."""

    match: Annotated[int, doc("Number of the match.")]
    status: Annotated[str, doc("`running`, `frozen` or `ended`; nothing follows the last two.")]
    ply: Annotated[int, doc("Moves so far.")]
    to_move: Annotated[int | None, doc("Seat to move.")]
    moves: Annotated[tuple[str, ...], doc("All moves, in the game's notation.")]
    readable: Annotated[tuple[str, ...], doc("The same as written for people.")]
    position: Annotated[str, doc("The present position.")]
    clock_ms: Annotated[Times | None, doc("Both clocks at the start of this turn.")]
    thinking_ms: Annotated[Millis, doc("Time that the seat to move has used so far.")]
    result: Annotated[ResultInfo | None, doc("How it ended.")]


# --- answers to orders, and health


class Registered(ResponseModel, frozen=True, kw_only=True):
    """A bot's account."""

    name: Annotated[str, doc("The registered name.")]
    token: Annotated[str, doc("Its secret, shown only once.")]


class Account(ResponseModel, frozen=True, kw_only=True):
    """A bot's account, for its owner and operators."""

    name: Annotated[str, doc("Name of the bot.")]
    role: Annotated[str, doc("`bot`, or `operator`: its token may do everything.")]
    shut_out: Annotated[bool, doc("Whether its token was revoked and not replaced.")]
    connected: Annotated[bool, doc("Whether it is connected.")]


class SignedIn(ResponseModel, frozen=True, kw_only=True):
    """The account signed in by a cookie."""

    name: Annotated[str, doc("Name of the bot, or `operator` for the server's operator; empty: nobody.")] = ""
    role: Annotated[str, doc("`bot` or `operator`; empty: nobody.")] = ""


class Failure(ResponseModel, frozen=True, kw_only=True):
    """The error of a bot's program, only for its owner and operators."""

    match: Annotated[int, doc("Number of the match.")]
    seat: Annotated[int, doc("Seat of the bot.")]
    bot: Annotated[str, doc("Its name.")]
    text: Annotated[str, doc("The program's message: one line of at most 500 characters.")]


class Replayed(ResponseModel, frozen=True, kw_only=True):
    """The answer to a replay request."""

    match: Annotated[int | None, doc("The new match; null if the tournament replays the game later.")]
    aborted: Annotated[bool, doc("Whether the old match was ended for this.")]


class Health(ResponseModel, frozen=True, kw_only=True):
    """Whether the server runs, or is ready."""

    status: Annotated[
        str,
        doc(
            "`ok`; from `/readyz` also `starting`, `waiting` on a standby, `closing`, `no database`, `cannot save` or, "
            "only for separate pages, `server unreachable`."
        ),
    ]
