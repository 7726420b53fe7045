"""A sheet of exercises: its content for pages, and as a separate document."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import jinja2
from msgspec import structs

from tabiya.server.web.pages.compiled_templates import COMPILED
from tabiya.server.web.schemas.explorer_requests import ExercisesRequest

FOLDER = Path(__file__).parent
SHEETS = ("tabiya.css", "exercises.css")
PAGE = "/explore/exercises"
Context = dict[str, Any]


def exercise_document(sheet: Mapping[str, Any], query: ExercisesRequest, server: str) -> str:
    """A whole HTML document that needs nothing else. sheet: as the API answers.  server: where its links lead."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=COMPILED,
    )
    style = "\n".join((FOLDER / "static" / name).read_text("utf-8") for name in SHEETS)
    page = f"{server}{PAGE}?{sheet_address(query)}"
    shown = shown_sheet(sheet, query, server) | {"style": style, "page": page}
    return environment.get_template("exercises_document.html").render(shown)


def shown_sheet(sheet: Mapping[str, Any], query: ExercisesRequest, server: str = "") -> Context:
    """The sheet as the templates read it. server: prefix of the links."""
    exercises = [
        exercise | {"link": f"{server}/explore?{urlencode(_texts(exercise['address']), safe='[],')}"}
        for exercise in sheet["exercises"]
    ]
    return {"seed": query.seed, "kinds": sheet["kinds"], "levels": sheet["levels"], "exercises": exercises}


def sheet_address(query: ExercisesRequest) -> str:
    """The query of a sheet's address: the seed, and all settings that differ from the defaults."""
    usual, given = structs.asdict(ExercisesRequest()), structs.asdict(query)
    changed = {name: value for name, value in given.items() if name == "seed" or value != usual[name]}
    return urlencode(changed, safe=",")


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in values.items()}
