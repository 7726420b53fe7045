"""A bot that keeps all rules has full marks; one that breaks a rule fails exactly what tries this rule."""

from __future__ import annotations

import asyncio

import pytest

from tabiya.check.bot_connection import MATCH_AND_PLY
from tabiya.check.grade import CheckReport
from tabiya.check.run import check
from tabiya.check.scenario import Status
from tabiya.check.scenarios.reconnecting import NOT_BACK
from tabiya.games.registry import load_game
from tests.tabiya.check.broken_bots import BROKEN, ThinksInHalves
from tests.tabiya.check.good_bot import GoodBot, Message
from tests.tabiya.check.in_memory import InMemoryConnection, InMemoryServer, TaskLauncher
from tests.virtual_time import virtual_time

pytestmark = pytest.mark.slow  # a whole check each: a tenth of a second of work


async def checked(bot: type[GoodBot]) -> CheckReport:
    """The report on a bot of this process."""
    server = InMemoryServer()
    return await check(TaskLauncher(lambda: bot(server)), server)


class Many(GoodBot):
    games = ("nim", "tictactoe", "connect5", "reversi", "chess")
    offers = ("tabiya.v1.json", "tabiya.v1.msgpack")
    most = 8


@virtual_time
async def test_a_bot_that_keeps_all_rules_has_full_marks_and_all_extras() -> None:
    report = await checked(Many)
    assert [result for result in report.results if result.status is not Status.PASSED] == [
        result for result in report.results if result.scenario.name == "no-list"
    ]
    assert report.ready
    assert report.percent == 100
    assert report.extra_points == report.extra_possible > 0


@pytest.mark.parametrize("bot", BROKEN, ids=lambda bot: bot.__name__)
def test_a_bot_that_breaks_one_rule_fails_exactly_there(bot: type[GoodBot]) -> None:
    @virtual_time
    async def run() -> None:
        report = await checked(bot)
        assert {failure.scenario.name for failure in report.failures} == BROKEN[bot]
        for failure in report.failures:
            assert failure.cause
            assert failure.cure
        assert report.ready == all(failure.scenario.extra for failure in report.failures)

    run()


@virtual_time
async def test_a_bad_info_costs_the_points_of_one_rule_and_hides_no_other() -> None:
    report = await checked(ThinksInHalves)
    (failure,) = report.failures
    assert report.points == report.possible - failure.possible
    assert "info.score: expected an integer or null, received 12.5; the move counts" in failure.cause


class OnlyWins(GoodBot):
    games = ("nim",)

    def choose(self, turn: Message) -> str:
        now = load_game("nim").parse(turn["position"])
        wins = [move for move in now.legal_moves() if now.play(move).outcome() is not None]
        assert wins
        return wins[0]


@virtual_time
async def test_a_bot_that_answers_only_where_it_wins_at_once_is_known_from_its_first_turn() -> None:
    report = await checked(OnlyWins)
    assert [(failure.scenario.name, failure.scenario.first) for failure in report.failures] == [(MATCH_AND_PLY, True)]


class Exact(GoodBot):
    """Stays away exactly as long as busy says."""

    def pause_s(self) -> float:
        return self.busy_s or super().pause_s()


@virtual_time
async def test_the_time_that_closing_takes_is_not_held_against_a_bot_that_was_asked_to_stay_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at_once = InMemoryConnection.close

    async def slowly(connection: InMemoryConnection, code: int, reason: str) -> None:
        await at_once(connection, code, reason)
        await asyncio.sleep(0.5)

    monkeypatch.setattr(InMemoryConnection, "close", slowly)
    assert (await checked(Exact)).failures == ()


class Hesitates(GoodBot):
    """Comes back, but each time after twice as long, also after a `welcome`."""

    async def on_welcome(self, message: Message) -> None:
        delay_s = self.delay_s
        await super().on_welcome(message)
        self.delay_s = delay_s


@virtual_time
async def test_a_bot_that_comes_back_too_late_is_told_how_long_its_first_wait_is() -> None:
    report = await checked(Hesitates)
    late = [result.cause for result in report.results if result.status is Status.NOT_SHOWN]
    assert late
    assert set(late) == {NOT_BACK}
    assert "did not reconnect within 8 s" in NOT_BACK
