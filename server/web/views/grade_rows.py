"""The grades of a tournament as rows and columns, for the command line and a file. Imports nothing of the server."""

from __future__ import annotations

from typing import Any

BEFORE = {"rank": "#", "bot": "bot", "grade": "grade"}
SCORE = ("points", "games")
AFTER = {
    "games": "games",
    "wins": "won",
    "draws": "drawn",
    "losses": "lost",
    "on_time": "lost on time",
    "illegal": "lost by illegal moves",
    "failed": "program failed",
    "note": "note",
}


def grade_rows(found: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The grades as rows and columns for programs: points and games against a staff bot each in a column of its own.

    A spreadsheet would take both in one, such as 1/2, for a date.
    """
    across = {f"{what} against {one['bot']}": f"{what}, {one['bot']}" for one in found["staff"] for what in SCORE}
    return [_row(found, line) for line in found["lines"]], BEFORE | across | AFTER


def _row(found: dict[str, Any], line: dict[str, Any]) -> dict[str, Any]:
    row = {key: line[key] for key in (*BEFORE, *AFTER)}
    for one, score in zip(found["staff"], line["against"], strict=True):
        row |= {f"{what} against {one['bot']}": score[what] if score else None for what in SCORE}
    return row
