"""Bugs put into the server on purpose, to test that the simulation finds them. The product has none of them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

from msgspec.structs import replace

from scripts.long_runs.simulation.environment.disk import SimulatedStore
from tabiya.server.app import TabiyaServer
from tabiya.server.cluster.hosts import Hosts
from tabiya.server.cluster.link import Arrival, LinkEnd
from tabiya.server.cluster.match_host import MatchHost
from tabiya.server.cluster.remote_gateways import GatewayLink, RemoteConnection
from tabiya.server.core.effects import SaveMove
from tabiya.server.core.events import AlarmRang, MoveArrived, MoveSaved, ResultSaved
from tabiya.server.core.handlers.endings import out_of_time
from tabiya.server.core.handlers.moves import move_arrived
from tabiya.server.core.match import HANDLERS
from tabiya.server.core.state import AwaitingMove, Match, Saving, Step
from tabiya.server.dispatcher import Dispatcher
from tabiya.server.matches.continue_matches import continue_matches
from tabiya.storage.errors import StoreError
from tabiya.storage.group_commit import Done
from tabiya.storage.memory_tables import MemoryTables
from tabiya.storage.writes import AppendMove, FinishMatch, MatchWrite

LATER_S = 1.0


@contextlib.contextmanager
def send_before_save() -> Iterator[None]:
    """Every save is answered before it is made."""
    plain = SimulatedStore.submit

    def submit(store: SimulatedStore, write: MatchWrite, done: Done) -> None:
        plain(store, write, lambda error: None)
        asyncio.get_running_loop().call_soon(done, None)

    with patch.object(SimulatedStore, "submit", submit):
        yield


@contextlib.contextmanager
def ply_unchecked() -> Iterator[None]:
    """A move counts for the present ply, even if it answers another."""

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


@contextlib.contextmanager
def gaps_unseen() -> Iterator[None]:
    """Between gateway and host a batch is taken as the next, even if one before it was lost."""

    def arrival(end: LinkEnd[Any], number: int) -> Arrival:
        end.received = number
        return Arrival.NEXT

    with patch.object(LinkEnd, "arrival", arrival):
        yield


@contextlib.contextmanager
def doubles_unseen() -> Iterator[None]:
    """Between gateway and host a batch that comes twice is carried out twice."""
    plain = LinkEnd.arrival

    def arrival(end: LinkEnd[Any], number: int) -> Arrival:
        seen = plain(end, number)
        return Arrival.NEXT if seen is Arrival.DUPLICATE and number else seen

    with patch.object(LinkEnd, "arrival", arrival):
        yield


@contextlib.contextmanager
def lost_links_charged() -> Iterator[None]:
    """The time in which a gateway was not connected is charged to the bots."""
    with patch.object(Dispatcher, "unreachable", lambda *_: None):
        yield


@contextlib.contextmanager
def gateways_unasked() -> Iterator[None]:
    """A bot loses on time though a move of it may lie before its gateway."""

    def after_reads(connection: RemoteConnection, callback: Callable[[], None]) -> None:
        asyncio.get_running_loop().call_soon(callback)

    with patch.object(RemoteConnection, "after_reads", after_reads):
        yield


@contextlib.contextmanager
def way_charged() -> Iterator[None]:
    """A move counts from when the host receives it, and not from when the gateway has read it."""
    with patch.object(GatewayLink, "to_our_clock", lambda link, _: link.now_ns()):
        yield


@contextlib.contextmanager
def unfenced() -> Iterator[None]:
    """A host that was ended can still write."""
    with patch.object(MemoryTables, "refusal", lambda tables, host: None):
        yield


@contextlib.contextmanager
def deaf_server_ends_hosts() -> Iterator[None]:
    """The server takes hosts for lost also while it is cut off from the bus itself."""
    works = property(lambda hosts: True, lambda hosts, value: None)
    with patch.object(Hosts, "_bus_works", works, create=True):
        yield


@contextlib.contextmanager
def leaves_before_saved() -> Iterator[None]:
    """A host that leaves takes a save under way for done, and announces it."""
    plain = MatchHost.stop

    async def stop(host: MatchHost) -> None:
        runner = host.dispatcher.runner
        for active in runner.running():
            if isinstance(stage := active.match.stage, Saving):
                save, now_ns = stage.save, runner.now_ns()
                saved = MoveSaved(save.move.ply, now_ns) if isinstance(save, SaveMove) else ResultSaved(now_ns)
                runner.post(active, saved)
        await plain(host)

    with patch.object(MatchHost, "stop", stop):
        yield


@contextlib.contextmanager
def played_by_all() -> Iterator[None]:
    """A host plays every match that hosts play, even those given to others."""

    async def look(host: MatchHost) -> None:
        given = await host._store.hosts_of_matches()
        new = [number for number, its in given.items() if its and host.dispatcher.is_new(number)]
        found = await host._store.whole_matches(new)
        await continue_matches(host._store, found, host.dispatcher.match_factory.take_up)

    with patch.object(MatchHost, "_start_given_matches", look):
        yield


@contextlib.contextmanager
def two_servers() -> Iterator[None]:
    """A server that was taken over goes on to lead and to write."""
    with patch.object(SimulatedStore, "is_taken_over", lambda store: False):
        yield


PLANTED: dict[str, Callable[[], Any]] = {
    "tell-before-save": send_before_save,
    "ply-unchecked": ply_unchecked,
    "alarm-unchecked": alarm_unchecked,
    "double-restore": double_restore,
    "result-outside": result_outside,
}
IN_GATEWAYS: dict[str, Callable[[], Any]] = {
    "gaps-unseen": gaps_unseen,
    "doubles-unseen": doubles_unseen,
    "lost-links-charged": lost_links_charged,
    "gateways-unasked": gateways_unasked,
    "way-charged": way_charged,
}
"""Found with gateways only."""
IN_HOSTS: dict[str, Callable[[], Any]] = {
    "unfenced": unfenced,
    "deaf-server-ends-hosts": deaf_server_ends_hosts,
    "leaves-before-saved": leaves_before_saved,
    "played-by-all": played_by_all,
    "two-servers": two_servers,
}
"""Found with hosts only."""
