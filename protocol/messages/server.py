"""The messages of the server to a bot."""

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
    """The answer to `hello`: the bot may now send other messages."""

    name: Annotated[BotName, doc("The bot's name here; without a token it may have a suffix.")]
    server: Annotated[Word, doc("Name and version of the server.")]
    protocol: Annotated[Version, doc("Protocol version of this connection.")]
    session: Annotated[Word, doc("Name of this connection in the server's log; give it in questions to the operator.")]
    authenticated: Annotated[bool, doc("Whether the bot sent a valid token.")]
    rated: Annotated[
        bool, doc("Whether its games outside tournaments can be rated; usually only for bots with a token.")
    ] = True
    games: Annotated[GameNames, doc("Games on this server.")]
    matches: Annotated[
        tuple[RunningMatch, ...],
        Meta(max_length=4_096),
        doc("This bot's running matches. All others have ended."),
    ]
    limits: Annotated[ConnectionLimits, doc("The limits of this connection.")]
    resume: Annotated[
        TokenText,
        doc("If `hello` asked for it: the secret that identifies this bot without a token when it reconnects."),
    ] = ""


class Turn(WireMessage, frozen=True, kw_only=True, gc=False):
    """It is your move. Contains all information for the answer; sent again after each reconnection."""

    match: Annotated[MatchId, doc("Number of the match; repeat it in the move.")]
    game: Annotated[GameName, doc("Name of the game.")]
    position: Annotated[PositionText, doc("The position in the game's notation, with the side to move.")]
    seat: Annotated[Seat, doc("Your seat: 0 is the first player of the rules, 1 the second.")]
    ply: Annotated[Ply, doc("Moves played so far, with those of the opening; repeat it in the move.")]
    last_move: Annotated[MoveText | None, doc("The last move; null before the first.")]
    legal_moves: Annotated[LegalMoves | None, doc("All legal moves; left out if declined in hello.")] = None
    history: Annotated[History, doc("To find repetitions without memory.")]
    clock_ms: Annotated[Clocks | None, doc("Time left for both; null in a match without clocks.")]
    time_control: Annotated[TimeText, doc("Your time control in the match, such as 60+0.5, 40/60, 2/move or none.")]
    increment_ms: Annotated[Milliseconds, doc("Time that each of your moves adds.")] = 0
    moves_to_go: Annotated[Count | None, doc("Moves until the next period's time is added, with this one.")] = None
    move_limit_ms: Annotated[Milliseconds, doc("Your time for this move from now on: clock, per-move or stall limit.")]
    draw_offered: Annotated[
        bool, doc("Whether the opponent offers a draw; `draw_offer` accepts it, your move declines it.")
    ] = False
    illegal_moves: Annotated[Count, doc("Illegal moves you have sent in this match.")] = 0
    illegal_limit: Annotated[Count, doc("Illegal move with this number loses the match.")] = 3
    last_move_account: Annotated[MoveAccount | None, doc("What the server measured for your previous move.")] = None


class MatchStarted(WireMessage, frozen=True, kw_only=True):
    """A match of yours has begun. Only for information: a `turn` follows when it is your move."""

    match: Annotated[MatchId, doc("Number of the match.")]
    game: Annotated[GameName, doc("Name of the game.")]
    seat: Annotated[Seat, doc("Your seat.")]
    names: Annotated[SeatNames, doc("Names of the players by seat.")]
    position: Annotated[PositionText, doc("Position before the opening moves; use it, not `options`.")]
    opening: Annotated[MoveList, doc("Opening moves, already played for both sides.")] = ()
    options: Annotated[Options, doc("Options of the game.")] = field(default_factory=dict)
    time_control: Annotated[TimeText, doc("Your time control in the match.")]
    rated: Annotated[bool, doc("Whether the match counts for ratings.")]
    tournament: Annotated[Word, doc("Name of the tournament; empty outside tournaments.")] = ""


class MatchEnded(WireMessage, frozen=True, kw_only=True):
    """A match of yours has ended; no `turn` of it follows. Sent after the result is saved."""

    match: Annotated[MatchId, doc("Number of the match.")]
    game: Annotated[GameName, doc("Name of the game.")]
    seat: Annotated[Seat, doc("Your seat.")]
    result: Annotated[str, Meta(pattern=r"^(1-0|0-1|1/2-1/2|\*)$"), doc("Seat 0's result first; * means no result.")]
    winner: Annotated[Seat | None, doc("The winning seat; null for a draw or no result.")]
    score: Annotated[Annotated[float, Meta(ge=0, le=1)] | None, doc("Your score: 1, 0.5 or 0; null without a result.")]
    ending: Annotated[Word, doc("How it ended, from the list of endings.")]
    reason: Annotated[
        Sentence, doc("The reason in a sentence, with numbers; left out if the rules ended the game.")
    ] = ""
    position: Annotated[PositionText, doc("The final position.")]
    last_move: Annotated[MoveText | None, doc("The last move that counted; null if there was none.")]
    clock_ms: Annotated[SeatClocks | None, doc("Time left by seat; null in a match without clocks.")] = None
    plies: Annotated[Ply, doc("Moves played, with those of the opening.")]
    overrun_ms: Annotated[Milliseconds, doc("After a loss on time: the delay beyond the limit.")] = 0
    last_move_account: Annotated[MoveAccount | None, doc("What the server measured for your last move.")] = None
    goes_on: Annotated[
        bool, doc("A move was taken back: a new match, announced next, continues from the position before it.")
    ] = False


class Refused(WireMessage, frozen=True, kw_only=True):
    """A message was not carried out, and nothing changed. Use `code` in programs, `message` in logs."""

    code: Annotated[Word, doc("From the list of refusals; later versions may add some.")]
    message: Annotated[Sentence, doc("What was received and what is allowed.")]
    about: Annotated[Word, doc("Type of the refused message; empty if unreadable.")] = ""
    match: Annotated[MatchId | None, doc("The match it was about.")] = None
    ply: Annotated[Ply | None, doc("The ply it was about.")] = None
    challenge: Annotated[ChallengeId | None, doc("The challenge it was about.")] = None
    illegal_left: Annotated[
        Count | None, doc("After an illegal move: how many more you may send; the one after that loses the match.")
    ] = None


class Busy(WireMessage, frozen=True, kw_only=True):
    """The server is overloaded. Try again after `retry_ms` plus a random time of up to `retry_ms`."""

    retry_ms: Annotated[Milliseconds, doc("Wait at least this long.")]
    about: Annotated[Word, doc("Type of the message that was not carried out; empty at the handshake.")] = ""
    message: Annotated[Sentence, doc("The reason in words.")] = ""


class Challenged(WireMessage, frozen=True, kw_only=True):
    """A challenge exists: a question to the challenged bot, a receipt to the challenger."""

    challenge: Annotated[ChallengeId, doc("Number of the challenge, for `accept` and `decline`.")]
    opponent: Annotated[BotName | None, doc("Name of the other bot; null in the receipt for a challenge with a code.")]
    game: Annotated[GameName, doc("Name of the game.")]
    time: Annotated[TimeText, doc("Time control of the match.")]
    options: Annotated[Options, doc("Options of the game.")] = field(default_factory=dict)
    rated: Annotated[bool, doc("Whether the match would count for ratings.")] = True
    yours: Annotated[bool, doc("True in the receipt to the bot that challenged.")] = False
    lapses_ms: Annotated[
        Milliseconds | None,
        doc("The challenge expires after this time; null: it is open while the challenger is connected."),
    ]
    seat: Annotated[Seat | None, doc("Your seat, if the challenger chose; null: seats alternate.")] = None
    position: Annotated[PositionText | None, doc("Position to begin from, if the challenger chose.")] = None


class ChallengeEnded(WireMessage, frozen=True, kw_only=True):
    """A challenge is over; sent to both bots."""

    challenge: Annotated[ChallengeId, doc("Number of the challenge.")]
    opponent: Annotated[BotName | None, doc("Name of the other bot; null: nobody accepted with the code.")]
    outcome: Annotated[Word, doc("accepted, declined, withdrawn or lapsed.")]
    reason: Annotated[Remark, doc("The reason in words.")] = ""
    match: Annotated[MatchId | None, doc("The match that starts, if accepted.")] = None


class DrawOffered(WireMessage, frozen=True, kw_only=True):
    """The opponent offered a draw while you were thinking. `draw_offer` accepts it, your next move declines it.

    An offer that the opponent sent before its own move is only in `draw_offered` of your `turn`.
    """

    match: Annotated[MatchId, doc("The match.")]
    ply: Annotated[Ply, doc("The next ply; copy it into the `draw_offer` that accepts.")]


class TakeBackAsked(WireMessage, frozen=True, kw_only=True):
    """The opponent asks to take back its last move. `take_back` with `agree` agrees; your next move declines."""

    match: Annotated[MatchId, doc("The match.")]
    ply: Annotated[Ply, doc("The next ply; copy it into the `take_back` that agrees.")]


class Watching(WireMessage, frozen=True, kw_only=True):
    """The present state of a match that you watch. Some states may be skipped, but never the last."""

    match: Annotated[MatchId, doc("The match.")]
    game: Annotated[GameName, doc("Name of the game.")]
    names: Annotated[SeatNames, doc("Names of the players by seat.")]
    time_control: Annotated[TimeText, doc("The time control of the match; if they differ, by seat with a comma.")]
    start: Annotated[PositionText, doc("Start position of the match.")]
    moves: Annotated[MoveList, doc("All moves so far, with those of the opening.")]
    position: Annotated[PositionText, doc("The present position.")]
    ply: Annotated[Ply, doc("Moves played so far.")]
    to_move: Annotated[Seat | None, doc("Seat to move; null when the match has ended.")]
    last_move: Annotated[MoveText | None, doc("The last move; null before the first.")]
    clock_ms: Annotated[SeatClocks | None, doc("Time left by seat at the start of this turn; null without clocks.")]
    thinking_ms: Annotated[Milliseconds, doc("Time that the seat to move has used so far.")] = 0
    info: Annotated[MoveInfo | None, doc("The bot's details about its last move.")] = None
    result: Annotated[Word, doc("The result: 1-0, 0-1, 1/2-1/2 or *; empty before the end.")] = ""
    ending: Annotated[Word, doc("How it ended.")] = ""
    reason: Annotated[Sentence, doc("The same in a sentence.")] = ""
    tournament: Annotated[Word, doc("Name of the tournament; empty outside tournaments.")] = ""


class Notice(WireMessage, frozen=True, kw_only=True):
    """Information, such as a tournament that starts. May be ignored."""

    kind: Annotated[Word, doc("Kind, from the list under More than playing; later versions may add some.")]
    text: Annotated[Sentence, doc("The same in a sentence.")]
    tournament: Annotated[Word, doc("Name of the tournament, if there is one.")] = ""


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
