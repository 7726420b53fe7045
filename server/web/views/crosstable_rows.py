"""The table of a tournament as rows and columns: for the command line, and as a file. Imports nothing of the server."""

from __future__ import annotations

from typing import Any

SHORT = {
    "sonneborn_berger": "SB",
    "buchholz": "BH",
    "buchholz_cut_1": "BH-1",
    "direct_encounter": "DE",
    "game_points": "game points",
}
MOST_ACROSS = 16  # more columns are unreadable on a terminal
MOST_IN_FILE = 64


def crosstable_rows(
    found: dict[str, Any], most_across: int = MOST_ACROSS
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The table as rows and columns for programs.

    Up to `most_across` entrants stand across, by their numbers: n0, n1, ...
    What they made against each other is points alone: a spreadsheet takes `1/2` for a date.
    """
    lines = found["lines"]
    across = [line["number"] for line in lines] if len(lines) <= most_across else []
    columns = {"rank": "#", "bot": "bot", "number": "number", "withdrawn": "withdrawn"}
    columns |= {f"n{number}": str(at) for at, number in enumerate(across, 1)}
    columns |= {"points": "points", "played": "games", "wins": "won", "draws": "drawn", "losses": "lost"}
    named = [one["name"] for one in found["tie_breaks"] if one["name"] != "wins"]
    shown = [name for name in named if any(name in line["tie_breaks"] for line in lines)]
    columns |= {name: SHORT.get(name, name) for name in shown}
    if any(line["note"] for line in lines):
        columns["note"] = ""
    rows = []
    for line in lines:
        row = {key: line[key] for key in columns if key in line} | {"points": f"{line['points']:g}"}
        row |= {name: f"{line['tie_breaks'][name]:g}" for name in shown if name in line["tie_breaks"]}
        row |= {f"n{other}": f"{score['points']:g}" for other, score in met(line)}
        rows.append(row)
    return rows, columns


def met(line: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """Whom an entrant has met, by number, with points and games."""
    return [(number, score) for number, score in enumerate(line["against"]) if score]
