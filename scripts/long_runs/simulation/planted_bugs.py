"""Faults put into the server on purpose, to see that the simulation finds them. Nothing of them is in the product."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

from msgspec.structs import replace

from scripts.long_runs.simulation.environment.disk import SimulatedStore
from tabiya.server.app import TabiyaServer
from tabiya.server.core.events import AlarmRang, MoveArrived
from tabiya.server.core.handlers.endings import out_of_time
from tabiya.server.core.handlers.moves import move_arrived
from tabiya.server.core.match import HANDLERS
from tabiya.server.core.state import AwaitingMove, Match, Step
from tabiya.storage.errors import StoreError
from tabiya.storage.group_commit import Done
from tabiya.storage.writes import AppendMove, FinishMatch, MatchWrite

LATER_S = 1.0


@contextlib.contextmanager
def tell_before_save() -> Iterator[None]:
    """Every save is answered before it is made."""
    plain = SimulatedStore.submit

    def submit(store: SimulatedStore, write: MatchWrite, done: Done) -> None:
        plain(store, write, lambda error: None)
        asyncio.get_running_loop().call_soon(done, None)

    with patch.object(SimulatedStore, "submit", submit):
        yield


@contextlib.contextmanager
def ply_unchecked() -> Iterator[None]:
    """A move is taken for the present ply, whichever it answers."""

    def arrived(match: Match, event: MoveArrived) -> Step:
        return move_arrived(match, replace(event, seen_ply=match.position.ply))

    with patch.dict(HANDLERS, {MoveArrived: arrived}):
        yield


@contextlib.contextmanager
def alarm_unchecked() -> Iterator[None]:
    """An alarm is a verdict: neither the ply nor the deadline is looked at, and nothing is read once more."""

    def rang(match: Match, event: AlarmRang) -> Step:
        stage = match.stage
        return out_of_time(match, stage, event.now_ns) if type(stage) is AwaitingMove else (match, ())

    with patch.dict(HANDLERS, {AlarmRang: rang}):
        yield


@contextlib.contextmanager
def double_restore() -> Iterator[None]:
    """A server restores its unfinished matches again a little after its start."""
    plain = TabiyaServer._restore

    async def restore(server: TabiyaServer) -> None:
        await plain(server)
        loop = asyncio.get_running_loop()
        loop.call_later(LATER_S, lambda: server.dispatcher.spawn(plain(server)))

    with patch.object(TabiyaServer, "_restore", restore):
        yield


@contextlib.contextmanager
def result_outside() -> Iterator[None]:
    """The last move and the result are saved one after the other, not in one transaction."""
    plain = SimulatedStore.submit

    def submit(store: SimulatedStore, write: MatchWrite, done: Done) -> None:
        if not isinstance(write, FinishMatch) or write.move is None:
            plain(store, write, done)
            return

        def then(error: StoreError | None) -> None:
            if error is None:
                plain(store, FinishMatch(write.result), done)
            else:
                done(error)

        plain(store, AppendMove(write.move), then)

    with patch.object(SimulatedStore, "submit", submit):
        yield


PLANTED: dict[str, Callable[[], Any]] = {
    "tell-before-save": tell_before_save,
    "ply-unchecked": ply_unchecked,
    "alarm-unchecked": alarm_unchecked,
    "double-restore": double_restore,
    "result-outside": result_outside,
}
