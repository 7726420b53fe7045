"""The bot's side: asks what the bot's author wrote, one task per thought, and hands the answers on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from enum import StrEnum
from functools import partial
from typing import Any

from tabiya.bots.client.bot import Bot
from tabiya.bots.client.calls import call
from tabiya.bots.client.choice import Choice, as_choice
from tabiya.bots.client.events import Fault, Late, Listener
from tabiya.bots.client.session import AskChallenge, AskDraw, Think
from tabiya.bots.client.turn import Turn
from tabiya.protocol.messages import Challenged, MatchEnded, MatchStarted


class OnError(StrEnum):
    """What happens in a match when the bot's code has failed: it is given up, or some legal move is played."""

    RESIGN = "resign"
    LEGAL = "legal"


class Thinking:
    """All thoughts and hooks of one bot that are under way.

    chosen: is given the number of a thought and its choice.  draw_accepted, challenge_answered: likewise.
    """

    def __init__(
        self,
        bot: Bot,
        on_error: OnError,
        listener: Listener,
        chosen: Callable[[int, Choice], Awaitable[None]],
        draw_accepted: Callable[[int, int], Awaitable[None]],
        challenge_answered: Callable[[Challenged, bool], Awaitable[None]],
    ) -> None:
        self._bot, self._on_error, self._listener = bot, on_error, listener
        self._chosen, self._draw_accepted, self._challenge_answered = chosen, draw_accepted, challenge_answered
        self._thoughts: dict[int, tuple[asyncio.Task[None], Turn]] = {}
        self._hooks: dict[int, asyncio.Task[None]] = {}
        self._others: set[asyncio.Task[None]] = set()

    def think(self, action: Think) -> None:
        """Begin a thought; its answer comes by `chosen`."""
        turn = Turn(action.turn, action.received_s, action.refused)
        task = asyncio.create_task(self._think(action.number, turn))
        self._thoughts[action.number] = (task, turn)
        task.add_done_callback(lambda _: self._thoughts.pop(action.number, None))

    def stop(self, number: int) -> None:
        """End a thought; nobody waits for it. A plain `choose` is told by `turn.stopped` and runs out by itself."""
        if number in self._thoughts:
            task, turn = self._thoughts[number]
            turn.stop()
            task.cancel()

    def ask_draw(self, action: AskDraw) -> None:
        """Ask about an offer that came while the bot thinks."""
        self._start(self._ask_draw(Turn(action.turn, action.received_s)))

    def ask_challenge(self, action: AskChallenge) -> None:
        """Ask about a challenge."""
        self._start(self._ask_challenge(action.challenge))

    def started(self, message: MatchStarted) -> None:
        """Call `match_started`; the match's first `choose` waits for it."""
        self._hook(message.match, "match_started", message)

    def ended(self, message: MatchEnded) -> None:
        """Call `match_ended`, after the match's other hooks."""
        self._hook(message.match, "match_ended", message)

    async def finish(self) -> None:
        """Wait for the hooks under way."""
        await asyncio.gather(*self._hooks.values(), *self._others)

    async def close(self) -> None:
        """End everything."""
        for number in list(self._thoughts):
            self.stop(number)
        tasks = [task for task, _ in self._thoughts.values()] + [*self._hooks.values(), *self._others]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _start(self, coroutine: Any) -> None:
        task = asyncio.create_task(coroutine)
        self._others.add(task)
        task.add_done_callback(self._others.discard)

    def _overridden(self, method: str) -> bool:
        """Whether the author wrote this hook: the empty ones of `Bot` need no thread."""
        return getattr(type(self._bot), method) is not getattr(Bot, method) or method in vars(self._bot)

    async def _think(self, number: int, turn: Turn) -> None:
        hook = self._hooks.get(turn.match)
        if hook is not None:
            await asyncio.shield(hook)
        overdue = asyncio.get_running_loop().call_later(turn.time_left, self._listener, Late(turn))
        try:
            if turn.draw_offered:
                await self._ask_draw(turn)
            choice = as_choice(await call(self._bot.choose, turn, forsaken=partial(self._failed_in_vain, turn)))
        except Exception as error:
            choice = self._after(error, turn)
        finally:
            overdue.cancel()
        await self._chosen(number, choice)

    def _failed_in_vain(self, turn: Turn, error: Exception) -> None:
        """A thought that went on although nobody waited for it any more has ended with an error."""
        self._listener(Fault("choose", error, turn, "nobody was waiting for this move any more"))

    def _after(self, error: Exception, turn: Turn) -> Choice:
        """What to answer when the bot cannot."""
        listed = turn.message.legal_moves
        if self._on_error is OnError.LEGAL and listed:
            self._listener(Fault("choose", error, turn, f"the bot plays {listed[0]} instead"))
            return Choice(listed[0])
        self._listener(Fault("choose", error, turn, "the bot resigns this match"))
        return Choice(resign=True)

    async def _ask_draw(self, turn: Turn) -> None:
        if await self._ask("opponent_offers_draw", turn, turn):
            await self._draw_accepted(turn.match, turn.ply)

    async def _ask_challenge(self, challenge: Challenged) -> None:
        accepted = await self._ask("accepts_challenge", challenge, None) if self._plays(challenge.game) else False
        await self._challenge_answered(challenge, accepted)

    def _plays(self, game: str) -> bool:
        return not self._bot.games or game in self._bot.games

    async def _ask(self, method: str, argument: Any, turn: Turn | None) -> bool:
        """The author's yes or no; a failure is a no."""
        function = getattr(self._bot, method)
        if not self._overridden(method):
            return bool(function(argument))
        try:
            return bool(await call(function, argument))
        except Exception as error:
            self._listener(Fault(method, error, turn, "taken as a no"))
            return False

    def _hook(self, match: int, method: str, message: Any) -> None:
        if self._overridden(method):
            task = asyncio.create_task(self._call_hook(self._hooks.get(match), method, message))
            self._hooks[match] = task
            task.add_done_callback(lambda done: self._forget(match, done))

    def _forget(self, match: int, task: asyncio.Task[None]) -> None:
        if self._hooks.get(match) is task:
            del self._hooks[match]

    async def _call_hook(self, earlier: asyncio.Task[None] | None, method: str, message: Any) -> None:
        if earlier is not None:
            await earlier
        try:
            await call(getattr(self._bot, method), message)
        except Exception as error:
            self._listener(Fault(method, error, None, "the match goes on"))
