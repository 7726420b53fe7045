"""Runs all scenarios in order on one bot and collects the results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from tabiya.bots.client.events import REMARK
from tabiya.check import scenarios
from tabiya.check.grade import CheckReport
from tabiya.check.harness import Harness
from tabiya.check.launcher import Launcher
from tabiya.check.outcomes import BlockedByOtherFailure, ExtraNotSupported, NotApplicable, RuleBroken
from tabiya.check.scenario import Scenario, ScenarioResult, Status
from tabiya.check.scripted_server import ScriptedServer
from tabiya.check.transcript import Transcript

Progress = Callable[[ScenarioResult, int, int], None]
REMARK_LINE = f"tabiya: {REMARK}"
NO_TIME = "the time limit of the whole check came before"


async def check(
    launcher: Launcher,
    server: ScriptedServer,
    *,
    games: tuple[str, ...] = (),
    connection: bool = True,
    time_limit_s: float = 600.0,
    progress: Progress = lambda result, done, total: None,
) -> CheckReport:
    """The report on the bot that `launcher` starts.

    games: those it is to play, whatever it says; empty: those it claims.  connection: whether also to try how it loses
    its connection and comes back, which takes a minute and which a bot in Python leaves to our client.
    progress: called with each result, how many there are and will be.  Raises CannotStart when its program cannot be
    started at all.
    """
    await server.open()
    until_s = asyncio.get_running_loop().time() + time_limit_s
    check_run = CheckRun(launcher, server, games, connection, until_s, progress)
    try:
        return await check_run.run()
    finally:
        await check_run.harness.stop_bot()
        await server.close()


class CheckRun:
    """One run over the scenarios."""

    def __init__(
        self,
        launcher: Launcher,
        server: ScriptedServer,
        games: tuple[str, ...],
        connection: bool,
        until_s: float,
        progress: Progress,
    ) -> None:
        """connection: as of `check`.  until_s: the end of the time limit, on the loop's clock."""
        self._loop = asyncio.get_running_loop()
        self._transcript = Transcript(self._loop.time)
        self._launcher, self._until_s, self._progress = launcher, until_s, progress
        self.harness = Harness(launcher, server, self._transcript, games)
        self._connection = connection
        self._results: dict[str, ScenarioResult] = {}
        self._remarks: dict[str, None] = {}
        self._stopped_by = ""

    async def run(self) -> CheckReport:
        """Run the scenarios; the report."""
        planned = scenarios.FIRST
        for scenario in planned:  # what games the bot plays is known only behind these
            await self._try(scenario, len(planned))
        planned += scenarios.rest(self.harness.games, connection=self._connection)
        for scenario in planned[len(scenarios.FIRST) :]:
            await self._try(scenario, len(planned))
        return CheckReport(
            tuple(self._results[scenario.name] for scenario in planned),
            self.harness.name,
            self.harness.games,
            tuple(self._remarks),
        )

    async def _try(self, scenario: Scenario, total: int) -> None:
        mark, began_s = self._transcript.written, self._loop.time()
        result = self._not_tried(scenario) or await self._outcome(scenario, mark)
        result = replace(result, took_s=round(self._loop.time() - began_s, 3))
        if not self._failed(scenario.name):  # its rule may have been broken in an earlier scenario
            self._results[scenario.name] = result
        self._enter_noted(mark)
        remarks = (line for line in self._launcher.output() if line.startswith(REMARK_LINE))
        self._remarks.update(dict.fromkeys(line.removeprefix(REMARK_LINE) for line in remarks))
        result = self._results[scenario.name]
        if scenario.first and result.status is Status.FAILED:
            self._stopped_by = scenario.name
        if result.status in (Status.FAILED, Status.NOT_REACHED):
            self.harness.failed_games.update(
                name for name in self.harness.games if scenario.name.startswith(f"{name}/")
            )
            await self.harness.stop_bot()  # the next scenario finds a fresh one, whatever state this was in
        self._progress(result, len(self._results), total)

    def _enter_noted(self, mark: int) -> None:
        """Enter rules broken meanwhile that are not the scenario's own; the first failure of each counts."""
        noted, self.harness.noted_failures = self.harness.noted_failures, []
        for rule, fault in noted:
            if not self._failed(rule):
                known = (*scenarios.FIRST, *scenarios.rest(self.harness.games))
                scenario = next(scenario for scenario in known if scenario.name == rule)
                self._results[rule] = self._failure(scenario, fault, mark)

    def _not_tried(self, scenario: Scenario) -> ScenarioResult | None:
        if self._stopped_by:
            return ScenarioResult(scenario, Status.NOT_REACHED, f"see {self._stopped_by}")
        if self._loop.time() >= self._until_s:
            return ScenarioResult(scenario, Status.NOT_REACHED, NO_TIME)
        if scenario.after:
            for name, result in self._results.items():
                if name.startswith(scenario.after) and result.status is Status.FAILED:
                    return ScenarioResult(scenario, Status.NOT_REACHED, f"see {name}")
        return None

    async def _outcome(self, scenario: Scenario, mark: int) -> ScenarioResult:
        harness = self.harness
        try:
            async with asyncio.timeout_at(self._until_s):
                await scenario.run(harness)
                await harness.end_all_matches()
        except RuleBroken as fault:
            return self._failure(scenario, fault, mark)
        except BlockedByOtherFailure as blocked:
            return ScenarioResult(scenario, Status.NOT_REACHED, f"see {blocked.rule}")
        except ExtraNotSupported as absent:
            # the bot goes on as it is, unlike after a failure: its matches are to end
            await harness.end_all_matches()
            return ScenarioResult(scenario, Status.NOT_SHOWN, str(absent))
        except NotApplicable as other:
            return ScenarioResult(scenario, Status.NOT_APPLICABLE, str(other))
        except TimeoutError:
            return ScenarioResult(scenario, Status.NOT_REACHED, NO_TIME)
        return ScenarioResult(scenario, Status.PASSED)

    def _failure(self, scenario: Scenario, fault: RuleBroken, mark: int) -> ScenarioResult:
        frames, printed = self._transcript.since(mark), self._launcher.output()
        return ScenarioResult(scenario, Status.FAILED, fault.cause, fault.cure, frames, printed)

    def _failed(self, name: str) -> bool:
        result = self._results.get(name)
        return result is not None and result.status is Status.FAILED
