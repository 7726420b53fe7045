"""All scenarios in order, on one bot: what failed, what could not be tried, and why."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from tabiya.check import scenarios
from tabiya.check.grade import Report
from tabiya.check.harness import Trial
from tabiya.check.launcher import Launcher
from tabiya.check.outcomes import Blocked, Fault, NotApplicable, NotShown
from tabiya.check.scenario import Result, Scenario, Status
from tabiya.check.scripted_server import Door
from tabiya.check.transcript import Transcript

Progress = Callable[[Result, int, int], None]
NO_TIME = "the time limit of the whole check came before"


async def check(
    launcher: Launcher,
    door: Door,
    *,
    games: tuple[str, ...] = (),
    time_limit_s: float = 600.0,
    progress: Progress = lambda result, done, total: None,
) -> Report:
    """The report on the bot that `launcher` starts.

    games: those it is to play, whatever it says; empty: those it claims.  progress: told of each result, with how many
    there are and how many there will be.  Raises CannotStart when its program cannot be started at all.
    """
    await door.open()
    examination = Examination(launcher, door, games, asyncio.get_running_loop().time() + time_limit_s, progress)
    try:
        return await examination.run()
    finally:
        await examination.trial.drop()
        await door.shut()


class Examination:
    """One run over the scenarios."""

    def __init__(
        self, launcher: Launcher, door: Door, games: tuple[str, ...], until_s: float, progress: Progress
    ) -> None:
        """until_s: the end of the time limit, on the loop's clock."""
        self._loop = asyncio.get_running_loop()
        self._transcript = Transcript(self._loop.time)
        self._launcher, self._until_s, self._progress = launcher, until_s, progress
        self.trial = Trial(launcher, door, self._transcript, games)
        self._results: dict[str, Result] = {}
        self._stopped_by = ""

    async def run(self) -> Report:
        """Try everything."""
        planned = scenarios.FIRST
        for scenario in planned:
            await self._try(scenario, len(planned))
        planned += scenarios.rest(self.trial.games)
        for scenario in planned[len(scenarios.FIRST) :]:
            await self._try(scenario, len(planned))
        return Report(tuple(self._results[scenario.name] for scenario in planned), self.trial.name, self.trial.games)

    async def _try(self, scenario: Scenario, total: int) -> None:
        mark, began_s = self._transcript.written, self._loop.time()
        result = self._not_tried(scenario) or await self._outcome(scenario, mark)
        result = replace(result, took_s=round(self._loop.time() - began_s, 3))
        if not self._failed(scenario.name):  # a fault of its rule may have shown before
            self._results[scenario.name] = result
        self._enter_noted(mark)
        result = self._results[scenario.name]
        if scenario.first and result.status is Status.FAILED:
            self._stopped_by = scenario.name
        if result.status in (Status.FAILED, Status.NOT_REACHED):
            self.trial.trouble.update(name for name in self.trial.games if scenario.name.startswith(f"{name}/"))
            await self.trial.drop()
        self._progress(result, len(self._results), total)

    def _enter_noted(self, mark: int) -> None:
        """The faults that showed meanwhile and are other rules'; the first of each counts."""
        noted, self.trial.noted = self.trial.noted, []
        for rule, fault in noted:
            if not self._failed(rule):
                known = (*scenarios.FIRST, *scenarios.rest(self.trial.games))
                scenario = next(scenario for scenario in known if scenario.name == rule)
                self._results[rule] = self._failure(scenario, fault, mark)

    def _not_tried(self, scenario: Scenario) -> Result | None:
        """The result of a scenario that cannot be tried."""
        if self._stopped_by:
            return Result(scenario, Status.NOT_REACHED, f"see {self._stopped_by}")
        if self._loop.time() >= self._until_s:
            return Result(scenario, Status.NOT_REACHED, NO_TIME)
        if scenario.after:
            for name, result in self._results.items():
                if name.startswith(scenario.after) and result.status is Status.FAILED:
                    return Result(scenario, Status.NOT_REACHED, f"see {name}")
        return None

    async def _outcome(self, scenario: Scenario, mark: int) -> Result:
        trial = self.trial
        try:
            async with asyncio.timeout_at(self._until_s):
                await scenario.run(trial)
                await trial.tidy()
        except Fault as fault:
            return self._failure(scenario, fault, mark)
        except Blocked as blocked:
            return Result(scenario, Status.NOT_REACHED, f"see {blocked.rule}")
        except NotShown as absent:
            await trial.tidy()
            return Result(scenario, Status.NOT_SHOWN, str(absent))
        except NotApplicable as other:
            return Result(scenario, Status.NOT_APPLICABLE, str(other))
        except TimeoutError:
            return Result(scenario, Status.NOT_REACHED, NO_TIME)
        return Result(scenario, Status.PASSED)

    def _failure(self, scenario: Scenario, fault: Fault, mark: int) -> Result:
        frames, printed = self._transcript.since(mark), self._launcher.said()
        return Result(scenario, Status.FAILED, fault.cause, fault.cure, frames, printed)

    def _failed(self, name: str) -> bool:
        result = self._results.get(name)
        return result is not None and result.status is Status.FAILED
