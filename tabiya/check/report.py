"""The report as text for people and as plain values for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from tabiya.check.grade import CheckReport
from tabiya.check.scenario import ScenarioResult, Status
from tabiya.protocol.printable import printable

PAGE = "docs/reference/protocol.md"
SIGNS = {
    Status.PASSED: "ok",
    Status.FAILED: "FAILED",
    Status.NOT_REACHED: "not reached",
    Status.NOT_SHOWN: "not shown",
    Status.NOT_APPLICABLE: "-",
}
ARROWS = {"server": "->", "bot": "<-", "note": "--"}
MOST_PRINTED = 24  # the error of a board game takes a dozen


def line_of(result: ScenarioResult) -> str:
    why = f" ({result.cause})" if result.cause and result.status is not Status.FAILED else ""
    return f"{SIGNS[result.status]:>11}  {result.earned:2}/{result.possible:<2}  the bot {result.scenario.title}{why}"


def _lines(results: Sequence[ScenarioResult]) -> Iterator[str]:
    """The results; in one line each the turns of a game that are all well, and neighbours that were not reached."""
    for kind, several in groupby(results, _kind):
        group = list(several)
        earned, possible = sum(result.earned for result in group), sum(result.possible for result in group)
        start = f"{SIGNS[group[0].status]:>11}  {earned:2}/{possible:<2}  "
        if len(group) > 1 and kind[0] is Status.PASSED:
            yield f"{start}the bot answers {len(group)} kinds of turns of {kind[1]}"
        elif len(group) > 1 and kind[0] is Status.NOT_REACHED:
            yield f"{start}{len(group)} scenarios ({kind[1]})"
        else:
            yield from map(line_of, group)


def _kind(result: ScenarioResult) -> tuple[Status | None, str]:
    """A key that is equal for results which share a line; results with a line of their own differ by name."""
    game = result.scenario.name.rpartition("/")[0]
    if result.status is Status.PASSED and game:
        return result.status, game
    return (result.status, result.cause) if result.status is Status.NOT_REACHED else (None, result.scenario.name)


def report_text(report: CheckReport) -> str:
    """The whole report, several lines."""
    parts = [f"{report.name or 'The bot'} was asked to play: {', '.join(report.games) or 'nothing'}", "", "Required"]
    parts += _lines(report.required)
    parts += ["", "Extras, which not every bot needs"]
    parts += _lines(report.extras)
    for number, failure in enumerate(report.failures, 1):
        parts += ["", *_failure(number, failure)]
    if report.remarks:
        parts += ["", "Remarks, which cost no points", *(f"   {printable(remark)}" for remark in report.remarks)]
    return "\n".join([*parts, "", *verdict(report)])


def verdict(report: CheckReport) -> list[str]:
    """The grade, and where points were lost."""
    lost = [result for result in report.required if result.earned < result.possible]
    grade = f"Grade: {report.percent} % ({report.points} of {report.possible} points)"
    extras = f"Extras: {report.extra_points} of {report.extra_possible} points"
    if not lost:
        return [f"{grade}: full marks. This bot is ready.", extras]
    failed = [f"{result.scenario.name} {result.possible}" for result in lost if result.status is Status.FAILED]
    missed = sum(result.possible for result in lost if result.status is not Status.FAILED)
    return [grade, "Lost: " + ", ".join([*failed, *([f"not reached {missed}"] if missed else [])]), extras]


def _failure(number: int, result: ScenarioResult) -> Iterator[str]:
    scenario = result.scenario
    price = "an extra" if scenario.extra else f"{scenario.points} points"
    yield f"{number}. {scenario.name}: the bot {scenario.title} ({price})"
    yield f"   What happened: {result.cause}"
    yield f"   What to do:    {result.cure} See {PAGE}#{scenario.section}"
    if result.frames:
        yield "   Last frames (-> to the bot, <- from it):"
        yield from (f"   {entry.at_s:8.3f} {ARROWS[entry.who]} {printable(entry.text)}" for entry in result.frames)
    yield from _printed(result.printed)


def _printed(lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield "   What the bot printed last:"
        yield from (f"   | {printable(line)}" for line in lines[-MOST_PRINTED:])


def report_values(report: CheckReport) -> dict[str, Any]:
    """The whole report as plain values, for JSON."""
    return {
        "name": report.name,
        "games": list(report.games),
        "ready": report.ready,
        "percent": report.percent,
        "points": report.points,
        "possible": report.possible,
        "extra_points": report.extra_points,
        "extra_possible": report.extra_possible,
        "remarks": list(report.remarks),
        "scenarios": [_values(result) for result in report.results],
    }


def _values(result: ScenarioResult) -> dict[str, Any]:
    scenario = result.scenario
    return {
        "name": scenario.name,
        "title": f"the bot {scenario.title}",
        "status": str(result.status),
        "extra": scenario.extra,
        "earned": result.earned,
        "possible": result.possible,
        "took_s": result.took_s,
        "cause": result.cause,
        "cure": result.cure,
        "see": f"{PAGE}#{scenario.section}",
        "frames": [entry._asdict() for entry in result.frames],
        "printed": list(result.printed),
    }
