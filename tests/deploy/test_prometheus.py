"""The alarms ring for what they say, about numbers that a server tells, and each has its section in the runbook."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from tabiya.hosting.hosting import ProgramHosting
from tabiya.server.start_status import NUMBERS
from tests.programs import program
from tests.server.pages_process.apart import pages_of, serving
from tests.source_rules.sources import ROOT

ALERTS = ROOT / "deploy" / "prometheus" / "alerts.yml"
RUNBOOK = ROOT / "docs" / "how-to" / "runbook.md"
FOREIGN = {"up"}  # Prometheus' own

Rule = dict[str, Any]


def rules() -> list[Rule]:
    found: list[Rule] = yaml.safe_load(ALERTS.read_text("utf-8"))["groups"][0]["rules"]
    return found


def metrics_in(expression: str) -> set[str]:
    """The numbers that an expression asks for: ours, those of the process, and Prometheus' own."""
    return set(re.findall(r"\b(?:tabiya|process)_\w+|\bup\b", expression))


async def metrics_of_all(folder: Path) -> set[str]:
    """The names of all numbers that are told: by a server with hosted programs, a standby, and pages apart."""
    database, hosting = str(folder / "games.db"), ProgramHosting("none")
    async with serving(database) as web, pages_of(database, web.url) as pages:
        await hosting.serve(web.server)
        web.server.hosting = hosting
        async with web.session.get(f"{pages.pages_url}/metrics") as answer:
            text = (await web.get("/metrics")).text + await answer.text() + NUMBERS.format(0)
    families = text_string_to_metric_families(text)
    return {sample.name for family in families for sample in family.samples}


@pytest.mark.slow
async def test_every_number_that_an_alarm_asks_for_is_told(tmp_path: Path) -> None:
    reported = await metrics_of_all(tmp_path)
    asked = {rule["alert"]: metrics_in(rule["expr"]) for rule in rules()}
    assert min(map(len, asked.values())) >= 1
    assert {name: missing for name, names in asked.items() if (missing := names - reported - FOREIGN)} == {}


def test_each_alarm_has_a_section_in_the_runbook_with_its_severity_and_there_is_no_other() -> None:
    sections = re.findall(r"^## (\w+)\n\n\*(page|look)\.\*", RUNBOOK.read_text("utf-8"), re.MULTILINE)
    assert sections == [(rule["alert"], rule["labels"]["severity"]) for rule in rules()]


@pytest.mark.slow
@pytest.mark.parametrize("words", [("check", "rules", str(ALERTS)), ("test", "rules", "alerts.test.yml")])
def test_prometheus_takes_the_rules_and_they_ring_for_what_goes_wrong_and_nothing_else(words: tuple[str, ...]) -> None:
    done = subprocess.run(
        [program("promtool"), *words], cwd=Path(__file__).parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "SUCCESS" in done.stdout


def test_every_alarm_is_rung_in_the_tests_of_the_rules() -> None:
    text = (Path(__file__).parent / "alerts.test.yml").read_text("utf-8")
    assert [rule["alert"] for rule in rules() if rule["alert"] not in text] == []
