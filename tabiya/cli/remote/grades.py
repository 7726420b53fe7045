"""`tabiya tournament grades`: what each bot of a graded tournament has earned, as a table or for a gradebook."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import typer

from tabiya.api_client.api import Api
from tabiya.api_client.settings import client_settings
from tabiya.cli.options import OPERATOR_OPTION, SERVER_OPTION
from tabiya.cli.output import FORMAT_OPTION, Format, show, show_json, table
from tabiya.protocol.printable import printable
from tabiya.server.grading.gradebook_names import Gradebook
from tabiya.server.web.views.grade_rows import AFTER, BEFORE, grade_rows

SPARE = (("failed",), ("illegal",), ("on_time",), ("wins", "draws", "losses"), ("against",))


def grades(
    tournament: int = typer.Argument(help="Number of the tournament.", min=1),
    grades_for: Gradebook | None = typer.Option(
        None, "--grades-for", help="Print them in the format of moodle, canvas or gradescope."
    ),
    assignment: str = typer.Option("", "--assignment", help="Name of the assignment in that file [the tournament]."),
    server: str | None = SERVER_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
    form: Format = FORMAT_OPTION,
) -> None:
    """Show the present grades of a graded tournament (operator)."""
    api = Api(client_settings(server, operator_token=operator_token))
    path = f"/tournaments/{tournament}/grades"
    if grades_for is not None:
        typer.echo(api.text(f"{path}?{urlencode({'format': grades_for.value, 'assignment': assignment})}"))
        return
    found = api.get(path)
    if form is Format.JSON:
        show_json(found)
    elif form is Format.CSV:
        show(*grade_rows(found), form)
    else:
        _show_table(found)


def _show_table(found: dict[str, Any]) -> None:
    played = f"{found['played']} of {found['total']} games"
    title = f"tournament {found['tournament']}: {found['name']}, {found['status']}, {played}"
    columns = BEFORE | {"against": "against staff"} | {key: head for key, head in AFTER.items() if key != "note"}
    rows = [line | {"against": _against(found, line)} for line in found["lines"]]
    table(rows, columns, title=f"{title}, at most {found['most_points']:g} points\n\n", spare=SPARE)
    for line in found["lines"]:  # whole sentences, which would make a table too wide for any terminal
        if line["note"]:
            typer.echo(printable(f"{line['bot']}: {line['note']}"))
    for note in found["notes"]:
        typer.echo(note)


def _against(found: dict[str, Any], line: dict[str, Any]) -> str:
    """Points and games against each staff bot."""
    scores = zip(found["staff"], line["against"], strict=True)
    return ", ".join(f"{one['bot']} {score['points']:g}/{score['games']}" for one, score in scores if score)
