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

    next: Annotated[str | None, doc("Address of the next part, as in the header `Link`; null at the end.")]


class Problem(ResponseModel, frozen=True, kw_only=True):
    """An error, as problem details (RFC 9457)."""

    type: Annotated[str, doc("`about:blank`: `status` says what kind of error it is.")]
    title: Annotated[str, doc("The name of the status.")]
    status: Annotated[int, doc("The status of the answer.")]
    detail: Annotated[str, doc("What is wrong, as a sentence.")]
    error: Annotated[str, doc("The same, for clients of before.")]
    field: Annotated[
        str | UnsetType, doc("The field of the query or body that is wrong, such as `limit`; not always there.")
    ] = UNSET


# --- the server


class Counts(ResponseModel, frozen=True, kw_only=True):
    """The load of the server at this moment."""

    connections: Annotated[int, doc("Open websockets, those of gateways included.")]
    gateways: Annotated[int, doc("Gateways that hold bots' connections for this server.")]
    hosts: Annotated[int, doc("Hosts beside this server that play matches.")]
    bots: Annotated[int, doc("Bots that are connected.")]
    matches_running: Annotated[int, doc("Matches under way.")]
    moves_saved: Annotated[int, doc("Moves and results saved since the start.")]
    matches_frozen: Annotated[int, doc("Matches stopped by an error of the server since the start.")]
    matches_waiting: Annotated[int, doc("Matches that stand still because nothing can be saved.")]
    store_waiting: Annotated[int, doc("Rows not yet saved.")]


class ServerInfo(ResponseModel, frozen=True, kw_only=True):
    """The server, and the address for bots."""

    name: Annotated[str, doc("Name and version, as in `welcome`.")]
    version: Annotated[str, doc("Version of Tabiya.")]
    protocol: Annotated[int, doc("Version of the bots' protocol.")]
    websocket: Annotated[str, doc("Address for bots, reachable by who asks.")]
    games: Annotated[tuple[str, ...], doc("Names of the games.")]
    open_registration: Annotated[bool, doc("Whether bots may play under a free name, without a token.")]
    time_control: Annotated[str, doc("Time control where none is asked for.")]
    uptime_s: Annotated[float, doc("Seconds since the start.")]
    counts: Annotated[Counts, doc("Its load now.")]


class OptionInfo(ResponseModel, frozen=True, kw_only=True):
    """One start option of a game."""

    name: Annotated[str, doc("Its name.")]
    default: Annotated[str | int | bool, doc("Its value when not given; also tells its type.")]
    help: Annotated[str, doc("What it does.")]
    low: Annotated[int | None, doc("Smallest number allowed.")] = None
    high: Annotated[int | None, doc("Largest number allowed.")] = None


class GameInfo(ResponseModel, frozen=True, kw_only=True):
    """One game as it is played here."""

    name: Annotated[str, doc("Name on the wire.")]
    title: Annotated[str, doc("Name for people.")]
    seats: Annotated[tuple[str, str], doc("What the seats are called; seat 0 first.")]
    draws_possible: Annotated[bool, doc("Whether a game can be drawn.")]
    notation: Annotated[str, doc("How a move is written.")]
    letters: Annotated[dict[str, str], doc("What a letter behind the places of a move means, in words.")]
    start: Annotated[str, doc("The usual start position.")]
    options: Annotated[tuple[OptionInfo, ...], doc("Start options.")]
    rules_version: Annotated[int, doc("Rises when the same moves can end differently.")]


class Games(ResponseModel, frozen=True, kw_only=True):
    """All games."""

    games: Annotated[tuple[GameInfo, ...], doc("In the order of the registry.")]


# --- bots


class BotLine(ResponseModel, frozen=True, kw_only=True):
    """One bot."""

    name: Annotated[str, doc("Its name.")]
    guest: Annotated[bool, doc("Whether it plays under a free name, without a token.")]
    connected: Annotated[bool, doc("Whether it is there now.")]
    plays: Annotated[tuple[str, ...], doc("Of one that is there: the games that it says it plays; none: any.")]
    hosted: Annotated[tuple[str, ...], doc("Games for which the server has its program started when it has a game.")]
    created_at: Annotated[float, doc("When it was first seen.")]


class Bots(ListPage, frozen=True, kw_only=True):
    """Bots the server knows."""

    bots: Annotated[tuple[BotLine, ...], doc("In the order in which they came; at most `limit`.")]


class ThinkingTimes(ResponseModel, frozen=True, kw_only=True):
    """How long a version of a bot thinks about a move in one game, in all its matches, rated or not."""

    version: Annotated[str, doc("The version.")]
    moves: Annotated[int, doc("Its own moves, without those of openings.")]
    mean_ms: Annotated[Millis, doc("Mean time for a move.")]
    max_ms: Annotated[Millis, doc("Longest time for a move.")]


class BotGame(ResponseModel, frozen=True, kw_only=True):
    """One bot in one game, a row for each of its versions."""

    game: Annotated[str, doc("Name of the game.")]
    title: Annotated[str, doc("Its name for people.")]
    rows: Annotated[tuple[StandingsRow, ...], doc("Its versions in the standings, the best first.")]
    thinking: Annotated[tuple[ThinkingTimes, ...], doc("How long its versions think.")] = ()


class BotDetail(BotLine, frozen=True, kw_only=True):
    """One bot with its record."""

    games: Annotated[tuple[BotGame, ...], doc("Games in which it has rated results or made moves.")]


# --- matches


class MatchSeat(ResponseModel, frozen=True, kw_only=True):
    """One seat of a match and its bot."""

    bot: Annotated[str, doc("Name of the bot.")]
    version: Annotated[str, doc("Its version when the match began.")]
    seat: Annotated[str, doc("The game's word for the seat.")]


class LostTurnInfo(ResponseModel, frozen=True, kw_only=True):
    """A turn in which time ran out: `sent_at`, `limit_ms`, `credit_ms` and `standstill_ms` add up to `deadline_at`."""

    ply: Annotated[int, doc("Number of the move that did not come in time, from 0.")]
    seat: Annotated[int, doc("Whose it was.")]
    sent_at: Annotated[float, doc("When the turn was handed out.")]
    deadline_at: Annotated[float, doc("The last instant at which a move was in time.")]
    arrived_at: Annotated[float | None, doc("When the move came, too late; null if none had when the match was ended.")]
    limit_ms: Annotated[Millis, doc("What the clock left; the stall limit in a match without clocks.")]
    credit_ms: Annotated[Millis, doc("Most lag credit that this turn could get.")]
    network_ms: Annotated[Millis, doc("Shortest measured round trip.")]
    server_ms: Annotated[Millis, doc("The server's own share, before the turn was handed out and within it.")]
    standstill_ms: Annotated[Millis, doc("The part of it within the turn, in which the server stood still.")]
    forgiven_ms: Annotated[Millis, doc("Earlier thinking on this turn, wiped out by a restart of the server.")]


class ResultInfo(ResponseModel, frozen=True, kw_only=True):
    """How a match ended."""

    result: Annotated[str, doc("`1-0`, `0-1` or `1/2-1/2`, seat 0 first; `*` without a result.")]
    winner: Annotated[int | None, doc("The seat that won.")]
    winner_bot: Annotated[str | None, doc("The bot that won.")]
    ending: Annotated[str, doc("How it ended, in one word of the protocol's list of endings.")]
    sentence: Annotated[str, doc("The same in a plain sentence with the names of the bots.")]
    reason: Annotated[str, doc("What the server measured or the operator wrote; may be empty.")]
    overrun_ms: Annotated[int | None, doc("By how much the clock was overstepped.")]
    clock_ms: Annotated[Times | None, doc("Time left to both; null in a match without clocks.")]
    ended_at: Annotated[float, doc("When.")]
    lost_turn: Annotated[LostTurnInfo | None, doc("The account of the turn in which time ran out, if one did.")]


class MatchLine(ResponseModel, frozen=True, kw_only=True):
    """One match in a list."""

    id: Annotated[int, doc("Number of the match.")]
    game: Annotated[str, doc("Name of the game.")]
    title: Annotated[str, doc("Its name for people.")]
    seats: Annotated[tuple[MatchSeat, MatchSeat], doc("The players by seat.")]
    time_control: Annotated[
        str, doc("Such as `60+0.5`, `40/60`, `2/move` or `none`; with odds by seat, `60+0.5,30+0.5`.")
    ]
    rated: Annotated[bool, doc("Whether it counts for the standings.")]
    tournament: Annotated[int | None, doc("Number of its tournament.")]
    status: Annotated[str, doc("`running`, `frozen` (stopped by an error of the server) or `ended`.")]
    plies: Annotated[int, doc("Moves saved, those of the opening included.")]
    created_at: Annotated[float, doc("When it was made.")]
    result: Annotated[ResultInfo | None, doc("How it ended; null before.")]
    frozen_reason: Annotated[str | None, doc("Why the server stopped it.")]
    fault: Annotated[str | None, doc("Why what is stored of it cannot be read or replayed, should that ever be.")]


class Matches(ListPage, frozen=True, kw_only=True):
    """Matches, the newest first."""

    matches: Annotated[tuple[MatchLine, ...], doc("At most `limit`.")]
    before: Annotated[int | None, doc("Ask with this `before` for the next older ones; null at the end.")]


class MoveLine(ResponseModel, frozen=True, kw_only=True):
    """One move with its account. Charged is `think_ms` less `credit_ms`; docs/reference/clock.md has the whole sum."""

    ply: Annotated[int, doc("Number of the move, from 0.")]
    seat: Annotated[int, doc("Who moved.")]
    move: Annotated[str, doc("The move in the game's notation.")]
    readable: Annotated[str, doc("The move as people write it.")]
    opening: Annotated[bool, doc("Whether it was played for both before the bots took over.")]
    clock_ms: Annotated[Times | None, doc("Both clocks after the move; null in a match without clocks.")]
    think_ms: Annotated[Millis, doc("From handing out the turn to the arrival of the move, standstills left out.")]
    credit_ms: Annotated[Millis, doc("Lag credit given back.")]
    network_ms: Annotated[Millis, doc("Shortest measured round trip.")]
    server_ms: Annotated[Millis, doc("The server's own share: save and lag of the loop before the turn, standstills.")]
    standstill_ms: Annotated[Millis, doc("The part of it within the turn, in which the server stood still.")]
    claimed_ms: Annotated[Millis | None, doc("What the bot says it took; never used.")]
    forgiven_ms: Annotated[Millis, doc("Thinking wiped out by a restart of the server.")]
    illegal_moves: Annotated[int, doc("Illegal moves of this seat so far in the match.")]
    draw_offer: Annotated[int | None, doc("The seat whose draw offer stands after the move.")]
    info: Annotated[dict[str, Any] | None, doc("What the bot told about its thinking.")]
    expected: Annotated[tuple[str, ...], doc("What it expects to follow, as people write it, as far as it is legal.")]
    sent_at: Annotated[float | None, doc("When its turn was handed out; null for the opening.")]
    at: Annotated[float, doc("When it arrived.")]


class MatchTournament(ResponseModel, frozen=True, kw_only=True):
    """Where a match stands in a tournament."""

    id: Annotated[int, doc("Number of the tournament.")]
    name: Annotated[str, doc("Its name.")]
    meeting: Annotated[int | None, doc("Number of the mini-match, from 0.")]
    leg: Annotated[int | None, doc("Which game of it, from 0.")]


class MatchDetail(MatchLine, frozen=True, kw_only=True):
    """All that is known of a match. What it says of a running match is saved already."""

    place: Annotated[MatchTournament | None, doc("Where it stands in its tournament.")]
    options: Annotated[dict[str, Any], doc("Options of the game.")]
    illegal_limit: Annotated[int, doc("The illegal move with this number loses.")]
    stall_limit_ms: Annotated[int, doc("Longest thinking on one move in a match without clocks.")]
    adjudication: Annotated[Adjudication | None, doc("When the server ends the match by itself; null: never.")]
    start: Annotated[str, doc("Position before the first move.")]
    position: Annotated[str | None, doc("Position after the last one; null if the moves cannot be replayed.")]
    board: Annotated[tuple[str, ...], doc("The same drawn with letters, in lines; empty if it cannot be.")]
    to_move: Annotated[int | None, doc("Seat to move; null when the match has ended.")]
    clock_ms: Annotated[Times | None, doc("Both clocks at the start of this turn; null without clocks.")]
    thinking_ms: Annotated[Millis, doc("How long the seat to move has been thinking.")]
    illegal_moves: Annotated[tuple[int, int], doc("Illegal moves of both, as of the last saved move.")]
    moves: Annotated[tuple[MoveLine, ...], doc("All moves in order.")]


class Review(ResponseModel, frozen=True, kw_only=True):
    """The moves of a match as the playing engine judged them."""

    match: Annotated[int, doc("Number of the match.")]
    judged_by: Annotated[str, doc("What judged them, in words: version, rules, nodes a position, moves so far.")]
    judged: Annotated[tuple[JudgedMove, ...], doc("All moves in order.")]


class ReviewProgress(ResponseModel, frozen=True, kw_only=True):
    """How far a review is that is being made."""

    judged: Annotated[int, doc("So many moves are judged.")]
    moves: Annotated[int, doc("Of so many.")]
    review: Annotated[Review | None, doc("The review, once it is made.")] = None
    costliest: Annotated[
        tuple[JudgedMove, ...], doc("The moves that cost each of the two most; an opening is nobody's choice.")
    ] = ()
    problem: Annotated[str, doc("Why there will be none, as a sentence.")] = ""


class PlaceInfo(ResponseModel, frozen=True, kw_only=True):
    """A place of a picture that a person can point at, in the units of its view box."""

    name: Annotated[str, doc("In the game's notation. A move is one or two such names, perhaps with a letter behind.")]
    x: Annotated[float, doc("Its left edge.")]
    y: Annotated[float, doc("Its upper edge.")]
    width: Annotated[float, doc("To the right.")]
    height: Annotated[float, doc("Downwards.")]
    content: Annotated[str, doc("What stands there, in words.")]


class BoardPicture(ResponseModel, frozen=True, kw_only=True):
    """A position to play on."""

    svg: Annotated[str, doc("An SVG document.")]
    places: Annotated[tuple[PlaceInfo, ...], doc("By which moves are made; none: they have to be typed.")]


class BoardChange(ResponseModel, frozen=True, kw_only=True):
    """A board as what it changes of the board before."""

    title: Annotated[str, doc("The position in words.")]
    position: Annotated[str, doc("The position in the game's notation.")]
    edits: Annotated[
        tuple[tuple[int, ...], ...],
        doc(
            "To be done in this order, each: from which element on, how many go, the numbers of those that come there."
        ),
    ]
    tally: Annotated[tuple[str, str], doc("What each seat has of that which the game counts, such as `34 discs`.")]
    expected: Annotated[
        tuple[tuple[float, ...], ...],
        doc("The line that the bot which moved expects: the middle of each move's place, or of its two, as x and y."),
    ]


class Boards(ResponseModel, frozen=True, kw_only=True):
    """Many boards in one document. A picture is `head`, its elements in order, and the closing tag."""

    head: Annotated[str, doc("The opening tag of an SVG document.")]
    parts: Annotated[tuple[str, ...], doc("All elements, numbered from 0 as they first appear.")]
    boards: Annotated[tuple[BoardChange, ...], doc("Ply by ply; the first changes an empty board.")]


class LiveState(ResponseModel, frozen=True, kw_only=True):
    """The whole present state of a match: one event of the stream. Some may be left out, the last one never."""

    match: Annotated[int, doc("Number of the match.")]
    status: Annotated[str, doc("`running`, `frozen` or `ended`; nothing follows the last two.")]
    ply: Annotated[int, doc("Moves so far.")]
    to_move: Annotated[int | None, doc("Seat to move.")]
    moves: Annotated[tuple[str, ...], doc("All moves in the game's notation.")]
    readable: Annotated[tuple[str, ...], doc("The same as people write them.")]
    position: Annotated[str, doc("The present position.")]
    clock_ms: Annotated[Times | None, doc("Both clocks at the start of this turn.")]
    thinking_ms: Annotated[Millis, doc("How long the seat to move has been thinking.")]
    result: Annotated[ResultInfo | None, doc("How it ended.")]


# --- answers to orders, and health


class Registered(ResponseModel, frozen=True, kw_only=True):
    """A bot's account."""

    name: Annotated[str, doc("The name as it was registered.")]
    token: Annotated[str, doc("Its secret, shown this once.")]


class Account(ResponseModel, frozen=True, kw_only=True):
    """A bot's account as its owner and operators see it."""

    name: Annotated[str, doc("Name of the bot.")]
    role: Annotated[str, doc("`bot`, or `operator`: then its token gives every order.")]
    shut_out: Annotated[bool, doc("Whether its token was revoked and no new one made.")]
    connected: Annotated[bool, doc("Whether it is there now.")]


class SignedIn(ResponseModel, frozen=True, kw_only=True):
    """Who has signed in on the pages, by a cookie."""

    name: Annotated[str, doc("Name of the bot, `operator` for the server's own; empty: nobody has.")] = ""
    role: Annotated[str, doc("`bot` or `operator`; empty if nobody has signed in.")] = ""


class Failure(ResponseModel, frozen=True, kw_only=True):
    """The error by which a bot's program failed, for its owner and operators; others are told only that it failed."""

    match: Annotated[int, doc("Number of the match.")]
    seat: Annotated[int, doc("Seat of the bot.")]
    bot: Annotated[str, doc("Its name.")]
    text: Annotated[str, doc("What its program said of it: one line of at most 500 characters.")]


class Replayed(ResponseModel, frozen=True, kw_only=True):
    """What became of an order to replay."""

    match: Annotated[int | None, doc("The new match; null when the tournament plays the game again in its turn.")]
    aborted: Annotated[bool, doc("Whether the old match had to be ended.")]


class Health(ResponseModel, frozen=True, kw_only=True):
    """Whether the server lives, or is ready."""

    status: Annotated[
        str,
        doc(
            "`ok`; from `/readyz` also `closing`, `no database`, `cannot save` or, of pages alone, `server not heard`."
        ),
    ]
