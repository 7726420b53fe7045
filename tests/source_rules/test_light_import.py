"""A student's laptop has the base installation only: the front door must open with nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.source_rules.sources import ROOT, python_files

BASE = {"websockets", "msgpack", "msgspec"}
# typer and rich, and what they bring
COMMAND = BASE | {
    "annotated_doc", "annotated_types", "markdown_it", "mdurl", "pydantic", "pydantic_core", "pygments", "rich",
    "shellingham", "typer", "typing_extensions", "typing_inspection",
}  # fmt: skip

PROGRAM = """
import sys

class Missing:
    "Finds nothing but the standard library, ours and what the base installation holds."

    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names or top in {installed!r}:
            return None
        raise ModuleNotFoundError(f"{{top}} is not in the base installation", name=top)

sys.meta_path.insert(0, Missing())
sys.path.insert(0, {root!r})
{statement}
heavy = sorted({{"numba", "numpy", "llvmlite"}} & set(sys.modules))
sys.exit(f"loaded {{heavy}}" if heavy else 0)
"""


def run_with(installed: set[str], statement: str, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Runs the statement in a new interpreter that finds no third-party package but those installed."""
    program = PROGRAM.format(installed=installed | {"tabiya"}, root=str(root), statement=statement)
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=root, check=False)


def dotted(file: Path) -> str:
    return "tabiya." + ".".join(file.with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["protocol", "bots/client"])
def test_the_wire_and_the_client_open_with_the_base_alone(folder: str) -> None:
    modules = [dotted(file) for file in python_files(folder)]
    assert modules, f"{folder}/ holds no Python file: has it moved?"
    done = run_with(BASE, "\n".join(f"import {module}" for module in modules))
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_front_door_opens_with_the_base_alone() -> None:
    done = run_with(BASE, "import tabiya")
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_bot_author_gets_bot_and_run_with_the_base_alone() -> None:
    done = run_with(BASE, "from tabiya import Bot, run")
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_command_opens_with_what_typer_and_rich_bring() -> None:
    done = run_with(COMMAND, "import tabiya.cli")
    assert done.returncode == 0, done.stderr


def test_a_missing_package_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "needy.py").write_text("import aiohttp\n")
    done = run_with(BASE | {"needy"}, "import needy", tmp_path)
    assert done.returncode != 0
    assert "aiohttp is not in the base installation" in done.stderr


@pytest.mark.slow
def test_a_heavy_package_is_noticed() -> None:
    done = run_with(BASE | {"numpy"}, "import numpy")
    assert done.returncode != 0
    assert "loaded ['numpy']" in done.stderr
