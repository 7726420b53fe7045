"""What is not loaded where somebody waits for a start: each of these takes a noticeable part of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.source_rules.sources import ROOT

SERVE = """
from tabiya.cli.hosting import serve

def serves(addresses, path):
    raise KeyboardInterrupt

serve.write_addresses = serves
from tabiya.cli.main import main
main(["serve", "--port", "0", "--pages-port", "0", "--database", sys.argv[1], "--ready-file", sys.argv[1] + ".json"])
"""

LOADED_BEFORE_RULES = """
import sys
from tabiya.processes import server_process

load = server_process.warm_rules

def loading():
    print("loaded before", *sys.modules)
    load()

server_process.warm_rules = loading
"""

COLLECTIONS = """
import gc

def collects(phase, about):
    if gc.get_threshold()[0] > 10_000:  # else the command line is still being read
        print("collects")

gc.callbacks.append(collects)
"""


def loaded_by(program: str, *arguments: str) -> set[str]:
    """The modules that are there when the program ends."""
    return printed_and_loaded_by(program, *arguments)[1]


def printed_and_loaded_by(program: str, *arguments: str) -> tuple[str, set[str]]:
    """What the program prints, and the modules that are there when it ends."""
    program = f"import atexit, sys\natexit.register(lambda: print('\\nmodules', *sys.modules))\n{program}"
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    printed, separator, found = done.stdout.partition("\nmodules ")
    assert separator, done.stderr
    return printed, set(found.splitlines()[0].split())


def test_the_help_loads_no_command_and_nothing_that_commands_need() -> None:
    loaded = loaded_by("from tabiya.cli.main import main; main()", "--help")
    assert loaded & {"asyncio", "msgspec", "numpy", "pydantic", "rich", "tabiya.bots", "tabiya.server"} == set()
    assert {name for name in loaded if name.startswith("tabiya.cli.")} == {
        "tabiya.cli.main",
        "tabiya.cli.rule_options",
    }


def test_importing_the_client_loads_no_websockets() -> None:
    loaded = loaded_by("from tabiya import Bot, run")
    assert loaded & {"importlib.metadata", "msgpack", "numpy", "urllib.request", "uvloop", "websockets"} == set()


def test_a_match_of_two_engines_loads_no_web_server_and_no_database() -> None:
    match = "from tabiya.cli.main import main; main(['match', 'random', 'greedy', '-g', 'nim', '-n', '2'])"
    printed, loaded = printed_and_loaded_by(match)
    assert "1 pair by points of random" in printed
    assert loaded & {"aiohttp", "jinja2", "sqlalchemy"} == set()


@pytest.mark.slow
def test_a_server_is_there_before_what_only_some_requests_need(tmp_path: Path) -> None:
    database = str(tmp_path / "empty.db")
    loaded_by(SERVE, database)  # makes the tables, and perhaps compiles the rules
    printed, loaded = printed_and_loaded_by(COLLECTIONS + LOADED_BEFORE_RULES + SERVE, database)
    alive = set(printed.partition("loaded before ")[2].splitlines()[0].split())
    assert alive & {"jinja2", "numba", "numpy", "sqlalchemy", "tabiya.server.app"} == set()
    assert {"aiohttp", "numba", "sqlalchemy", "tabiya.server.app"} <= loaded
    only_some = {"alembic", "asyncpg", "markdown_it", "nats", "py4swiss", "pygments", "rapidfuzz"}
    only_some |= {"confusable_homoglyphs.confusables", "numpy.ma"}
    assert loaded & (only_some | {"sqlalchemy.dialects.postgresql", "tabiya.bots.textbook"}) == set()
    assert "numba.np.arrayobj" not in loaded, "the compiled rules were not loaded from the cache alone"
    assert "collects" not in printed, "garbage is looked for while a server starts"
