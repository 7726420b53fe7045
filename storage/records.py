"""Records of the store, as plain frozen values: no database, no rules, no clock.

Units: `_us` integer microseconds, `_ms` integer milliseconds, `_at` seconds since 1970 (UTC) as a float.  A pair of two
is always (seat 0, seat 1); the seat is a colour, not a bot.
"""

from __future__ import annotations

from typing import Any, Literal, NewType

from msgspec import Struct

BotId = NewType("BotId", int)
MatchId = NewType("MatchId", int)
TournamentId = NewType("TournamentId", int)

Pair = tuple[int, int]
Role = Literal["bot", "operator"]
MatchStatus = Literal["running", "frozen", "ended"]
TournamentStatus = Literal["created", "running", "paused", "ended", "cancelled"]

LONGEST_ENDING = 40


class BotRecord(Struct, frozen=True, kw_only=True):
    """A player known by name.

    token_hash: how it proves who it is; None for a guest, who has no token.  The version belongs to the seat.
    """

    id: BotId
    name: str
    token_hash: str | None = None
    role: Role = "bot"
    guest: bool = False
    created_at: float


class SessionRecord(Struct, frozen=True, kw_only=True):
    """A signed-in user of the pages.

    secret_hash: of what the browser shows.  bot_id: whose token it was; None for the server's own operator.
    """

    secret_hash: str
    bot_id: BotId | None
    created_at: float
    expires_at: float


class SeatRecord(Struct, frozen=True, kw_only=True):
    """A seat's bot, and the version that it stated when the match began.

    `bot` is the bot's name; the store writes only the id and reads the name back from the bot.
    """

    bot_id: BotId
    bot: str
    version: str = ""


class OpeningPly(Struct, frozen=True, kw_only=True):
    """A move played for both before the first thinking, in the game's notation."""

    seat: int
    text: str


class NewMatch(Struct, frozen=True, kw_only=True):
    """A match to be created.

    key: chosen by the caller, unique forever; creating the same key again returns the first match's id, so a create
    whose answer was lost can be repeated.  start_text: position text before the opening.  remaining_us, credit_left_us:
    clocks and lag credit before the first thinking.  pairing, game_index: place in the tournament (mini-match, game).
    adjudication: when the server ends the match by itself (`tabiya.server.core.adjudication`), None for never.
    host: the number of the host that plays it; 0 is the server that owns the database.
    """

    key: str
    game: str
    rules_version: int
    options: dict[str, Any] = {}
    start_text: str
    opening: tuple[OpeningPly, ...] = ()
    time_control: str
    seats: tuple[SeatRecord, SeatRecord]
    rated: bool = True
    illegal_limit: int = 3
    stall_limit_ms: int
    remaining_us: Pair
    credit_left_us: Pair = (0, 0)
    tournament_id: TournamentId | None = None
    pairing: int | None = None
    game_index: int | None = None
    created_at: float
    adjudication: dict[str, Any] | None = None
    host: int = 0


class LostTurn(Struct, frozen=True, kw_only=True):
    """The time account of a turn in which time ran out: it has no move to be kept with.

    sent_at: when the turn was handed out.  deadline_at: the last instant at which a move was in time: sent_at and
    limit_us (what the clock, or the stall limit, left), credit_us (the most lag credit) and standstill_us (the server's
    share within the turn).  arrived_at: when the move came, too late; None if none had when the match was ended.
    network_us, server_us, forgiven_us: as with a move; server_us includes standstill_us.
    """

    ply: int
    seat: int
    sent_at: float
    deadline_at: float
    arrived_at: float | None = None
    limit_us: int
    credit_us: int = 0
    network_us: int = 0
    server_us: int = 0
    standstill_us: int = 0
    forgiven_us: int = 0


class ResultRecord(Struct, frozen=True, kw_only=True):
    """How a match ended.  winner: seat, None for a draw or no result.

    ending: a word of `tabiya.games.endings.Ending`, or of the game's own.
    reason: a sentence for people.  overrun_ms: by how much a clock was overstepped, else None.
    lost_turn: the account of the turn in which time ran out, else None.
    """

    match_id: MatchId
    winner: int | None
    ending: str
    reason: str = ""
    overrun_ms: int | None = None
    remaining_us: Pair
    ended_at: float
    lost_turn: LostTurn | None = None


class FailureRecord(Struct, frozen=True, kw_only=True):
    """The error by which a player's program failed and lost.  text: one line, in the program's words.

    It may tell of its author's machine, so it is part of no other record: only who asks for it gets it.
    """

    match_id: MatchId
    seat: int
    text: str


class HostRecord(Struct, frozen=True, kw_only=True):
    """A process that plays some of the matches beside the server, and writes them by a connection of its own.

    number: never given again.  ended_at: from when on the database refuses what it writes, None while it may.
    """

    number: int
    name: str
    began_at: float
    ended_at: float | None = None


class ReviewRecord(Struct, frozen=True, kw_only=True):
    """The judged moves of a match.  judged_by: all that the judgement depends on.  judged: a text of the caller's."""

    judged_by: str
    judged: str


class MatchRecord(Struct, frozen=True, kw_only=True):
    """A match as stored: what it was created with, and how it stands.

    plies: moves stored, the opening's included.  result: not None exactly when status is "ended".
    frozen_reason: why the server stopped it (our bug), kept after an operator ended it.
    host: who plays it now.
    damage: why not all of it can be read; what cannot is then left empty.
    """

    id: MatchId
    key: str
    game: str
    rules_version: int
    options: dict[str, Any]
    start_text: str
    time_control: str
    seats: tuple[SeatRecord, SeatRecord]
    rated: bool
    illegal_limit: int
    stall_limit_ms: int
    remaining_us: Pair
    credit_left_us: Pair
    tournament_id: TournamentId | None
    pairing: int | None
    game_index: int | None
    created_at: float
    status: MatchStatus = "running"
    plies: int = 0
    result: ResultRecord | None = None
    frozen_reason: str | None = None
    adjudication: dict[str, Any] | None = None
    host: int = 0
    damage: str | None = None


# gc=False: a restart makes hundreds of thousands of these, none of which can be part of a cycle
class MoveRecord(Struct, frozen=True, kw_only=True, gc=False):
    """One ply and everything needed to go on after it: the restored match equals the live one after any saved prefix.

    ply: from 0, opening plies included.  remaining_us: both clocks after this move (increment added).
    illegal_counts: both seats' illegal moves so far.  draw_offer: seat whose offer stands after this move.
    credit_left_us: lag credit both may still use.

    The time account of this move: server_us our share (never charged), network_us measured round trip, think_us its
    thinking, credit_us lag credit given, forgiven_us thinking wiped out by a restart; charged is think_us - credit_us.
    sent_at: when its turn was handed out; at: when the move arrived.  Whole microseconds: since the move before,
    server_us + forgiven_us + think_us have passed, to the microsecond, and the part of server_us that lies within the
    turn (a standstill) is at - sent_at - think_us.
    info: what the bot said of its thinking.  An opening ply costs nobody anything.
    """

    match_id: MatchId
    ply: int
    text: str
    seat: int
    opening: bool = False
    remaining_us: Pair
    illegal_counts: Pair = (0, 0)
    draw_offer: int | None = None
    credit_left_us: Pair = (0, 0)
    server_us: int = 0
    network_us: int = 0
    think_us: int = 0
    credit_us: int = 0
    forgiven_us: int = 0
    info: dict[str, Any] | None = None
    sent_at: float | None = None
    at: float


class StoredMatch(Struct, frozen=True, kw_only=True):
    """A match with all its moves in order, ready to be restored or verified."""

    match: MatchRecord
    moves: tuple[MoveRecord, ...]


class DamagedMatch(Struct, frozen=True, kw_only=True):
    """A match whose rows cannot be read or leave out a ply; reason is a sentence for the operator."""

    match_id: MatchId
    reason: str


class StoredMatches(Struct, frozen=True, kw_only=True):
    """Matches with their moves, by id, and damaged ones: what a starting server continues."""

    matches: tuple[StoredMatch, ...]
    damaged: tuple[DamagedMatch, ...] = ()


class MatchFilter(Struct, frozen=True, kw_only=True):
    """Which matches to list; None means any.  bot: a name, in either seat.  since: created then or later.

    before_id: only older ones, to page on.  after_id: only newer ones, and the oldest of these first.
    """

    game: str | None = None
    bot: str | None = None
    tournament_id: TournamentId | None = None
    status: MatchStatus | None = None
    since: float | None = None
    before_id: MatchId | None = None
    after_id: MatchId | None = None
    limit: int = 50


class GameResult(Struct, frozen=True, kw_only=True):
    """A finished game as the ratings see it.

    number: rises with every result stored, to ask for later ones only.  rated: whether the ratings count it.  options:
    of the rules, as JSON.
    """

    number: int
    match_id: MatchId
    key: str
    game: str
    bots: tuple[str, str]
    versions: tuple[str, str]
    time_control: str
    rated: bool
    winner: int | None
    ending: str
    tournament_id: TournamentId | None
    pairing: int | None
    game_index: int | None
    ended_at: float
    options: str = "{}"


class GameFilter(Struct, frozen=True, kw_only=True):
    """Which ended games of a bot, aborted ones left out: the newest first, or the oldest.

    game: only of this one.  against: only against this bot.  after, before: only matches between these two.
    """

    bot_id: BotId
    game: str | None = None
    against: BotId | None = None
    after: MatchId | None = None
    before: MatchId | None = None
    oldest_first: bool = False
    limit: int = 50


class GameOpening(Struct, frozen=True, kw_only=True):
    """How a game began: the start position and the first moves, of the opening and of the players."""

    start_text: str
    moves: tuple[str, ...]


class ThinkTime(Struct, frozen=True, kw_only=True, gc=False):
    """How long one move took."""

    ply: int
    seat: int
    think_us: int


class MoveTimes(Struct, frozen=True, kw_only=True):
    """How long a version of a bot thought in one game: mean and longest `think_us` of its moves, openings left out."""

    game: str
    version: str
    moves: int
    mean_us: float
    max_us: int


class TournamentEntry(Struct, frozen=True, kw_only=True):
    """One participant.  number: its place in the list of entries, from 0, forever the same."""

    number: int
    bot_id: BotId
    bot: str
    version: str = ""
    withdrawn: bool = False


class NewTournament(Struct, frozen=True, kw_only=True):
    """A tournament to be created, in status "created" at step 0.

    settings: what the operator chose.  state: the pure state machine's own JSON.
    """

    name: str
    game: str
    format: str
    settings: dict[str, Any] = {}
    seed: int
    state: dict[str, Any] = {}
    entries: tuple[TournamentEntry, ...] = ()
    created_at: float


class TournamentRecord(Struct, frozen=True, kw_only=True):
    """A tournament as stored.  step: rises by one with every saved step.

    damage: why settings and state cannot be read; they are then left empty.
    """

    id: TournamentId
    name: str
    game: str
    format: str
    settings: dict[str, Any]
    seed: int
    status: TournamentStatus
    step: int
    state: dict[str, Any]
    entries: tuple[TournamentEntry, ...]
    created_at: float
    started_at: float | None = None
    ended_at: float | None = None
    damage: str | None = None


class TournamentStep(Struct, frozen=True, kw_only=True):
    """One step of a tournament, saved as a whole: its new state, changed entries and the matches it starts.

    step: the stored step plus one; saving the same step again is a repeated write and must be equal.
    entries: only those added or changed.  name, settings, started_at, ended_at: None leaves what is stored.
    """

    tournament_id: TournamentId
    step: int
    status: TournamentStatus
    state: dict[str, Any]
    entries: tuple[TournamentEntry, ...] = ()
    matches: tuple[NewMatch, ...] = ()
    name: str | None = None
    settings: dict[str, Any] | None = None
    started_at: float | None = None
    ended_at: float | None = None
