"""The requests to a player and its replies: plain values that can be sent between processes.

    player = build_player("pvs:6")                      # bots/players/build.py
    player.new_match(MatchInfo(match=7, game="reversi"))
    thought = player.choose(MoveRequest(match=7, game="reversi", position=..., budget_s=1.5, ...))

One player serves one match: it may keep a table and a history from one turn to the next. Nothing here imports numba,
numpy or the rules.
"""

from typing import Protocol, runtime_checkable

from msgspec import Struct, field
from msgspec.structs import replace

from tabiya.protocol.messages import MoveInfo, Turn

OptionValue = str | int | bool


class MatchInfo(Struct, frozen=True, kw_only=True):
    """What is known of a match before the first turn.

    options: as the server told them; empty for the usual ones or when unknown (a match resumed after a restart): the
    position text holds everything the rules need.  seed: of all the chance a player may use in this match.
    """

    match: int
    game: str
    seat: int = 0
    options: dict[str, OptionValue] = field(default_factory=dict)
    seed: int = 0


class MoveRequest(Struct, frozen=True, kw_only=True):
    """One question: the best move here, in this time. Self-contained; a player without memory can answer it.

    position: the present position in the notation of the game.  history_position, history_moves: the position after
    the last irreversible move and the moves since, which lead to `position`; they show repetitions.
    legal_moves: None when the server did not list them.  ply: moves played in the match so far.
    remaining_ms, opponent_ms: time left on both clocks, None without clocks.  increment_ms: gained by every move;
    opponent_increment_ms: by the opponent's, None if that is not known.
    time_control: of this player, as protocol/time_control.py writes it.
    moves_to_go: moves until the next period, None without periods.  move_limit_ms: when the time for this move ends.
    budget_s: seconds from the call of `choose` after which `stop` is called; a player that goes on is soon killed with
    its worker (bots/pool/time_limits.py). A player plans its own, shorter, time.
    overhead_s: what a move costs beside thinking, as measured: processes, network, a busy machine. The clock runs, too.
    seed: of all the chance in this one answer; the same question with the same seed has the same answer.
    """

    match: int
    game: str
    seat: int
    ply: int
    position: str
    history_position: str
    history_moves: tuple[str, ...] = ()
    legal_moves: tuple[str, ...] | None = None
    last_move: str | None = None
    time_control: str = "none"
    remaining_ms: int | None = None
    opponent_ms: int | None = None
    increment_ms: int = 0
    opponent_increment_ms: int | None = None
    moves_to_go: int | None = None
    move_limit_ms: int = 60_000
    budget_s: float = 60.0
    overhead_s: float = 0.0
    draw_offered: bool = False
    options: dict[str, OptionValue] = field(default_factory=dict)
    seed: int = 0


class MoveReply(Struct, frozen=True, kw_only=True):
    """One answer.

    move: in the notation of the game.  score: for the side to move, in hundredths of the game's unit; None if the
    player does not judge.  time_ms: of thinking; with its fraction the overhead is known better.  pv: the line
    expected, starting with `move`.  text: anything else, in words.
    expected: the opponent's reply, where the player wants to think on about it; empty where not.
    accept_draw: whether to take the opponent's offer; offer_draw: to make one; resign: to give up instead of moving.
    """

    move: str
    depth: int | None = None
    score: int | None = None
    nodes: int | None = None
    pv: tuple[str, ...] = ()
    time_ms: float | None = None
    text: str = ""
    expected: str = ""
    accept_draw: bool = False
    offer_draw: bool = False
    resign: bool = False


def request_of(turn: Turn) -> MoveRequest:
    """A server's turn as a request that may use all of the time for the move."""
    clocks = turn.clock_ms
    return MoveRequest(
        match=turn.match,
        game=turn.game,
        seat=turn.seat,
        ply=turn.ply,
        position=turn.position,
        history_position=turn.history.position,
        history_moves=turn.history.moves,
        legal_moves=turn.legal_moves,
        last_move=turn.last_move,
        time_control=turn.time_control,
        remaining_ms=None if clocks is None else clocks.you,
        opponent_ms=None if clocks is None else clocks.opponent,
        increment_ms=turn.increment_ms,
        moves_to_go=turn.moves_to_go,
        move_limit_ms=turn.move_limit_ms,
        budget_s=turn.move_limit_ms / 1000,
        draw_offered=turn.draw_offered,
    )


def info_of(reply: MoveReply) -> MoveInfo:
    """The information in a reply besides the move, for the server."""
    return MoveInfo(
        depth=reply.depth,
        score=reply.score,
        nodes=reply.nodes,
        pv=reply.pv,
        time_ms=None if reply.time_ms is None else round(reply.time_ms),
        text=reply.text,
    )


def shortened(request: MoveRequest, left_s: float, spent_s: float) -> MoveRequest:
    """The request with times reduced by the time since it was written. left_s: from now until the player is stopped."""
    spent_ms = int(spent_s * 1000)
    return replace(
        request,
        budget_s=left_s,
        remaining_ms=None if request.remaining_ms is None else max(0, request.remaining_ms - spent_ms),
        move_limit_ms=max(0, request.move_limit_ms - spent_ms),
    )


@runtime_checkable
class Player(Protocol):
    """What thinks: made in a worker process, used by one thread at a time (`stop` alone comes from another)."""

    def new_match(self, match: MatchInfo) -> None:
        """Forget everything about earlier matches; the next requests belong to `match`."""

    def choose(self, request: MoveRequest) -> MoveReply:
        """The move to play. Any exception is reported to the operator of the bot with `request`."""

    def stop(self) -> None:
        """Ask a running `choose` to answer at once with the best it has; nothing to do for a player that is quick."""
