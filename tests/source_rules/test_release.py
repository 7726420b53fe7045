"""What a release says of itself agrees wherever it is said, and the files of the forge keep their published schemas."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tabiya import __version__
from tests.source_rules.sources import ROOT

SCHEMAS = {
    "github-workflows": ".github/workflows/*.yml",
    "github-issue-forms": ".github/ISSUE_TEMPLATE/[!c]*.yml",
    "github-issue-config": ".github/ISSUE_TEMPLATE/config.yml",
    "dependabot": ".github/dependabot.yml",
    "citation-file-format": "CITATION.cff",
}


def read(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


@pytest.fixture
def project() -> dict[str, Any]:
    loaded: dict[str, Any] = tomllib.loads(read("pyproject.toml"))["project"]
    return loaded


def faults(schema: str, *files: Path) -> str:
    """What the published schema has against the files; empty if nothing."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    done = subprocess.run(
        [*command, "--default-filetype", "yaml", *map(str, files)], capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr if done.returncode else ""


@pytest.mark.slow
@pytest.mark.parametrize(("schema", "files"), SCHEMAS.items())
def test_a_file_of_the_forge_keeps_its_published_schema(schema: str, files: str) -> None:
    found = list(ROOT.glob(files))
    assert found
    assert faults(schema, *found) == ""


@pytest.mark.slow
def test_a_faulty_workflow_is_found(tmp_path: Path) -> None:
    (tmp_path / "faulty.yml").write_text("on: push\njobs: {check: {steps: []}}\n")
    assert "runs-on" in faults("github-workflows", tmp_path / "faulty.yml")


def test_version_and_date_are_the_same_everywhere(project: dict[str, Any]) -> None:
    newest = re.search(r"^## \[(\d\S*)\] - (\S+)$", read("CHANGELOG.md"), re.MULTILINE)
    citation = yaml.safe_load(read("CITATION.cff"))
    assert newest
    assert newest.groups() == (citation["version"], citation["date-released"])
    assert project["version"] == citation["version"] == __version__


def test_the_changelog_has_a_place_for_what_comes_and_the_newest_first() -> None:
    headings = re.findall(r"^## \[(\S+)\](?: - (\S+))?$", read("CHANGELOG.md"), re.MULTILINE)
    assert headings[0] == ("Unreleased", "")
    dates = [date for _, date in headings[1:]]
    assert dates == sorted(dates, reverse=True)


def test_each_supported_python_is_named_and_tried_on_three_systems(project: dict[str, Any]) -> None:
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    tried = yaml.safe_load(read(".github/workflows/check.yml"))["jobs"]["installed"]["strategy"]["matrix"]
    assert project["requires-python"] == f">={named[0]}"
    assert tried["python"] == named
    assert len(tried["system"]) == 3
    assert f"Python {named[0]} to {named[-1]}" in read("README.md")


def test_every_action_is_named_by_its_commit() -> None:
    for file in (ROOT / ".github/workflows").iterdir():
        for used in re.findall(r"uses: (.+)", file.read_text("utf-8")):
            assert re.fullmatch(r"\./\S+|\S+@[0-9a-f]{40} # v[\d.]+", used), used
