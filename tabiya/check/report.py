"""The report as text for people and as plain values for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from tabiya.check.grade import Report
from tabiya.check.scenario import Result, Status
from tabiya.cli.output import printable

PAGE = "docs/reference/protocol.md"
SIGNS = {
    Status.PASSED: "ok",
    Status.FAILED: "FAILED",
    Status.NOT_REACHED: "not reached",
    Status.NOT_SHOWN: "not shown",
    Status.NOT_APPLICABLE: "-",
}
ARROWS = {"server": "->", "bot": "<-", "note": "--"}
MOST_PRINTED = 12


def line_of(result: Result) -> str:
    """One result in one line."""
    why = f" ({result.cause})" if result.cause and result.status is not Status.FAILED else ""
    return f"{SIGNS[result.status]:>11}  {result.earned:2}/{result.possible:<2}  the bot {result.scenario.title}{why}"


def _lines(results: Sequence[Result]) -> Iterator[str]:
    """The results, in one line for the turns of a game if all of them are well."""
    for game, several in groupby(results, lambda result: result.scenario.name.rpartition("/")[0]):
        group = list(several)
        if game and len(group) > 1 and all(result.status is Status.PASSED for result in group):
            points = sum(result.earned for result in group)
            words = f"the bot answers {len(group)} kinds of turns of {game}"
            yield f"{SIGNS[Status.PASSED]:>11}  {points:2}/{points:<2}  {words}"
        else:
            yield from map(line_of, group)


def text_of(report: Report) -> str:
    """The whole report, several lines."""
    parts = [f"{report.name or 'The bot'} was asked to play: {', '.join(report.games) or 'nothing'}", "", "Required"]
    parts += _lines(report.required)
    parts += ["", "Extras, which not every bot needs"]
    parts += map(line_of, report.extras)
    for number, failure in enumerate(report.failures, 1):
        parts += ["", *_failure(number, failure)]
    return "\n".join([*parts, "", *verdict(report)])


def verdict(report: Report) -> list[str]:
    """The grade, and where points were lost."""
    lost = [result for result in report.required if result.earned < result.possible]
    grade = f"Grade: {report.percent} % ({report.points} of {report.possible} points)"
    extras = f"Extras: {report.extra_points} of {report.extra_possible} points"
    if not lost:
        return [f"{grade}: full marks. This bot is ready.", extras]
    return [grade, "Lost: " + ", ".join(f"{result.scenario.name} {result.possible}" for result in lost), extras]


def _failure(number: int, result: Result) -> Iterator[str]:
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


def values_of(report: Report) -> dict[str, Any]:
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
        "scenarios": [_values(result) for result in report.results],
    }


def _values(result: Result) -> dict[str, Any]:
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
