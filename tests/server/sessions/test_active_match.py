"""Standstills reach a match just before what happens to it next; that cannot be told from telling it at once."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from tabiya.games.registry import names
from tabiya.protocol.messages import MatchStarted, Turn, Watch, Watching
from tabiya.server.core.effects import Effect, Show
from tabiya.server.core.events import Event, ProcessPaused, RulesFailed
from tabiya.server.core.match import advance
from tabiya.server.core.policy import DEFAULT_POLICY
from tabiya.server.core.restore import start_match
from tabiya.server.core.state import Match
from tabiya.server.sessions.active_match import ActiveMatch, ProcessPause
from tabiya.storage.records import MatchId
from tests.server.core.fakes import EPOCH_NS, FakeRules, agreed, stored
from tests.server.core.storm import Storm
from tests.server.core.test_storms import some_text
from tests.server.local_bots import LocalBot, Table, silent, table
from tests.virtual_time import now_ns, virtual_time

GAME, S = names()[1], 1_000_000_000


class Recorded(Storm):
    """A storm that keeps each event with the match after it."""

    def happen(self, event: Event) -> None:
        if not hasattr(self, "steps"):
            self.steps: list[tuple[Event, Match]] = []
        self.steps.append((event, self.match))  # in order, though an event can bring the next one
        super().happen(event)


def effects_of(active: ActiveMatch) -> list[Effect]:
    """Lets it happen what the match expects; what that asks for, but for showing."""
    asked: list[Effect] = []
    while active.inbox:
        active.match, effects = advance(active.match, active.inbox.popleft())
        asked += [effect for effect in effects if not isinstance(effect, Show)]
    return asked


def test_a_match_that_hears_of_standstills_late_is_the_same_to_the_microsecond() -> None:
    standstills = 0
    for seed in range(30):
        new = agreed(("60+1", "3/20", "2/move", "none")[seed % 4])
        match = start_match(MatchId(7), new, FakeRules(), DEFAULT_POLICY, EPOCH_NS)
        handled_at_once = Recorded(seed, new, match, FakeRules(), some_text)
        handled_at_once.run(200)
        latest = ProcessPause()
        active = ActiveMatch(stored(new, ()).match, match, "", latest)
        for (event, before), (_, after) in pairwise([*handled_at_once.steps, (None, handled_at_once.match)]):
            if isinstance(event, ProcessPaused):
                latest.later = latest = ProcessPause(event.since_ns, event.now_ns)
                standstills += 1
                continue
            assert event is not None
            active.apply_pauses()
            active.inbox.append(event)
            asked = effects_of(active)
            _, effects = advance(before, event)
            assert active.match == after, f"seed {seed}: {event}"
            assert asked == [effect for effect in effects if not isinstance(effect, Show)], f"seed {seed}: {event}"
    assert standstills > 50


def test_alarms_due_before_a_standstill_come_before_it() -> None:
    latest, record = ProcessPause(), stored(agreed(), ()).match
    active = ActiveMatch(record, start_match(MatchId(7), agreed(), FakeRules(), DEFAULT_POLICY, EPOCH_NS), "", latest)
    first, third = ProcessPaused(1, 2), ProcessPaused(5, 6)  # any events: these can be told apart
    active.inbox.append(first)
    latest.later = ProcessPause(3, 4)
    active.apply_pauses()
    active.inbox.append(third)
    assert list(active.inbox) == [first, ProcessPaused(3, 4), third]


async def two_bots_with_many_matches(there: Table, matches: int) -> tuple[LocalBot, LocalBot]:
    ada, bob = [await there.bot(name, silent, max_matches=matches, seek=(GAME,)) for name in ("ada", "bob")]
    for bot in (ada, bob):
        await bot.receives(MatchStarted, matches)
    await there.idle()
    return ada, bob


@virtual_time
async def test_a_standstill_costs_many_matches_nothing_until_something_happens_to_them() -> None:
    async with table() as there:
        await two_bots_with_many_matches(there, 6)
        running = there.dispatcher.runner.running()
        assert len(running) == 6
        await asyncio.sleep(9)
        before = [active.match for active in running]
        there.dispatcher.process_paused(now_ns() - 8 * S, now_ns())
        assert all(active.match is match and not active.inbox for active, match in zip(running, before, strict=True))
        first = there.dispatcher.runner.snapshot(running[0].record.id)
        assert first is not None
        assert first.thinking_ms == 1_000
        assert [active.match is match for active, match in zip(running, before, strict=True)] == [False] + 5 * [True]


@virtual_time
async def test_pages_watchers_and_turns_show_clocks_that_stood_still() -> None:
    async with table() as there:
        ada, bob, match = await there.two_seated(GAME, silent, silent, time="60+0")
        eve = await there.bot("eve")
        eve.say(Watch(match=match))
        await eve.receives(Watching)
        await asyncio.sleep(10)
        for lost_ns in (3 * S, S // 2):
            there.dispatcher.process_paused(now_ns() - lost_ns, now_ns())
            await asyncio.sleep(1)
        shown = there.dispatcher.runner.snapshot(match)
        assert shown is not None
        assert shown.thinking_ms == 12_050 - 3_500
        mover = ada if ada.received(Turn) else bob
        mover.client.cut()
        turn = await (await there.bot(mover.name, silent)).receives(Turn)
        assert turn.clock_ms is not None
        assert turn.clock_ms.you == 60_000 - shown.thinking_ms
        assert len(eve.received(Watching)) == 3, "each standstill is shown, since a page lets its clock run by itself"


@virtual_time
async def test_a_standstill_that_is_noticed_twice_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    async with table() as there:
        await there.two_seated(GAME, silent, silent)
        for later_ns in (0, 1_000):
            there.dispatcher.process_paused(now_ns() - S, now_ns() + later_ns)
    assert [record.getMessage()[:34] for record in caplog.records] == ["the server stood still for 1.000 s"]


@virtual_time
async def test_an_alarm_that_rings_too_early_after_a_standstill_waits_for_the_rest() -> None:
    async with table() as there:
        _, _, match = await there.two_seated(GAME, silent, silent, time="2/move")
        await asyncio.sleep(1.5)
        there.dispatcher.process_paused(now_ns() - S, now_ns())
        await asyncio.sleep(1.4)
        assert there.dispatcher.runner.active(match) is not None
        await asyncio.sleep(0.2)
        assert there.dispatcher.runner.active(match) is None


@virtual_time
async def test_a_frozen_match_holds_no_standstills(errors_expected: None) -> None:
    async with table() as there:
        _, _, match = await there.two_seated(GAME, silent, silent)
        active = there.dispatcher.runner.active(match)
        assert active is not None
        there.dispatcher.runner.post_to(match, RulesFailed("a bug", now_ns()))
        await asyncio.sleep(1)
        there.dispatcher.process_paused(now_ns() - S, now_ns())
        assert active.frozen
        assert active.pause.later is None
