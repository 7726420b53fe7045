"""Which folder may import which, checked in every import."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.source_rules.sources import PACKAGES, ROOMS, ROOT, imports, python_files

ARROWS = {
    "games": set[str](),
    "protocol": set[str](),
    "storage": set[str](),
    "server": {"games", "protocol", "storage"},
    "bots": {"games", "protocol"},
    "tabiya": {"games", "protocol", "storage", "server", "bots"},
    # people outside come in by the front door
    "examples": {"tabiya"},
}
OURS = {*PACKAGES, "tests", "scripts", "examples", "benchmarks"}
FOLDERS = (*PACKAGES, "tests", "scripts", "examples", "benchmarks")

# What only one folder may know: package -> the folders that may import it.
KEEPERS = {
    "sqlalchemy": {"storage"},
    "alembic": {"storage"},
    "aiosqlite": {"storage"},
    "asyncpg": {"storage"},
    "chess": {"tests"},  # GPL: an oracle in the tests, never shipped
}


def broken_arrows(source: str, path: Path) -> list[str]:
    """Imports of ours that the architecture forbids in this file, one sentence each."""
    folder = path.parts[0]
    allowed = ARROWS[folder] | {folder}
    return [
        f"{path}:{use.line} imports {use.name}: {folder} may import of ours only {sorted(allowed)}"
        for use in imports(source, path)
        if use.room in OURS and use.room not in allowed
    ]


def by_folder(source: str, path: Path) -> list[str]:
    """Imports of our folders by their own names, one sentence each: outside a checkout there are no such packages."""
    return [
        f"{path}:{use.line} imports {use.name}: say tabiya.{use.name}"
        for use in imports(source, path)
        if use.top in ROOMS
    ]


def strangers(source: str, path: Path) -> list[str]:
    """Imports of packages that only other folders may know, one sentence each."""
    return [
        f"{path}:{use.line} imports {use.name}: only {sorted(KEEPERS[use.top])} may"
        for use in imports(source, path)
        if use.top in KEEPERS and path.parts[0] not in KEEPERS[use.top]
    ]


@pytest.mark.parametrize("folder", ARROWS)
def test_every_import_follows_the_arrows(folder: str) -> None:
    files = python_files(folder)
    assert files, f"{folder}/ holds no Python file: has it moved?"
    assert [line for file in files for line in broken_arrows((ROOT / file).read_text("utf-8"), file)] == []


def test_our_folders_are_imported_as_one_package() -> None:
    files = python_files(*FOLDERS)
    assert [line for file in files for line in by_folder((ROOT / file).read_text("utf-8"), file)] == []
    assert (
        len(by_folder("import games\nfrom server.core import match\nfrom tabiya.games import registry", Path("x"))) == 2
    )


def test_packages_that_one_folder_keeps_are_imported_nowhere_else() -> None:
    files = python_files(*PACKAGES, "scripts", "examples", "benchmarks")
    assert [line for file in files for line in strangers((ROOT / file).read_text("utf-8"), file)] == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("games/chess/rules.py", "import tabiya.protocol"),
        ("games/chess/rules.py", "from tabiya.protocol.limits import WireLimits"),
        ("protocol/codec.py", "def later():\n    from tabiya.games import endings"),
        ("storage/store.py", "if TYPE_CHECKING:\n    import tabiya.server.app"),
        ("server/app.py", "from tabiya.bots import roster"),
        ("server/app.py", "from tabiya import run"),
        ("bots/pool/worker.py", "importlib.import_module('tabiya.server.core')"),
        ("bots/pool/worker.py", "__import__('tabiya.storage')"),
        ("server/app.py", "from tests.source_rules import sources"),
        ("examples/first.py", "from tabiya.bots.client import Bot"),
    ],
)
def test_a_forbidden_import_is_found(path: str, source: str) -> None:
    assert len(broken_arrows(source, Path(path))) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (
            "server/app.py",
            "import tabiya.games\nfrom tabiya.storage.store import Store\nimport json",
        ),
        ("games/chess/rules.py", "from tabiya.games.contract import Game\nfrom tabiya.games.chess import squares"),
        ("bots/uci.py", "from tabiya.games.chess import rules  # ours, not the package chess"),
    ],
)
def test_an_allowed_import_is_left_alone(path: str, source: str) -> None:
    assert broken_arrows(source, Path(path)) == strangers(source, Path(path)) == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("server/web/pages/pages.py", "from sqlalchemy.ext.asyncio import AsyncEngine"),
        ("tabiya/cli.py", "import alembic.command"),
        ("games/chess/rules.py", "import chess"),
        ("bots/evaluators/chess/evaluator.py", "from chess import Board"),
    ],
)
def test_a_package_outside_its_folder_is_found(path: str, source: str) -> None:
    assert len(strangers(source, Path(path))) == 1
