"""The dashboard asks for numbers that a server tells, in expressions that Prometheus understands."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.test_prometheus import metrics_in, metrics_of_all
from tests.programs import program
from tests.source_rules.sources import ROOT

DASHBOARD = ROOT / "deploy" / "grafana" / "tabiya.json"


def panels() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(DASHBOARD.read_text("utf-8"))["panels"]
    return found


def expressions() -> list[str]:
    """Of all panels, with what Grafana puts in for its variables."""
    found = [target["expr"] for panel in panels() for target in panel["targets"]]
    return [each.replace("$__rate_interval", "1m").replace("$job", "tabiya") for each in found]


@pytest.mark.slow
async def test_every_query_names_numbers_that_are_told(tmp_path: Path) -> None:
    reported = await metrics_of_all(tmp_path)
    asked = {expression: metrics_in(expression) for expression in expressions()}
    assert [expression for expression, names in asked.items() if not names or names - reported] == []


@pytest.mark.slow
def test_prometheus_understands_every_query(tmp_path: Path) -> None:
    rules = [{"record": f"asked:{number}", "expr": each} for number, each in enumerate(expressions())]
    file = tmp_path / "rules.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    done = subprocess.run(
        [program("promtool"), "check", "rules", str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert f"{len(rules)} rules found" in done.stdout


def test_no_panel_lies_on_another_and_each_says_what_it_shows() -> None:
    places = [panel["gridPos"] for panel in panels()]
    covered = [
        (x, y) for at in places for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])
    ]
    assert len(covered) == len(set(covered))
    assert max(x for x, _ in covered) < 24
    assert [panel["title"] for panel in panels() if not panel["description"]] == []
