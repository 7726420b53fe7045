"""`make` tells its targets, and each is told."""

from __future__ import annotations

import os
import re
import subprocess

import pytest

from tests.source_rules.sources import ROOT

TARGET = re.compile(r"(?m)^([a-z][a-z-]*):(?!=)(.*)$")


def targets(makefile: str) -> list[str]:
    """Every target that a person can ask for."""
    return [match[1] for match in TARGET.finditer(makefile)]


def untold(makefile: str) -> list[str]:
    """Targets without a line for `make help`."""
    return [match[1] for match in TARGET.finditer(makefile) if "## " not in match[2]]


def without_set_up(makefile: str) -> list[str]:
    """Targets that run something of the environment without making it first."""
    recipes = re.findall(r"(?m)^([a-z][a-z-]*):(?!=).*\n((?:\t.*\n)+)", makefile)
    needy = [(name, recipe) for name, recipe in recipes if "$(bin)" in recipe or "$(compile)" in recipe]
    return [name for name, recipe in needy if "scripts/setup.sh" not in recipe.splitlines()[0]]


@pytest.fixture
def makefile() -> str:
    return (ROOT / "Makefile").read_text("utf-8")


def test_every_target_is_told_declared_and_sets_itself_up(makefile: str) -> None:
    declared = re.search(r"(?m)^\.PHONY: (.*)$", makefile)
    assert declared
    assert sorted(declared[1].split()) == sorted(targets(makefile))
    assert untold(makefile) == []
    assert without_set_up(makefile) == []


@pytest.mark.parametrize("asked", [["help"], []])
def test_make_lists_every_target(makefile: str, asked: list[str]) -> None:
    done = subprocess.run(["make", "-s", *asked], capture_output=True, text=True, cwd=ROOT, check=True)
    assert re.findall(r"(?m)^  make ([a-z-]+) +\S", done.stdout) == targets(makefile)


def test_a_target_that_is_not_told_is_found() -> None:
    sample = "bin := .venv/bin\ntest: ## Run\n\t@scripts/setup.sh dev\n\t$(bin)/pytest\nlint:\n\t$(bin)/ruff\n"
    assert targets(sample) == ["test", "lint"]
    assert untold(sample) == ["lint"]
    assert without_set_up(sample) == ["lint"]


@pytest.mark.parametrize("script", [".ci/run", "scripts/setup.sh"])
def test_scripts_can_be_run(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)
    assert subprocess.run(["bash", "-n", script], cwd=ROOT, check=False).returncode == 0
