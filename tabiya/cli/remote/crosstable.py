"""A tournament, as the API tells it, in text: crosstable, progress, how its games ended."""

from __future__ import annotations

import time
from typing import Any

import typer

from tabiya.cli.output import table
from tabiya.cli.rule_options import adjudicated
from tabiya.server.web.views.crosstable_rows import crosstable_rows, met


def show_tournament(found: dict[str, Any]) -> None:
    """Print a tournament for people."""
    rows, columns = _for_people(found)
    against = tuple(key for key in columns if key.startswith("n") and key[1:].isdigit())
    # the last tie-break is the first that a narrow terminal can do without
    tie_breaks = [(one["name"],) for one in reversed(found["tie_breaks"]) if one["name"] in columns]
    spare = (*(one for one in tie_breaks if one != ("wins",)), against, ("wins", "draws", "losses"))
    table(rows, columns, title=_heading(found), spare=spare)
    for line in _notes(found):
        typer.echo(line)


def _heading(found: dict[str, Any]) -> str:
    head = f"tournament {found['id']}: {found['name']}, {found['game']}, {found['format_title']}"
    of = f"{found['played']} of {found['total']} games" if found["total"] else f"{found['played']} games"
    running = f", {found['running']} running" if found["running"] else ""
    of_time = found["time_left"]
    left = f", {duration(of_time['from_s'])} to {duration(of_time['to_s'])} left" if of_time else ""
    waits = found["status"] == "created" and found["starts_at"]
    starts = f", starts in {duration(max(0, found['starts_at'] - time.time()))}" if waits else ""
    title = found.get("round_title") if found["status"] in ("running", "paused") else ""  # an older server tells none
    now = f", {title}" if title else ""
    return f"{head}, {found['time_control']}\n{found['status']}{starts}{now}, {of}{running}{left}\n\n"


def _notes(found: dict[str, Any]) -> list[str]:
    """The lines under the table."""
    lines = []
    if rule := found["settings"].get("adjudication"):
        lines.append(f"a game is {adjudicated(rule)}")
    if found["decision"]:
        lines.append(found["decision"])
    byes = ", ".join(f"{bye['bot']} in round {bye['round'] + 1}" for bye in found["byes"])
    if byes:
        lines.append(f"byes: {byes}")
    endings = ", ".join(f"{ending.replace('_', ' ')} {count}" for ending, count in found["endings"].items())
    if endings:
        failures = found.get("failures")  # an older server tells none
        among = f" (of the resignations {failures} because a program failed)" if failures else ""
        lines.append(f"how games ended: {endings}{among}")
    first = found["first_mover"]
    if first["score"] is not None:
        lines.append(
            f"the first seat: {first['score']:.0%} of the points,"
            f" {first['elo']:+z.0f} ± {first['plus_minus']:.0f} Elo over {sum_of(first)} games"
        )
    if found["duplicates"]:
        games = "game repeats" if found["duplicates"] == 1 else "games repeat"
        lines.append(f"{found['duplicates']} {games} an earlier one of the same two bots move for move")
    return [*lines, ""] if lines else []


def sum_of(first: dict[str, Any]) -> int:
    """How many games the first-mover statistics rest on."""
    return int(first["wins"] + first["draws"] + first["losses"])


def duration(seconds: float) -> str:
    """A length of time in words: `40 s`, `12 min`, `3 h 20 min`."""
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{round(seconds)} s"
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def _for_people(found: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The crosstable for a terminal: bots are numbered as their columns, with games beside points."""
    rows, columns = crosstable_rows(found)
    for at, (row, line) in enumerate(zip(rows, found["lines"], strict=True), 1):
        row["bot"] = f"{at}. {line['bot']}" + (" (withdrawn)" if line["withdrawn"] else "")
        row |= {f"n{other}": f"{score['points']:g}/{score['games']}" for other, score in met(line)}
        row |= {f"n{line['number']}": "*"}
    return rows, {key: heading for key, heading in columns.items() if key not in ("number", "withdrawn")}
