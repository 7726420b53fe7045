"""What the server says to a bot."""

from typing import Annotated

from msgspec import Meta, field

from tabiya.protocol.messages.client import WireMessage
from tabiya.protocol.messages.fields import (
    BotName,
    ChallengeId,
    Count,
    GameName,
    GameNames,
    LegalMoves,
    MatchId,
    Milliseconds,
    MoveList,
    MoveText,
    Options,
    Ply,
    PositionText,
    Remark,
    Seat,
    SeatClocks,
    SeatNames,
    Sentence,
    TimeText,
    TokenText,
    Version,
    Word,
    doc,
)
from tabiya.protocol.messages.parts import (
    Clocks,
    ConnectionLimits,
    History,
    MoveAccount,
    MoveInfo,
    RunningMatch,
)


class Welcome(WireMessage, frozen=True, kw_only=True):
    """The answer to `hello`: the connection is open for everything else."""

    name: Annotated[BotName, doc("The name given to the bot here; without a token it may have got a suffix.")]
    server: Annotated[Word, doc("Name and version of the server.")]
    protocol: Annotated[Version, doc("Version of the protocol spoken on this connection.")]
    session: Annotated[Word, doc("Name of this connection in the server's log; quote it in questions.")]
    authenticated: Annotated[bool, doc("Whether the bot has shown a valid token.")]
    rated: Annotated[
        bool, doc("Whether its games outside tournaments can be rated; usually only those of bots with a token are.")
    ] = True
    games: Annotated[GameNames, doc("Games the server hosts.")]
    matches: Annotated[
        tuple[RunningMatch, ...],
        Meta(max_length=4_096),
        doc("Matches of this bot that are still running. Any other it may remember has ended."),
    ]
    limits: Annotated[ConnectionLimits, doc("The limits that hold on this connection.")]
    resume: Annotated[
        TokenText,
        doc("If `hello` has asked: the secret by which this bot without a token is known when it comes back."),
    ] = ""


class Turn(WireMessage, frozen=True, kw_only=True, gc=False):
    """It is your move. Holds all that is needed to answer; sent again whenever the bot reconnects."""

    match: Annotated[MatchId, doc("Number of the match; goes into the move.")]
    game: Annotated[GameName, doc("Name of the game.")]
    position: Annotated[PositionText, doc("The position in the notation of the game, side to move included.")]
    seat: Annotated[Seat, doc("Your seat: 0 is the first player of the rules, 1 the second.")]
    ply: Annotated[Ply, doc("Moves played so far, those of the opening included; goes into the move.")]
    last_move: Annotated[MoveText | None, doc("The move just played; null before the first.")]
    legal_moves: Annotated[LegalMoves | None, doc("Every move you may play; left out when declined in hello.")] = None
    history: Annotated[History, doc("For seeing repetitions without remembering anything.")]
    clock_ms: Annotated[Clocks | None, doc("Time left to both; null in a match without clocks.")]
    time_control: Annotated[TimeText, doc("Your time control in the match, such as 60+0.5, 40/60, 2/move or none.")]
    increment_ms: Annotated[Milliseconds, doc("Time that each of your moves will give you.")] = 0
    moves_to_go: Annotated[
        Count | None, doc("Moves left until the next period's time is added, this one included.")
    ] = None
    move_limit_ms: Annotated[
        Milliseconds, doc("When your time for this move ends, as a duration from now: clock, per-move or stall limit.")
    ]
    draw_offered: Annotated[
        bool, doc("Whether the opponent's draw offer stands; `draw_offer` accepts it, your move declines it.")
    ] = False
    illegal_moves: Annotated[Count, doc("Illegal moves you have sent in this match.")] = 0
    illegal_limit: Annotated[Count, doc("The illegal move with this number loses the match.")] = 3
    last_move_account: Annotated[MoveAccount | None, doc("What the server measured for your previous move.")] = None


class MatchStarted(WireMessage, frozen=True, kw_only=True):
    """A match of yours has begun. Only for information: a `turn` follows when it is your move."""

    match: Annotated[MatchId, doc("Number of the match.")]
    game: Annotated[GameName, doc("Name of the game.")]
    seat: Annotated[Seat, doc("Your seat.")]
    names: Annotated[SeatNames, doc("Names of the players, by seat.")]
    position: Annotated[
        PositionText, doc("Position the match starts from, before the moves of the opening; trust it, not `options`.")
    ]
    opening: Annotated[MoveList, doc("Moves played for both sides before the bots take over.")] = ()
    options: Annotated[Options, doc("Options of the game.")] = field(default_factory=dict)
    time_control: Annotated[TimeText, doc("Your time control in the match.")]
    rated: Annotated[bool, doc("Whether the match counts for the ratings.")]
    tournament: Annotated[Word, doc("Name of the tournament; empty outside one.")] = ""


class MatchEnded(WireMessage, frozen=True, kw_only=True):
    """A match of yours has ended; no `turn` of it follows. Sent once the result is saved."""

    match: Annotated[MatchId, doc("Number of the match.")]
    game: Annotated[GameName, doc("Name of the game.")]
    seat: Annotated[Seat, doc("Your seat.")]
    result: Annotated[
        str, Meta(pattern=r"^(1-0|0-1|1/2-1/2|\*)$"), doc("Seat 0's result first; * is a match without one.")
    ]
    winner: Annotated[Seat | None, doc("Seat that has won; null for a draw or no result.")]
    score: Annotated[
        Annotated[float, Meta(ge=0, le=1)] | None, doc("Your score: 1, 0.5 or 0; null when the match has no result.")
    ]
    ending: Annotated[Word, doc("How it ended, in one word of the list of endings.")]
    reason: Annotated[Sentence, doc("Why, in a sentence, with numbers; left out when the rules ended the game.")] = ""
    position: Annotated[PositionText, doc("The final position.")]
    last_move: Annotated[MoveText | None, doc("The last move that counted; null if there was none.")]
    clock_ms: Annotated[SeatClocks | None, doc("Time left by seat; null in a match without clocks.")] = None
    plies: Annotated[Ply, doc("Moves played, those of the opening included.")]
    overrun_ms: Annotated[Milliseconds, doc("After a loss on time: by how much the limit was passed.")] = 0
    last_move_account: Annotated[MoveAccount | None, doc("What the server measured for your last move.")] = None
    goes_on: Annotated[
        bool, doc("A move was taken back: the same two go on from the position before it in a new match, told next.")
    ] = False


class Refused(WireMessage, frozen=True, kw_only=True):
    """A message was not carried out and nothing has changed. Read `code` in programs, `message` in logs."""

    code: Annotated[Word, doc("One word of the list of refusals; expect new ones.")]
    message: Annotated[Sentence, doc("What was received and what was allowed.")]
    about: Annotated[Word, doc("Type of the message that is refused; empty when it could not be read.")] = ""
    match: Annotated[MatchId | None, doc("The match it was about.")] = None
    ply: Annotated[Ply | None, doc("The ply it was about.")] = None
    challenge: Annotated[ChallengeId | None, doc("The challenge it was about.")] = None
    illegal_left: Annotated[
        Count | None, doc("After an illegal move: how many more you may send before the next one loses the match.")
    ] = None


class Busy(WireMessage, frozen=True, kw_only=True):
    """The server has too much to do for this now. Try again after `retry_ms` plus up to as much again, at random."""

    retry_ms: Annotated[Milliseconds, doc("Wait at least this long.")]
    about: Annotated[Word, doc("Type of the message that was not carried out; empty at the handshake.")] = ""
    message: Annotated[Sentence, doc("Why, in words.")] = ""


class Challenged(WireMessage, frozen=True, kw_only=True):
    """There is a challenge: the question to the challenged bot, and the receipt to the one who asked."""

    challenge: Annotated[ChallengeId, doc("Number of the challenge, for `accept` and `decline`.")]
    opponent: Annotated[
        BotName | None, doc("Name of the other bot; null in the receipt for a challenge to whoever has the code.")
    ]
    game: Annotated[GameName, doc("Name of the game.")]
    time: Annotated[TimeText, doc("Time control of the match.")]
    options: Annotated[Options, doc("Options of the game.")] = field(default_factory=dict)
    rated: Annotated[bool, doc("Whether the match would count for the ratings.")] = True
    yours: Annotated[bool, doc("True in the receipt to the bot that challenged.")] = False
    lapses_ms: Annotated[
        Milliseconds | None,
        doc("The challenge lapses after this time; null: it stands while who made it is connected."),
    ]
    seat: Annotated[Seat | None, doc("Your seat, if the challenger has chosen; null: seats change by turns.")] = None


class ChallengeEnded(WireMessage, frozen=True, kw_only=True):
    """A challenge is over; sent to both bots."""

    challenge: Annotated[ChallengeId, doc("Number of the challenge.")]
    opponent: Annotated[BotName | None, doc("Name of the other bot; null: nobody had accepted with the code.")]
    outcome: Annotated[Word, doc("accepted, declined, withdrawn or lapsed.")]
    reason: Annotated[Remark, doc("Why, in words.")] = ""
    match: Annotated[MatchId | None, doc("The match that starts, when accepted.")] = None


class DrawOffered(WireMessage, frozen=True, kw_only=True):
    """The opponent has offered a draw while you were thinking. `draw_offer` accepts; your next move declines.

    An offer that the opponent sent before its own move is told by `draw_offered` of your `turn` alone.
    """

    match: Annotated[MatchId, doc("The match.")]
    ply: Annotated[Ply, doc("The ply about to be played now; copy it into the `draw_offer` that accepts.")]


class TakeBackAsked(WireMessage, frozen=True, kw_only=True):
    """The opponent asks to take its last move back. `take_back` with `agree` does so; the next move declines."""

    match: Annotated[MatchId, doc("The match.")]
    ply: Annotated[Ply, doc("The ply about to be played now; copy it into the `take_back` that agrees.")]


class Watching(WireMessage, frozen=True, kw_only=True):
    """The whole present state of a match you watch. States in between may be left out, the last one never."""

    match: Annotated[MatchId, doc("The match.")]
    game: Annotated[GameName, doc("Name of the game.")]
    names: Annotated[SeatNames, doc("Names of the players, by seat.")]
    time_control: Annotated[
        TimeText, doc("The time control of the match; by seat, with a comma between, where they differ.")
    ]
    start: Annotated[PositionText, doc("Position the match started from.")]
    moves: Annotated[MoveList, doc("All moves so far, those of the opening included.")]
    position: Annotated[PositionText, doc("The present position.")]
    ply: Annotated[Ply, doc("Moves played so far.")]
    to_move: Annotated[Seat | None, doc("Seat to move; null when the match has ended.")]
    last_move: Annotated[MoveText | None, doc("The move just played; null before the first.")]
    clock_ms: Annotated[SeatClocks | None, doc("Time left by seat at the start of this turn; null without clocks.")]
    thinking_ms: Annotated[Milliseconds, doc("How long the seat to move has been thinking.")] = 0
    info: Annotated[MoveInfo | None, doc("What the bot told about its last move.")] = None
    result: Annotated[Word, doc("The result, once there is one: 1-0, 0-1, 1/2-1/2 or *.")] = ""
    ending: Annotated[Word, doc("How it ended.")] = ""
    reason: Annotated[Sentence, doc("The same in a sentence.")] = ""
    tournament: Annotated[Word, doc("Name of the tournament; empty outside one.")] = ""


class Notice(WireMessage, frozen=True, kw_only=True):
    """Something worth knowing: a tournament starts, a seek waits for its opponent. May be ignored."""

    kind: Annotated[Word, doc("What it is about, in one word of the list under More than playing; expect new ones.")]
    text: Annotated[Sentence, doc("The same in a sentence.")]
    tournament: Annotated[Word, doc("Name of the tournament, if it is about one.")] = ""


ServerMessage = (
    Welcome
    | Turn
    | MatchStarted
    | MatchEnded
    | Refused
    | Busy
    | Challenged
    | ChallengeEnded
    | DrawOffered
    | TakeBackAsked
    | Watching
    | Notice
)

# The same again as values, as in client.py.
SERVER_MESSAGES: tuple[type[WireMessage], ...] = (
    Welcome,
    Turn,
    MatchStarted,
    MatchEnded,
    Refused,
    Busy,
    Challenged,
    ChallengeEnded,
    DrawOffered,
    TakeBackAsked,
    Watching,
    Notice,
)
