"""The page of techniques names every switch of the engine, shows our code, and tells what was measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scripts.docs import techniques_page
from scripts.docs.techniques_page import KEPT_PATH, ROOT, code, page, sections, worths
from tabiya.bots.engine.options import NAMES

PROSE = (Path(techniques_page.__file__).parent / "techniques_prose.md").read_text("utf-8")


def kept(elo: dict[str, float]) -> dict[str, Any]:
    asked = {"depth": 9, "positions": 8, "pairs": 7, "nodes": 3000, "seed": 1}
    rows = {name: {"elo": 0.0, "plus_minus": 9.0, "nodes": 1.0, "asked": asked} for name in NAMES}
    return {"chess": rows | {name: rows[name] | {"elo": each} for name, each in elo.items()}}


def test_every_switch_has_a_section_and_is_measured_in_chess() -> None:
    assert set(sections(PROSE)) == set(NAMES)
    assert set(json.loads((ROOT / KEPT_PATH).read_text("utf-8"))["chess"]) == set(NAMES)


def test_the_technique_that_is_worth_most_comes_first_and_leads_to_its_section() -> None:
    found = kept({"killers": 12.4, "futility": -3.0})
    found["chess"]["killers"]["plus_minus"] = None
    lines = worths(found | {"nim": {"killers": {"elo": 1.0, "plus_minus": 2.0, "nodes": 1.5}}}, sections(PROSE)).split(
        "\n"
    )
    assert lines[0] == "| technique | Chess: Elo | Chess: nodes | Nim: Elo | Nim: nodes |"
    assert lines[2] == "| [`killers`](#killers) | +12 ± ? | 1.00 | +1 ± 2 | 1.50 |"
    assert lines[-1] == "| [`futility`](#late_pruning-futility-exchange_pruning) | -3 ± 9 | 1.00 |  |  |"


def test_code_is_shown_as_it_is_without_decorators() -> None:
    shown = code("move_order.with_bonus")
    assert shown.startswith("`bots/engine/move_order.py`:\n\n```python\ndef with_bonus(")
    assert shown.endswith("// HISTORY_LIMIT\n```")
    assert "\n    work = self.work" in code("search_thread.SearchThread._iterate")
    with pytest.raises(KeyError):
        code("move_order.nothing_of_this_name")


def test_marks_are_replaced_and_an_unknown_one_is_refused() -> None:
    assert page("{{pairs}} pairs", kept({})).endswith("\n7 pairs")
    assert "{{" not in page(PROSE, kept({}))
    with pytest.raises(KeyError, match="weather"):
        page("{{weather}}", kept({}))
