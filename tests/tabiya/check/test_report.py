"""What the report says, to people and to programs."""

from __future__ import annotations

import asyncio
import json

import pytest

from tabiya.check import scenarios
from tabiya.check.grade import CheckReport
from tabiya.check.report import report_text, report_values
from tabiya.check.run import NO_TIME, check
from tabiya.check.scenario import ScenarioResult, Status
from tests.tabiya.check.broken_bots import (
    BROKEN,
    EndsAtOnce,
    EndsSilently,
    HasTheLastWord,
    OffersAnotherSubprotocol,
)
from tests.tabiya.check.broken_turns import AlwaysThinksLong, NeedsAClock, NeverPasses
from tests.tabiya.check.good_bot import GoodBot
from tests.tabiya.check.in_memory import InMemoryServer, TaskLauncher
from tests.virtual_time import virtual_time

pytestmark = pytest.mark.slow


class OfOneConnection(GoodBot):
    """Three messages and no more: it neither comes back nor answers twice."""

    def returns(self, code: int) -> bool:
        return False

    async def on_refused(self, message: object) -> None:
        """It plays legal moves only."""


async def checked(bot: type[GoodBot], time_limit_s: float = 600.0) -> CheckReport:
    server = InMemoryServer()
    return await check(TaskLauncher(lambda: bot(server)), server, time_limit_s=time_limit_s)


class PrintsRemarks(TaskLauncher):
    """As our client prints them for a bot in Python."""

    def output(self) -> tuple[str, ...]:
        return ("tabiya: remark: look here", "tabiya: match 1: won", "remark: nothing of ours")


def result(report: CheckReport, name: str) -> ScenarioResult:
    return next(result for result in report.results if result.scenario.name == name)


@virtual_time
async def test_a_bot_of_one_connection_has_full_marks_without_the_extras() -> None:
    report = await checked(OfOneConnection)
    assert report.ready
    assert {result.status for result in report.extras} == {Status.NOT_SHOWN}
    assert "full marks" in report_text(report)
    assert f"Extras: 0 of {report.extra_possible} points" in report_text(report)


@virtual_time
async def test_a_failure_shows_what_was_said_and_what_the_bot_printed() -> None:
    text = report_text(await checked(NeedsAClock))
    assert "1. time-controls: the bot plays under every kind of time control (2 points)" in text
    assert "What happened: It was gone: its program ended (exit status 1)." in text
    assert '-> {"type":"turn"' in text
    assert '"clock_ms":null' in text
    assert "| TypeError: 'NoneType' object is not subscriptable" in text
    assert "docs/reference/protocol.md#the-clock" in text
    assert "Lost: time-controls 2" in text


@virtual_time
async def test_a_fault_noted_while_something_else_is_tried_is_shown_with_its_frames() -> None:
    failure = result(await checked(HasTheLastWord), "match-over")
    assert "after match_ended" in failure.cause
    assert [entry.who for entry in failure.frames][-1] == "server"
    assert any('"type":"match_ended"' in entry.text for entry in failure.frames)


@virtual_time
async def test_a_whole_game_waits_until_the_single_turns_are_well() -> None:
    report = await checked(NeverPasses)
    whole = result(report, "reversi/whole")
    assert (whole.status, whole.cause) == (Status.NOT_REACHED, "see reversi/x-must-pass")
    assert report.points == report.possible - 1 - 1 - whole.possible


@virtual_time
async def test_nothing_is_tried_when_nobody_says_hello() -> None:
    report = await checked(EndsAtOnce)
    assert {result.status for result in report.results[1:]} == {Status.NOT_REACHED}
    assert report.percent == 0
    assert f"{len(report.required) - 1} scenarios (see hello)" in report_text(report)
    assert "It ended before it had connected (exit status 1)." in report_text(report)
    assert "| ModuleNotFoundError: No module named 'websocket'" in report_text(report)
    silent = report_text(await checked(EndsSilently))
    assert "before it had connected (exit status 0) and printed nothing: does a line outside" in silent


@virtual_time
async def test_a_handshake_without_our_subprotocols_is_explained() -> None:
    assert "It offers the subprotocols chat, none of which is ours." in report_text(
        await checked(OffersAnotherSubprotocol)
    )


@virtual_time
async def test_remarks_of_our_client_are_repeated_once_and_cost_nothing() -> None:
    server = InMemoryServer()
    report = await check(PrintsRemarks(lambda: OfOneConnection(server)), server)
    assert report.ready
    assert report_values(report)["remarks"] == ["look here"]
    assert "\n\nRemarks, which cost no points\n   look here\n\nGrade: 100 %" in report_text(report)


@virtual_time
async def test_the_time_limit_ends_the_check_with_a_report() -> None:
    loop = asyncio.get_running_loop()
    began_s = loop.time()
    report = await checked(AlwaysThinksLong, time_limit_s=10.0)
    assert loop.time() - began_s < 11
    late = [result for result in report.results if result.cause == NO_TIME]
    assert late
    assert not report.ready
    assert sum(result.took_s for result in report.results) < 11


@virtual_time
async def test_the_report_for_programs_has_every_scenario() -> None:
    report = await checked(NeedsAClock)
    values = json.loads(json.dumps(report_values(report)))
    assert values["ready"] is False
    assert values["points"] == values["possible"] - 2
    assert [scenario["name"] for scenario in values["scenarios"]] == [result.scenario.name for result in report.results]
    failed = next(scenario for scenario in values["scenarios"] if scenario["status"] == "failed")
    assert failed["name"] == "time-controls"
    assert failed["cause"]
    assert failed["cure"]
    assert failed["frames"][0].keys() == {"at_s", "who", "text"}


def test_every_rule_has_a_bot_that_breaks_it() -> None:
    """Of each game's own turns, some kind does for all games."""
    names = {scenario.name for scenario in (*scenarios.FIRST, *scenarios.rest(("reversi",)))}
    broken = frozenset[str]().union(*BROKEN.values())
    kinds = {name.rpartition("/")[2] for name in broken if "/" in name}
    assert kinds >= {"first", "late", "quick", "whole", "x-must-pass"}
    assert {name for name in names if "/" not in name} <= broken


def test_what_a_bot_in_python_leaves_to_our_client_can_be_left_out() -> None:
    every, some = (
        [scenario.name for scenario in scenarios.rest(("nim",), connection=whole)] for whole in (True, False)
    )
    assert set(some) < set(every)
    left_out = set(every) - set(some)
    assert left_out >= {"encodings", "busy", "back-off", "comes-back", "replaced"}
    assert not {name for name in left_out if "/" in name}


def test_names_of_scenarios_are_words_for_programs_and_differ() -> None:
    planned = [*scenarios.FIRST, *scenarios.rest(("nim", "tictactoe", "connect5", "reversi", "chess"))]
    assert len({scenario.name for scenario in planned}) == len(planned)
    assert all(set(scenario.name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-/") for scenario in planned)
