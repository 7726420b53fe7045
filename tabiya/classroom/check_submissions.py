"""The dry run: every submission through `tabiya check`, and how long the games will take on this machine."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from collections.abc import Iterable
from pathlib import Path

from tabiya.check.grade import CheckReport
from tabiya.check.launcher import CommandLauncher
from tabiya.check.outcomes import CannotStart
from tabiya.check.run import Progress, check
from tabiya.check.scenario import Status
from tabiya.check.scripted_server import WebsocketServer
from tabiya.classroom.bot_processes import Say, command_of, environment_of
from tabiya.classroom.record import NO_QUALIFIER, Entry, ResourceUsage, Rules
from tabiya.processes.failure_line import failure_line
from tabiya.processes.usage import Meter, watched

# what `tabiya bot` prints behind an error, which explains nothing
AT_ITS_END = re.compile(r": \d+ won, \d+ drawn, \d+ lost$|^the bot resigns this match$")
TIME_LIMIT_S = 180.0  # for one of them; `tabiya check` alone takes up to 600


def check_submissions(entries: Iterable[Entry], rules: Rules, into: Path, say: Say) -> None:
    """Check every entry and write grade, lost points and the reason not to let it play into it.

    It plays if it has answered a turn, whatever else it fails. A few are examined at the same time, one for each core.
    """
    asyncio.run(_all(tuple(entries), rules, into, say))


async def _all(entries: tuple[Entry, ...], rules: Rules, into: Path, say: Say) -> None:
    cores = asyncio.Semaphore(os.cpu_count() or 1)
    done = 0

    async def one(entry: Entry) -> None:
        nonlocal done
        async with cores:
            await examine(entry, rules, into)
        done += 1
        say(f"{done:3} of {len(entries)}  {entry.name}: {in_words(entry)}")

    await asyncio.gather(*map(one, entries))


async def examine(
    entry: Entry,
    rules: Rules,
    into: Path,
    progress: Progress = lambda result, done, total: None,
    *,
    connection: bool = True,
    usage: ResourceUsage | None = None,
) -> CheckReport | None:
    """Check one entry, in its folder below `into`; writes grade, lost points and why it cannot play into it.

    progress, connection: as of `check`.  usage: is kept up to date, if given.  Returns the whole report; None
    if the program cannot be started at all.
    """
    folder = (into / entry.folder).resolve()
    launcher = CommandLauncher(command_of(entry, rules, folder), environment_of(entry, sandbox=rules.sandbox), folder)
    try:
        async with watched(Meter(usage), lambda: launcher.pid) if usage else contextlib.nullcontext():
            report = await check(
                launcher,
                WebsocketServer(),
                games=(rules.game,),
                connection=connection,
                time_limit_s=TIME_LIMIT_S,
                progress=progress,
            )
    except CannotStart as error:
        entry.grade, entry.problem = 0, str(error)
        return None
    entry.grade = report.percent
    entry.lost = tuple(f"{failure.scenario.title}: {failure.cause}" for failure in report.failures)
    entry.game_s = _whole_game_s(report, rules.game)
    entry.problem = _why_not(report)
    return report


def _whole_game_s(report: CheckReport, game: str) -> float | None:
    """Its thinking time, in seconds, in the whole game of the check, if one was played."""
    for result in report.results:
        if result.scenario.name == f"{game}/whole" and result.status is Status.PASSED:
            return result.took_s
    return None


def _why_not(report: CheckReport) -> str:
    """Why a bot cannot play at all: one of the scenarios before all others has failed."""
    for result in report.results:
        if result.scenario.first and result.status in (Status.FAILED, Status.NOT_REACHED):
            words = failure_line([line for line in result.printed if not AT_ITS_END.search(line)])
            return f"{result.cause} It printed: {words}" if words else result.cause
    return ""


def in_words(entry: Entry) -> str:
    """The result of one entry's examination, in a line."""
    if entry.problem:
        return f"does not play: {entry.problem}"
    lost = f"; it {entry.lost[0]}" if entry.lost else ""
    return f"{entry.grade} %" + lost


def estimated_s(entries: list[Entry], games: int, at_once: int) -> float | None:
    """How long `games` games between these take if each thinks as in the check; None if nothing is known.

    The mean entry's thinking, twice in every game, spread over the games played at the same time.
    """
    known = [entry.game_s for entry in entries if entry.game_s is not None]
    return 2 * games * sum(known) / len(known) / max(1, at_once) if known else None


def games_of_stages(rules: Rules, entrants: int, new_to_staff: int) -> int:
    """Games of the whole run. entrants: submissions.  new_to_staff: those that have yet to meet the staff bots."""
    with_staff = rules.staff_rounds * len(rules.staff) * new_to_staff
    if rules.format == NO_QUALIFIER:
        return 2 * with_staff
    meetings = rules.rounds * (entrants // 2 if rules.format == "swiss" else entrants * (entrants - 1) // 2)
    finalists = min(rules.final, entrants)
    return 2 * (with_staff + meetings + rules.final_rounds * finalists * (finalists - 1) // 2)
