"""Calls the methods that a bot's author wrote, sync or async, without blocking the event loop; a task for each turn."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Awaitable, Callable
from enum import StrEnum
from functools import partial
from typing import Any, TypeVar, overload

from tabiya.bots.client.bot import Bot, name_of
from tabiya.bots.client.choice import Choice, as_choice
from tabiya.bots.client.events import REMARK, BotError, Listener, MoveOverdue, Note
from tabiya.bots.client.failure import ProgramFailure, failure_of
from tabiya.bots.client.session import AskAboutChallenge, AskAboutDraw, Think
from tabiya.bots.client.turn import Turn
from tabiya.protocol.messages import Challenged, MatchEnded, MatchStarted, MoveInfo
from tabiya.protocol.messages.parts import NOT_ITS_OWN

T = TypeVar("T")
BLOCKED_S = 1.0  # a longer computation in an `async def` causes a warning
OnLateError = Callable[[Exception], None]


class OnError(StrEnum):
    """What happens in a match when the bot's code has failed: it is given up, or some legal move is played."""

    RESIGN = "resign"
    LEGAL = "legal"


class BotHooks:
    """All running calls of one bot's `choose` and hooks.

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
        self._thinking: dict[int, tuple[asyncio.Task[None], Turn]] = {}
        self._match_hooks: dict[int, asyncio.Task[None]] = {}
        self._others: set[asyncio.Task[None]] = set()
        self._has_remarked = False

    def think(self, action: Think) -> None:
        """Begin a thought; its answer comes by `chosen`."""
        turn = Turn(action.turn, action.received_s, action.refused)
        task = asyncio.create_task(self._think(action.number, turn))
        self._thinking[action.number] = (task, turn)
        task.add_done_callback(lambda _: self._thinking.pop(action.number, None))

    def stop(self, number: int) -> None:
        """Stop a `choose` whose answer is not needed. A plain one sees `turn.stopped`; its thread ends by itself."""
        if number in self._thinking:
            task, turn = self._thinking[number]
            turn.stop()
            task.cancel()

    def ask_draw(self, action: AskAboutDraw) -> None:
        """Ask about an offer that came while the bot thinks."""
        self._start(self._ask_draw(Turn(action.turn, action.received_s)))

    def ask_challenge(self, action: AskAboutChallenge) -> None:
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
        await asyncio.gather(*self._match_hooks.values(), *self._others)

    async def close(self) -> None:
        """End everything."""
        for number in list(self._thinking):
            self.stop(number)
        tasks = [task for task, _ in self._thinking.values()] + [*self._match_hooks.values(), *self._others]
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
        hook = self._match_hooks.get(turn.match)
        if hook is not None:
            await asyncio.shield(hook)  # this thought may be cancelled, `match_started` is to run to its end
        overdue = asyncio.get_running_loop().call_later(turn.time_left, self._listener, MoveOverdue(turn))
        try:
            if turn.draw_offered:
                await self._ask_draw(turn)
            choice = as_choice(await self._choose(turn), self._bot.choose)
        except Exception as error:
            choice = self._after(error, turn)
        finally:
            overdue.cancel()
        # behind the try: an error in sending is no fault of the bot's code
        await self._chosen(number, choice)

    async def _choose(self, turn: Turn) -> object:
        """What `choose` returns; warns once if it blocked the event loop."""
        loop, others = asyncio.get_running_loop(), list[None]()
        began_s, turn_of_others = loop.time(), loop.call_soon(others.append, None)
        answer = await call(self._bot.choose, turn, on_late_error=partial(self._failed_late, turn))
        turn_of_others.cancel()
        if not others and (took_s := loop.time() - began_s) > BLOCKED_S and not self._has_remarked:
            self._has_remarked = True
            text = f"choose is an async def that computed for {took_s:.1f} s without an await: meanwhile no message was"
            text += " read and no other match went on; written as def choose, it runs in a thread of its own"
            self._listener(Note(f"{REMARK}{text}"))
        return answer

    def _failure(self, error: Exception, method: str, turn: Turn | None = None) -> ProgramFailure:
        return failure_of(error, f"{name_of(self._bot)}: {method}", turn)

    def _failed_late(self, turn: Turn, error: Exception) -> None:
        """Report the error of a `choose` whose answer was no longer needed."""
        self._listener(BotError(self._failure(error, "choose", turn), "nobody was waiting for this move any more"))

    def _after(self, error: Exception, turn: Turn) -> Choice:
        """The answer when the bot has failed: resignation, or some legal move."""
        listed, failure = turn.message.legal_moves, self._failure(error, "choose", turn)
        if self._on_error is OnError.LEGAL and listed:
            self._listener(BotError(failure, f"the bot plays {listed[0]} instead"))
            return Choice(listed[0], info=MoveInfo(text=f"{NOT_ITS_OWN}{failure.error}"))
        self._listener(BotError(failure, "the bot resigns this match"))
        return Choice(resign=True, failure=failure.in_a_line())

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
            self._listener(BotError(self._failure(error, method, turn), "taken as a no"))
            return False

    def _hook(self, match: int, method: str, message: Any) -> None:
        if self._overridden(method):
            task = asyncio.create_task(self._call_hook(self._match_hooks.get(match), method, message))
            self._match_hooks[match] = task
            task.add_done_callback(lambda done: self._forget(match, done))

    def _forget(self, match: int, task: asyncio.Task[None]) -> None:
        if self._match_hooks.get(match) is task:
            del self._match_hooks[match]

    async def _call_hook(self, earlier: asyncio.Task[None] | None, method: str, message: Any) -> None:
        if earlier is not None:
            await earlier
        try:
            await call(getattr(self._bot, method), message)
        except Exception as error:
            self._listener(BotError(self._failure(error, method), "the match goes on"))


@overload
async def call(function: Callable[..., Awaitable[T]], *args: Any, on_late_error: OnLateError | None = None) -> T: ...


@overload
async def call(
    function: Callable[..., Awaitable[T] | T], *args: Any, on_late_error: OnLateError | None = None
) -> T: ...


async def call(function: Callable[..., Any], *args: Any, on_late_error: OnLateError | None = None) -> Any:
    """Call the function: an `async def` runs here, anything else in a thread of its own. Returns its result.

    Cancelling stops an `async def`; a thread cannot be stopped and ends by itself. on_late_error is then called with
    an error that it ends with, in the event loop.
    """
    if inspect.iscoroutinefunction(function):
        return await function(*args)
    outcome = await in_thread(function, *args, on_late_error=on_late_error)
    # a plain function may return a coroutine, as a wrapper around an `async def` does
    return await outcome if inspect.isawaitable(outcome) else outcome


async def in_thread(function: Callable[..., T], *args: Any, on_late_error: OnLateError | None = None) -> T:
    """As asyncio.to_thread, but in a daemon thread: a bot that thinks forever does not keep the program alive."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def settle(setter: Callable[[Any], None], value: Any) -> None:
        if not future.done():
            setter(value)
        elif on_late_error is not None and isinstance(value, Exception):
            on_late_error(value)

    def work() -> None:
        setter: Callable[[Any], None]
        try:
            value: Any = context.run(function, *args)
            setter = future.set_result
        except BaseException as error:
            # sys.exit() in a bot must not end the event loop, and StopIteration cannot be raised into a future.
            ordinary = isinstance(error, Exception) and not isinstance(error, StopIteration)
            value = error if ordinary else RuntimeError(f"raised {error!r}").with_traceback(error.__traceback__)
            setter = future.set_exception
        try:
            loop.call_soon_threadsafe(settle, setter, value)
        except RuntimeError:  # the loop was closed meanwhile: no task waits
            return

    threading.Thread(target=work, name=f"bot {getattr(function, '__name__', '?')}", daemon=True).start()
    return await future
