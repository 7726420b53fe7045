"""The two players of a match, each as a bot on the match's own server."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Protocol

from tabiya.bots.client.bot import Bot, name_of
from tabiya.bots.client.connection import Client
from tabiya.bots.client.errors import ClientError
from tabiya.bots.client.events import BotError, Connected, Event, Listener
from tabiya.bots.client.failure import ProgramFailure
from tabiya.bots.client.hooks import OnError
from tabiya.bots.client.run import run_config
from tabiya.bots.players.spec import ADDRESS, ENGINES, URL, PlayerKind, PlayerSpec, parse_player
from tabiya.bots.pool.pool_bot import PoolBot
from tabiya.match.plan import MatchPlan
from tabiya.server.app import TabiyaServer


class MatchFailed(Exception):
    """The match cannot go on; the text is one sentence.  failure: of a player's program, if that is to blame."""

    def __init__(self, sentence: str, failure: ProgramFailure | None = None) -> None:
        super().__init__(sentence)
        self.failure = failure


class Participant(Protocol):
    """The interface of a player to the runner."""

    failed: asyncio.Future[None]
    """Raises when the player can play no more."""
    name: str
    """On the server, once joined."""

    async def join(self) -> None:
        """Be welcomed by the server, ready for as many games at once as the match has."""

    async def prepare(self) -> None:
        """Be ready for one game more; no clock runs meanwhile."""

    async def leave(self) -> None:
        """Leave nothing running. Raises nothing."""


class ClientParticipant:
    """Any bot, by our own client over a websocket; its thinking is done elsewhere (worker processes)."""

    def __init__(self, bot: Bot, server: TabiyaServer, plan: MatchPlan, listener: Listener) -> None:
        self.name = ""
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._arrived: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._bot, self._listener = bot, listener
        self.deaths = 0
        """How often its program has failed in mid-thought."""
        on_error = OnError.LEGAL if plan.emergency_moves else OnError.RESIGN
        config = run_config(bot, server.websocket_url, at_once=plan.concurrency, on_error=on_error)
        self._client = Client(bot, config, self._on_event)
        self._running: asyncio.Task[None] | None = None

    async def join(self) -> None:
        """See `Participant.join`. Raises ClientError and what the bot's own start raises."""
        self._running = asyncio.create_task(self._run())
        await asyncio.wait([self._arrived, self.failed], return_when=asyncio.FIRST_COMPLETED)
        if self.failed.done():
            self.failed.result()

    async def prepare(self) -> None:
        """Wait for a worker, if there are any. A worker gets the match with its first turn, when the clock runs."""
        if isinstance(self._bot, PoolBot):
            await self._bot.pool.ready()

    async def leave(self) -> None:
        """See `Participant.leave`."""
        if self._running is not None:
            self._running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._running
        if self.failed.done():
            self.failed.exception()  # retrieved, or asyncio would log it

    async def _run(self) -> None:
        try:
            await self._client.run()
        except Exception as error:
            self.failed.set_exception(error)
        else:
            self.failed.set_exception(ClientError(f"{self.name} has left the match"))

    def _on_event(self, event: Event) -> None:
        if isinstance(event, Connected):
            self.name = event.welcome.name
            if not self._arrived.done():
                self._arrived.set_result(None)
        elif isinstance(event, BotError):
            self.deaths += 1
        self._listener(event)


def name_of_player(player: str, *, loads: bool = True) -> str:
    """The usual name of a player: of a program its file, without the folders.

    Two of one program or class are told apart by the options that they were given.  loads: whether somebody's file may
    be loaded here; else its class gives the name.
    """
    spec = parse_player(player)
    if spec.kind is PlayerKind.FILE:
        from tabiya.bots.players.from_file import load_bot, load_custom_evaluator

        if not loads or load_custom_evaluator(spec.path, spec.name) is not None:
            return _with_options(spec.name, spec)
        return name_of(load_bot(spec.path, spec.name))
    if spec.kind in (*ENGINES, PlayerKind.PROGRAM):
        # of every word, since an option may name a file, too; with either slash
        named = [word for word in spec.command if word not in (URL, ADDRESS)]
        words = [word.replace("\\", "/").rstrip("/").rpartition("/")[2] for word in named]
        return _with_options(" ".join(words), spec)
    return ""


def _with_options(called: str, spec: PlayerSpec) -> str:
    from tabiya.bots.pool.pool_bot import name_from_player

    given = (f"{name}={value}" if name else Path(value).stem for name, value in spec.options)
    return name_from_player(" ".join([called, *given])).rstrip("-")  # it may have been cut behind one
