"""A `Bot` as a `Player`: what an author wrote for the server thinks in a worker, or in a match without any server."""

from __future__ import annotations

import asyncio
import inspect
import time

from tabiya.bots.client.bot import Bot
from tabiya.bots.client.choice import Choice, as_choice, within_bounds
from tabiya.bots.client.turn import Turn
from tabiya.bots.players.api import MatchInfo, MoveReply, MoveRequest
from tabiya.protocol.messages import Clocks, History, MoveInfo
from tabiya.protocol.messages import Turn as TurnMessage


class BotPlayer:
    """Asks `bot.prepare` and `bot.choose`. The other hooks are not called: their arguments come from a server only."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self._turn: Turn | None = None
        self._is_prepared = False

    def prepare(self, games: tuple[str, ...]) -> None:
        """Let the bot get ready, once. Raises what it raises."""
        if not self._is_prepared:
            self._is_prepared = True
            _result_of(self.bot.prepare(games))

    def new_match(self, match: MatchInfo) -> None:
        """Prepare a bot that was made for this match; otherwise nothing, since the bot manages its own state."""
        self.prepare((match.game,))

    def choose(self, request: MoveRequest) -> MoveReply:
        """The bot's move. Raises what the bot raises, and AnswerError for what is no answer."""
        turn = self._turn = Turn(turn_message(request), time.monotonic())
        return reply_of(as_choice(_result_of(self.bot.choose(turn)), self.bot.choose))

    def stop(self) -> None:
        """Tell the bot by `turn.stopped`."""
        if self._turn is not None:
            self._turn.stop()


def _result_of(answer: object) -> object:
    """What a method that may be an `async def` has returned."""

    async def awaited() -> object:
        assert inspect.isawaitable(answer)
        return await answer

    return asyncio.run(awaited()) if inspect.isawaitable(answer) else answer


def turn_message(request: MoveRequest) -> TurnMessage:
    """The request as the turn that a server would have sent."""
    clocks = None
    if request.remaining_ms is not None:
        clocks = Clocks(you=request.remaining_ms, opponent=request.opponent_ms or 0)
    return TurnMessage(
        match=request.match,
        game=request.game,
        position=request.position,
        seat=request.seat,
        ply=request.ply,
        last_move=request.last_move,
        legal_moves=request.legal_moves,
        history=History(position=request.history_position, moves=request.history_moves),
        clock_ms=clocks,
        time_control=request.time_control,
        increment_ms=request.increment_ms,
        moves_to_go=request.moves_to_go,
        move_limit_ms=min(request.move_limit_ms, int(request.budget_s * 1000)),
        draw_offered=request.draw_offered,
    )


def reply_of(choice: Choice) -> MoveReply:
    """A bot's answer as a player's."""
    info = within_bounds(choice.info) or MoveInfo()
    return MoveReply(
        move=choice.move,
        depth=info.depth,
        score=info.score,
        nodes=info.nodes,
        pv=info.pv,
        time_ms=info.time_ms,
        text=info.text,
        offer_draw=choice.offer_draw,
        resign=choice.resign,
    )
