"""Hosts beside the server play matches; they come and go, and bots notice nothing but a pause."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace

from tabiya.protocol.messages import (
    Hello,
    MatchEnded,
    MatchStarted,
    Move,
    Notice,
    Refused,
    Resign,
    Seek,
    Turn,
    Watch,
    Watching,
    Welcome,
)
from tabiya.server.app import TabiyaServer
from tabiya.server.cluster import hosts, match_host, remote_gateways
from tabiya.server.cluster.bus import HOSTS
from tabiya.server.cluster.match_host import MatchHost
from tabiya.server.cluster.messages import HostBatch, HostNews, HostPresence, Send, unpack
from tabiya.server.cluster.rules import rules_here
from tabiya.server.core.restore import OtherRulesError
from tabiya.server.matches import dispatcher
from tabiya.server.web.http.server_facade import ServerFacade
from tabiya.storage.errors import HostEnded
from tabiya.storage.memory import MemoryStore
from tabiya.storage.records import MatchId, NewMatch, StoredMatch
from tests.live import PlainBot, connected, eventually, welcomed
from tests.present import present
from tests.server.cluster.cluster import Cluster, answer, begun, play_on, url

pytestmark = pytest.mark.slow


@contextlib.asynccontextmanager
async def with_hosts(
    there: Cluster, number: int
) -> AsyncIterator[tuple[TabiyaServer, list[MatchHost], PlainBot, PlainBot]]:
    """A server, so many hosts, and ada and bob behind two gateways."""
    async with contextlib.AsyncExitStack() as stack:
        server = await stack.enter_async_context(there.server())
        there.gateways = [await stack.enter_async_context(there.gateway()) for _ in range(2)]
        ada, bob = [
            await stack.enter_async_context(welcomed(url(gateway), name))
            for gateway, name in zip(there.gateways, ("ada", "bob"), strict=True)
        ]
        hosts = [await stack.enter_async_context(there.playing(server)) for _ in range(number)]
        yield server, hosts, ada, bob


@pytest.fixture(autouse=True)
def _hosts_leave_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no server is left to hand their matches on."""
    monkeypatch.setattr(match_host, "REASSIGN_TIMEOUT_S", 1.0)


def host_of(there: Cluster, turn: Turn) -> int:
    return there.tables.matches[MatchId(turn.match)].host


async def test_a_match_is_played_by_a_host_and_its_end_is_known_to_the_server() -> None:
    there = Cluster()
    async with with_hosts(there, 1) as (server, (host,), ada, bob):
        ended: list[int] = []
        server.dispatcher.on_ended.append(lambda record, result: ended.append(record.id))
        white, black, turn = await begun(ada, bob)
        assert host_of(there, turn) == host.number
        await play_on(there, white, black, turn)
        await eventually(lambda: ended == [turn.match])
        assert (server.dispatcher.runner.count, host.dispatcher.runner.count) == (0, 0)


async def test_a_match_is_played_as_soon_as_the_server_names_it_and_what_was_given_before_at_the_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(match_host, "CHECK_BEATS", 10**9)
    there = Cluster()
    async with with_hosts(there, 1) as (server, (host,), ada, bob):
        *_, turn = await begun(ada, bob)
        assert host_of(there, turn) == host.number
        heir = await MemoryStore(there.tables).register_host("heir", 0.0)
        await server.store.move_matches(host.number, (heir,), 1.0)
        parts = there.config, there.bus, MemoryStore(there.tables, host=heir), heir
        other = MatchHost(*parts)
        await other.start()
        await eventually(lambda: other.dispatcher.runner.active(turn.match) is not None)
        await other.stop(hands_on=False)


async def test_a_match_is_left_to_the_server_to_be_named_until_it_is_seen_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(match_host, "CHECK_BEATS", 10**9)
    there = Cluster()
    async with with_hosts(there, 1) as (server, (host,), ada, bob):
        create, answers = server.store.create_match, asyncio.Event()

        async def answered_late(new: NewMatch) -> MatchId:
            stored = await create(new)
            await answers.wait()
            return stored

        monkeypatch.setattr(server.store, "create_match", answered_late)
        for bot in (ada, bob):
            await bot.say(Seek(game="chess"))
        await eventually(lambda: bool(there.tables.matches))
        for played in (0, 1):
            host._checks_all = True
            await host._start_given_matches()
            assert host.dispatcher.runner.count == played
        answers.set()
        await eventually(lambda: server.dispatcher.runner.count == 1)


@contextlib.asynccontextmanager
async def two_more(there: Cluster) -> AsyncIterator[tuple[PlainBot, PlainBot]]:
    async with welcomed(url(there.gateways[0]), "eve") as eve, welcomed(url(there.gateways[1]), "zoe") as zoe:
        yield eve, zoe


async def test_matches_are_spread() -> None:
    there = Cluster()
    async with with_hosts(there, 2) as (_, hosts, ada, bob), two_more(there) as (eve, zoe):
        turns = [(await begun(*pair))[2] for pair in ((ada, bob), (eve, zoe))]
        assert {host_of(there, turn) for turn in turns} == {host.number for host in hosts}


async def test_a_host_that_leaves_hands_its_matches_over() -> None:
    there = Cluster()
    async with with_hosts(there, 1) as (server, (first,), ada, bob), two_more(there) as (eve, zoe):
        async with there.playing(server) as second:
            matches = [await begun(*pair) for pair in ((ada, bob), (eve, zoe))]
            white, black, turn = next(one for one in matches if host_of(there, one[2]) == second.number)
            await answer(white, turn)
            turn = await black.receives(Turn)
        assert host_of(there, turn) == first.number
        again = await black.receives(Turn)
        assert (again.match, again.ply) == (turn.match, turn.ply)
        await play_on(there, black, white, again)


async def test_the_server_goes_on_with_the_matches_of_the_last_host() -> None:
    there = Cluster()
    async with with_hosts(there, 0) as (server, _, ada, bob):
        async with there.playing(server):
            white, black, turn = await begun(ada, bob)
        again = await white.receives(Turn)
        assert (again.match, again.ply, host_of(there, turn)) == (turn.match, turn.ply, 0)
        await play_on(there, white, black, again)


async def test_a_host_that_is_cut_off_writes_nothing_any_more() -> None:
    there = Cluster()
    async with with_hosts(there, 2) as (_, hosts, ada, bob):
        white, black, turn = await begun(ada, bob)
        lost, other = sorted(hosts, key=lambda host: host.number != host_of(there, turn))
        there.cut_off(lost.number)
        again = await white.receives(Turn)
        assert (again.match, again.ply, host_of(there, turn)) == (turn.match, turn.ply, other.number)
        await answer(white, again)
        await play_on(there, black, white, await black.receives(Turn))
        with pytest.raises(HostEnded):
            await MemoryStore(there.tables, host=lost.number).freeze_match(MatchId(turn.match), "it believes to play")


async def test_a_server_that_takes_over_finds_the_matches_of_the_hosts() -> None:
    there = Cluster()
    async with contextlib.AsyncExitStack() as stack:
        gateway = await stack.enter_async_context(there.gateway())
        async with there.server() as server:
            ada = await stack.enter_async_context(welcomed(url(gateway), "ada", resume=""))
            bob = await stack.enter_async_context(welcomed(url(gateway), "bob"))
            host = await stack.enter_async_context(there.playing(server))
            white, black, turn = await begun(ada, bob)
        await answer(white, turn)
        turn = await black.receives(Turn)  # without a server
        async with there.server() as server:
            await eventually(lambda: server.dispatcher.runner.count == 1)
            assert server.dispatcher.runner.host_of(turn.match) == host.number
            await black.say(Resign(match=turn.match))
            assert (await white.receives(MatchEnded)).winner == 1 - turn.seat
            await eventually(lambda: not server.dispatcher.runner.count)


@pytest.mark.parametrize("alone", [False, True])
async def test_a_match_that_was_stored_for_a_host_just_after_its_end_goes_on(alone: bool) -> None:
    there = Cluster()
    async with contextlib.AsyncExitStack() as stack:
        gateway = await stack.enter_async_context(there.gateway())
        async with there.server():
            ada, bob = [await stack.enter_async_context(welcomed(url(gateway), name)) for name in ("ada", "bob")]
            white, black, turn = await begun(ada, bob)
        store, match = MemoryStore(there.tables), there.tables.matches[MatchId(turn.match)]
        ended = await store.register_host("ended", 0.0)
        await store.move_matches(ended, (0,), 1.0)
        there.tables.matches[match.id] = replace(match, host=ended)
        if alone:
            server = TabiyaServer(there.config, store=store)
            await server.start()
            assert host_of(there, turn) == 0
            await server.stop()
        async with there.server() as server:
            await play_on(there, white, black, await white.receives(Turn))
            await eventually(lambda: not server.dispatcher.runner.count)


async def test_results_without_a_server_are_read_from_the_database() -> None:
    there = Cluster()
    async with contextlib.AsyncExitStack() as stack:
        gateway = await stack.enter_async_context(there.gateway())
        async with there.server() as server:
            ada = await stack.enter_async_context(welcomed(url(gateway), "ada"))
            bob = await stack.enter_async_context(welcomed(url(gateway), "bob"))
            await stack.enter_async_context(there.playing(server))
            white, black, turn = await begun(ada, bob)
            there.bus.passes = lambda subject, data: int(".news." not in subject)
            await play_on(there, white, black, turn)
            assert server.dispatcher.runner.count == 1
            there.bus.passes = lambda subject, data: 1
            await eventually(lambda: not server.dispatcher.runner.count)


async def test_an_end_is_told_once_though_the_next_server_has_not_heard_of_it() -> None:
    there = Cluster()
    async with contextlib.AsyncExitStack() as stack:
        gateway = await stack.enter_async_context(there.gateway())
        async with there.server() as server:
            ada, bob = [await stack.enter_async_context(welcomed(url(gateway), name)) for name in ("ada", "bob")]
            await stack.enter_async_context(there.playing(server))
            white, black, turn = await begun(ada, bob)
        unheard = [".news.", HOSTS]
        there.bus.passes = lambda subject, data: int(not any(part in subject for part in unheard))
        async with there.server() as server:
            await eventually(lambda: server.dispatcher.runner.count == 1)
            await play_on(there, white, black, turn)
            unheard.remove(HOSTS)
            for bot in (ada, bob):
                assert not (await bot.receives(Welcome)).matches
            assert server.dispatcher.runner.count == 1
            unheard.clear()
            await eventually(lambda: not server.dispatcher.runner.count)
            for bot in (ada, bob):
                await bot.say(Seek(game="nim"))
            for bot in (ada, bob):
                while not isinstance(message := await bot.hear(), MatchStarted):
                    assert not isinstance(message, MatchEnded)


async def test_a_match_of_a_host_is_watched_at_the_server() -> None:
    there = Cluster()
    async with with_hosts(there, 1) as (server, _, ada, bob), welcomed(server.websocket_url, "eve") as eve:
        white, black, turn = await begun(ada, bob)
        await eve.say(Watch(match=turn.match))
        await answer(white, turn)
        seen = await eve.receives(Watching)
        while seen.ply == turn.ply:
            seen = await eve.receives(Watching)
        await black.say(Resign(match=turn.match))
        while not seen.result:
            seen = await eve.receives(Watching)
        assert seen.ply == turn.ply + 1


async def test_a_bot_that_comes_by_another_gateway_finds_its_match_at_its_host() -> None:
    there = Cluster()
    async with with_hosts(there, 1) as (server, (host,), ada, _), connected(url(there.gateways[1])) as bob:
        await bob.say(Hello(name="bert", resume=""))
        secret = (await bob.receives(Welcome)).resume
        white, _, turn = await begun(ada, bob)
        if white is bob:
            await answer(bob, turn)
            turn = await ada.receives(Turn)
        async with connected(server.websocket_url) as again:
            await again.say(Hello(name="bert", resume=secret))
            await again.receives(Welcome)
            await answer(ada, turn)
            turn = await again.receives(Turn)
            assert host.dispatcher.runner.count == 1
            await play_on(there, again, ada, turn)


async def test_a_move_in_a_match_that_is_over_is_refused_by_its_host() -> None:
    there = Cluster()
    async with with_hosts(there, 1) as (_, _, ada, bob):
        white, black, turn = await begun(ada, bob)
        await play_on(there, white, black, turn)
        await white.say(Move(match=turn.match, ply=9, move="e2e4"))
        assert (await white.receives(Refused)).code == "match_over"


async def test_moves_saved_by_hosts_are_counted() -> None:
    there = Cluster()
    async with with_hosts(there, 2) as (server, hosts, ada, bob):
        white, black, turn = await begun(ada, bob)
        await play_on(there, white, black, turn)
        runner = server.dispatcher.runner
        await eventually(lambda: not runner.count)
        assert runner.moves_saved == sum(host.dispatcher.runner.moves_saved for host in hosts) > 0


async def test_the_numbers_of_the_server_count_hosts_and_gateways() -> None:
    there = Cluster()
    async with with_hosts(there, 1) as (server, *_):
        counts = ServerFacade(server).counts
        async with there.playing(server):
            assert (counts().hosts, counts().gateways) == (2, 2)
        await eventually(lambda: counts().hosts == 1)


def tells_end(host: MatchHost, subject: str, data: bytes) -> bool:
    """Whether a host says to bots or server that a match has ended."""
    batch, news = unpack(data, HostBatch), unpack(data, HostNews) if ".news." in subject else None
    items = batch.items if batch is not None and batch.host == host.number else ()
    return any(isinstance(item, Send) and item.ended for item in items) or bool(news is not None and news.ended)


async def test_the_end_of_a_match_is_told_though_what_its_host_says_of_it_is_lost() -> None:
    there = Cluster()
    async with with_hosts(there, 1) as (_, (host,), ada, bob):
        white, black, turn = await begun(ada, bob)
        there.bus.passes = lambda subject, data: int(".gateway." not in subject or not tells_end(host, subject, data))
        await play_on(there, white, black, turn)


async def test_the_end_of_a_match_is_told_though_its_host_is_lost_before_it_could_say_so() -> None:
    there = Cluster()
    async with with_hosts(there, 1) as (_, (host,), ada, bob):
        white, black, turn = await begun(ada, bob)

        def passes(subject: str, data: bytes) -> int:
            if tells_end(host, subject, data):
                there.cut_off(host.number)
                return 0
            return 1

        there.bus.passes = passes
        await play_on(there, white, black, turn)


async def test_a_host_that_was_ended_is_not_heard_when_it_is_back() -> None:
    there = Cluster()
    async with with_hosts(there, 2) as (_, hosts, ada, bob):
        white, black, turn = await begun(ada, bob)
        lost = next(host for host in hosts if host.number == host_of(there, turn))
        there.cut_off(lost.number)
        await answer(white, await white.receives(Turn))
        turn = await black.receives(Turn)
        there.bus.passes = lambda subject, data: 1
        await asyncio.sleep(1.2)  # it says that it is there, and knows nothing
        assert lost.dispatcher.runner.count == 1
        await play_on(there, black, white, turn)


async def test_a_host_that_is_cut_off_does_not_take_all_bots_for_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_gateways, "MAX_MISSED_BEATS", 3)
    there = Cluster()
    async with with_hosts(there, 1) as (_, (host,), ada, bob):
        white, black, _ = await begun(ada, bob)
        there.bus.passes = lambda subject, data: 0
        await asyncio.sleep(2.6)
        assert len(host.dispatcher.sessions) == 2
        there.bus.passes = lambda subject, data: 1
        await play_on(there, white, black, await white.receives(Turn))


async def test_nothing_is_decided_by_time_while_no_server_lets_bots_back_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "RETURN_NS", 600_000_000)
    there = Cluster()
    async with with_hosts(there, 1) as (_, (host,), ada, bob):

        def passes(subject: str, data: bytes) -> int:
            presence = unpack(data, HostPresence) if subject == HOSTS else None
            return int(presence is None or not presence.is_server)

        there.bus.passes = passes
        await begun(ada, bob, "2/move")
        await asyncio.sleep(2.6)
        assert host.dispatcher.runner.count == 1
        there.bus.passes = lambda subject, data: 1
        assert (await ada.receives(MatchEnded)).ending == "time"


@pytest.mark.usefixtures("errors_expected")
async def test_a_match_that_its_host_cannot_play_is_reported_and_its_players_are_free(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As where the host has another version of the rules than the server."""
    monkeypatch.setattr(hosts, "COMPARE_BEATS", 1)
    there = Cluster()
    async with with_hosts(there, 1) as (server, (host,), ada, bob):

        def take_up(stored: StoredMatch, tournament: str = "") -> None:
            raise OtherRulesError("the match was begun under the rules chess 2, this server plays chess 1")

        host.dispatcher.match_factory.take_up = take_up  # type: ignore[method-assign]
        for bot in (ada, bob):
            await bot.say(Seek(game="chess", time="60+0"))
        await eventually(lambda: any(match.status == "frozen" for match in there.tables.matches.values()))
        for bot in (ada, bob):
            notice = await bot.receives(Notice)
            assert (notice.kind, "is stopped by an error of the server" in notice.text) == ("match_frozen", True)
        reasons = [match.frozen_reason for match in there.tables.matches.values() if match.status == "frozen"]
        assert "begun under the rules chess 2, this server plays chess 1" in str(reasons)
        assert server.dispatcher.runner.frozen >= 1


async def host_with_rules(stack: contextlib.AsyncExitStack, there: Cluster, server: TabiyaServer, **rules: int) -> int:
    """The number of a new host that has these rules in place of ours; 0: it has no such game."""
    own = rules_here() | rules
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(match_host, "rules_here", lambda: {game: version for game, version in own.items() if version})
        return (await stack.enter_async_context(there.playing(server))).number


async def test_new_matches_are_given_to_hosts_with_the_same_rules_and_played_by_the_server_if_there_is_none(
    caplog: pytest.LogCaptureFixture,
) -> None:
    there = Cluster()
    async with contextlib.AsyncExitStack() as stack:
        server, _, ada, bob = await stack.enter_async_context(with_hosts(there, 0))
        chosen = present(server.hosts)
        newer = await host_with_rules(stack, there, server, chess=99)
        without = await host_with_rules(stack, there, server, chess=0, nim=0)
        assert f"host {newer} has other rules than this server of chess, or none" in caplog.text
        assert f"host {without} has other rules than this server of nim, chess, or none" in caplog.text
        assert [chosen.place("nim", ()) for _ in range(2)] == [newer] * 2
        assert {chosen.place("reversi", ()) for _ in range(4)} == {newer, without}
        white, black, turn = await begun(ada, bob)
        assert host_of(there, turn) == 0
        await play_on(there, white, black, turn)
        same = await host_with_rules(stack, there, server)
        assert {chosen.place("chess", ()) for _ in range(4)} == {same}


async def test_matches_of_a_host_that_leaves_go_on_at_one_with_its_rules_and_else_at_the_server() -> None:
    there = Cluster()
    async with contextlib.AsyncExitStack() as stack:
        server, _, ada, bob = await stack.enter_async_context(with_hosts(there, 0))
        async with contextlib.AsyncExitStack() as first:
            await host_with_rules(first, there, server)
            second = contextlib.AsyncExitStack()
            white, black, turn = await begun(ada, bob)
            await host_with_rules(stack, there, server, chess=99)
            same = await host_with_rules(second, there, server)
        assert host_of(there, await white.receives(Turn)) == same
        await second.aclose()
        turn = await white.receives(Turn)
        assert host_of(there, turn) == 0
        await play_on(there, white, black, turn)


async def test_a_match_under_other_rules_than_those_of_a_new_server_goes_on_at_its_host_and_its_end_is_learned(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts, "COMPARE_BEATS", 1)
    there = Cluster()
    async with contextlib.AsyncExitStack() as stack:
        first = contextlib.AsyncExitStack()
        server = await first.enter_async_context(there.server())
        gateway = await stack.enter_async_context(there.gateway())
        ada, bob = [await stack.enter_async_context(welcomed(url(gateway), name)) for name in ("ada", "bob")]
        await stack.enter_async_context(there.playing(server))
        white, black, turn = await begun(ada, bob)
        await first.aclose()
        number = MatchId(turn.match)
        there.tables.matches[number] = replace(there.tables.matches[number], rules_version=99)
        async with there.server() as next_server:
            ended: list[int] = []
            next_server.dispatcher.on_ended.append(lambda record, result: ended.append(record.id))
            assert next_server.dispatcher.runner.active(number) is None
            for bot in (ada, bob):
                running = (await bot.receives(Welcome)).matches  # "all others have ended"
                assert [(one.match, one.seat) for one in running] == [(number, int(bot is black))]
            assert next_server.dispatcher.host_of(number) == host_of(there, turn)
            await play_on(there, white, black, turn)
            await eventually(lambda: there.tables.matches[number].status == "ended")
            await eventually(lambda: ended == [number])
        assert "chess 99" in next(text for text in caplog.messages if "goes on at host" in text)
