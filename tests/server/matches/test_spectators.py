"""Watchers: they see what is saved, the latest state of it, always the last one, and hold up nobody."""

from __future__ import annotations

import asyncio

from tabiya.games.registry import names
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import MatchEnded, Resign, Turn, Unwatch, Watch, Watching
from tabiya.server.matches.spectators import FLUSH_S, PageViewer
from tests.server.local_bots import at_random, first_legal, table
from tests.virtual_time import now_s, virtual_time

GAME, CHESS = names()[1], "chess"


@virtual_time
async def test_a_watcher_sees_the_present_state_at_once_and_the_final_one_for_certain() -> None:
    async with table() as there:
        ada, _, match = await there.two_seated(CHESS, at_random(3), at_random(4), think_s=0.5)
        eve = await there.bot("eve")
        await ada.receives(Turn, 3)
        eve.say(Watch(match=match))
        state = await eve.receives(Watching)
        assert (state.match, state.game, state.result, set(state.names)) == (match, CHESS, "", {"ada", "bob"})
        assert len(state.moves) == state.ply
        ended = await ada.receives(MatchEnded)
        await eve.until(lambda: eve.received(Watching)[-1].result != "")
        last = eve.received(Watching)[-1]
        assert (last.result, last.ending, last.position, last.ply) == (
            ended.result,
            ended.ending,
            ended.position,
            ended.plies,
        )
        assert last.to_move is None
        plies = [watching.ply for watching in eve.received(Watching)]
        assert plies == sorted(set(plies))


@virtual_time
async def test_states_that_follow_each_other_quickly_are_shown_as_one() -> None:
    async with table() as there:
        eve = await there.bot("eve")
        ada, _, match = await there.two_seated(CHESS, at_random(3), at_random(4), think_s=0.001)
        eve.say(Watch(match=match))
        await ada.receives(MatchEnded)
        seconds = now_s()
        await eve.until(lambda: bool(eve.received(Watching)) and eve.received(Watching)[-1].result != "")
        assert len(eve.received(Watching)) <= seconds / FLUSH_S + 2
        assert len(ada.received(Turn)) > 2 * len(eve.received(Watching))


@virtual_time
async def test_watchers_are_shown_nothing_before_it_is_saved() -> None:
    async with table() as there:
        ada, _, match = await there.two_seated(CHESS, first_legal)
        await asyncio.sleep(1)
        eve = await there.bot("eve")
        there.store.hold_commits()
        bob = there.dispatcher.sessions.by_name("bob")
        assert bob is not None
        eve.say(Watch(match=match))
        await asyncio.sleep(1)
        seen = eve.received(Watching)[-1].ply
        active = there.dispatcher.runner.active(match)
        assert active is not None
        ada.say(Resign(match=match))
        await asyncio.sleep(5)
        assert eve.received(Watching)[-1].ply == seen
        assert eve.received(Watching)[-1].result == ""
        there.store.release()
        await eve.until(lambda: eve.received(Watching)[-1].ending == "resignation")


@virtual_time
async def test_a_spectator_that_stops_watching_gets_no_more_states() -> None:
    async with table() as there:
        ada, _, match = await there.two_seated(CHESS, first_legal, first_legal, think_s=1.0)
        eve = await there.bot("eve")
        eve.say(Watch(match=match))
        await eve.receives(Watching, 2)
        eve.say(Unwatch(match=match))
        await there.idle()
        seen = len(eve.received(Watching))
        await ada.receives(Turn, 6)
        assert len(eve.received(Watching)) == seen
        assert (await eve.refusal(Unwatch(match=match))).code == "not_watching"


@virtual_time
async def test_a_match_that_does_not_run_cannot_be_watched() -> None:
    async with table() as there:
        eve = await there.bot("eve")
        refused = await eve.refusal(Watch(match=77))
        assert (refused.code, refused.match) == ("unknown_match", 77)
        ada, _, match = await there.two_seated(GAME)
        ada.say(Resign(match=match))
        await ada.receives(MatchEnded)
        assert (await eve.refusal(Watch(match=match))).code == "match_over"


@virtual_time
async def test_matches_that_one_connection_watches_are_limited_and_ended_ones_do_not_count() -> None:
    async with table(limits=WireLimits(watches_per_connection=1)) as there:
        ada, _, match = await there.two_seated(GAME)
        eve = await there.bot("eve")
        eve.say(Watch(match=match))
        eve.say(Watch(match=match))
        await eve.receives(Watching)
        other, _, second = await there.two_seated(CHESS)
        refused = await eve.refusal(Watch(match=second))
        assert (refused.code, "at most 1" in refused.message) == ("limit_reached", True)
        ada.say(Resign(match=match))
        await eve.until(lambda: eve.received(Watching)[-1].result != "")
        await there.idle()
        eve.say(Watch(match=second))
        await eve.until(lambda: eve.received(Watching)[-1].match == second)
        assert other.closed is None


@virtual_time
async def test_spectators_of_one_match_are_limited() -> None:
    async with table(limits=WireLimits(spectators_per_match=1)) as there:
        _, _, match = await there.two_seated(GAME)
        first, second = await there.bot("eve"), await there.bot("mallory")
        first.say(Watch(match=match))
        await first.receives(Watching)
        assert (await second.refusal(Watch(match=match))).code == "limit_reached"
        first.client.cut()
        second.say(Watch(match=match))
        await second.receives(Watching)


@virtual_time
async def test_a_spectator_that_reads_again_gets_the_latest_state_and_one_that_never_reads_delays_nobody() -> None:
    async with table() as there:
        ada, _, match = await there.two_seated(CHESS, at_random(5), at_random(6), think_s=0.5)
        eve, fay = await there.bot("eve"), await there.bot("fay")
        eve.client.stop_reading()
        for bot in (eve, fay):
            bot.say(Watch(match=match))
        spectators = there.dispatcher.runner.spectators
        await ada.until(lambda: eve.client.connection.backlog > 65_536)
        await asyncio.sleep(10)
        eve.client.read_on()
        await there.idle()
        caught_up = len(eve.received(Watching))
        await asyncio.sleep(0.5)
        assert eve.received(Watching)[caught_up].ply > eve.received(Watching)[caught_up - 1].ply + 10
        eve.client.stop_reading()
        await ada.until(lambda: eve.client.connection.backlog > 65_536)
        assert spectators.watchers(match) == 2
        await ada.until(lambda: spectators.watchers(match) == 1)
        assert not ada.received(MatchEnded)
        await ada.receives(MatchEnded)
        await fay.until(lambda: fay.received(Watching)[-1].result != "")
        assert eve.closed is None


@virtual_time
async def test_a_page_gets_states_until_the_end_and_skips_those_it_was_too_slow_for() -> None:
    async with table() as there:
        ada, _, match = await there.two_seated(CHESS, at_random(3), at_random(4), think_s=0.05)
        viewer = PageViewer()
        there.dispatcher.runner.spectators.watch(match, viewer)
        plies = []
        async for state in viewer.states():
            plies.append(state.ply)
            await asyncio.sleep(1)
        assert plies == sorted(set(plies))
        assert len(plies) < len(ada.received(Turn))
        assert there.dispatcher.runner.active(match) is None
