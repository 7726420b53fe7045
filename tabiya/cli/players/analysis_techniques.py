"""`tabiya analyse --explain`: what each technique saves, as a table with a sentence for each."""

from __future__ import annotations

from typing import Any

import typer

from tabiya.bots.textbook.recording.question import SearchQuestion
from tabiya.bots.textbook.techniques import MOST_NODES, Effect, effects
from tabiya.bots.textbook.tree import TreeError
from tabiya.cli.output import Format, show, show_json
from tabiya.cli.players.analysis_subject import facts
from tabiya.errors import user_errors

COLUMNS = {
    "technique": "technique",
    "in_play": "in play",
    "nodes": "nodes with it",
    "nodes_without": "without it",
    "saved": "saved",
}


def show_techniques(question: SearchQuestion, name: str, max_nodes: int, as_printed: bool, form: Format) -> None:
    """Search with and without each technique, and print. name: what the algorithm was asked for by."""
    with user_errors(TreeError, ValueError):
        found = effects(question, max_nodes or MOST_NODES, as_printed)
    rows = [_row(effect) for effect in found]
    if form is Format.JSON:
        show_json(facts(question) | {"algorithm": name, "depth": question.depth, "techniques": rows})
        return
    if form is Format.CSV:
        show(rows, COLUMNS | {"says": "says"}, form)
        return
    show([row | {"in_play": "yes" if row["in_play"] else "", "saved": _percent(row)} for row in rows], COLUMNS, form)
    for row in rows:
        typer.echo(f"{row['technique']}: {row['says']}.")


def _row(effect: Effect) -> dict[str, Any]:
    return {
        "technique": effect.technique.name,
        "in_play": effect.technique.in_play,
        "nodes": effect.applied.nodes,
        "nodes_without": effect.left_out.nodes,
        "saved": effect.saved,
        "value": effect.applied.value,
        "value_without": effect.left_out.value,
        "says": effect.says,
    }


def _percent(row: dict[str, Any]) -> str:
    return "" if row["saved"] is None else f"{row['saved']:.0%}"
