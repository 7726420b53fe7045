"""No import cycles: a folder can be read, tested and moved in an order in which each part needs only earlier ones.

The parts are the files and the folders directly in it, a folder with all that is below it. Every import counts, those
inside functions and those for type checking alone too.
"""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.source_rules.sources import ROOMS, ROOT, imports, python_files

ROOT_FOLDERS = (*ROOMS, "tabiya", "scripts")
# bots/players makes players of engines, adapters and textbooks, and these keep its contract.
STILL_CYCLIC = {Path("bots")}

Graph = dict[Path, set[Path]]
"""Each file with the files that it imports."""


def graph_of(sources: dict[Path, str]) -> Graph:
    """The imports among files of ours."""
    file_of_module = {_module(file): file for file in sources}
    graph: Graph = {}
    for file, source in sources.items():
        path = Path("tabiya", file) if file.parts[0] in ROOMS else file
        found = {_file(use.name, file_of_module) for use in imports(source, path)}
        graph[file] = {other for other in found if other is not None and other != file}
    return graph


def _module(file: Path) -> str:
    parts = file.with_suffix("").parts
    return ".".join(("tabiya", *parts) if parts[0] in ROOMS else parts).removesuffix(".__init__")


def _file(name: str, file_of_module: dict[str, Path]) -> Path | None:
    """The file that an imported name is or lies in; None if it is another's."""
    while name and name not in file_of_module:
        name = name.rpartition(".")[0]
    return file_of_module.get(name)


def circle_in(graph: Graph) -> list[Path]:
    """The nodes of some circle in their order, the first again as the last; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def parts_of(folder: Path, graph: Graph) -> Graph:
    """The graph of the files and folders directly in a folder: `server/app.py`, `server/web`."""
    parts: Graph = {}
    for file, others in graph.items():
        if folder in file.parents:
            part = _part(folder, file)
            found = {_part(folder, other) for other in others if folder in other.parents}
            parts.setdefault(part, set()).update(found - {part})
    return parts


def _part(folder: Path, file: Path) -> Path:
    return Path(*file.parts[: len(folder.parts) + 1])


@pytest.mark.parametrize("room", ROOT_FOLDERS)
def test_neither_files_nor_the_parts_of_a_folder_form_a_circle(room: str) -> None:
    graph = graph_of({file: (ROOT / file).read_text("utf-8") for file in python_files(room)})
    assert graph, f"{room}/ holds no Python file: has it moved?"
    assert circle_in(graph) == []
    folders = {folder for file in graph for folder in file.parents} - {Path()}
    circles = {folder: circle for folder in folders if (circle := circle_in(parts_of(folder, graph)))}
    assert circles.keys() == STILL_CYCLIC & folders, circles


@pytest.mark.parametrize(
    "source",
    [
        "from tabiya.games import b",
        "import tabiya.games.b",
        "from tabiya.games.b import name",
        "def later():\n    from tabiya.games.c import name",
        "if TYPE_CHECKING:\n    from tabiya.games.b import Name",
    ],
)
def test_a_circle_is_found(source: str) -> None:
    others = {"b": "from tabiya.games import c", "c": "from tabiya.games.a import name"}
    files = {Path(f"games/{name}.py"): text for name, text in {"a": source, **others}.items()}
    circle = circle_in(graph_of(files))
    assert circle[0] == circle[-1]
    assert {Path("games/a.py"), Path("games/c.py")} <= set(circle)


def test_modules_that_need_each_other_in_one_order_are_no_circle() -> None:
    files = {"a": "import numpy", "b": "from tabiya.games import a", "c": "from tabiya.games import a, b"}
    assert circle_in(graph_of({Path(f"games/{name}.py"): text for name, text in files.items()})) == []


def test_a_circle_of_folders_is_found_though_their_files_form_none() -> None:
    files = {
        Path("server/lobby/seeks.py"): "from tabiya.server.matches.runner import Runner",
        Path("server/matches/runner.py"): "from tabiya.server.app import name",
        Path("server/matches/pairs.py"): "from tabiya.server.lobby.later.queue import name",
        Path("server/lobby/later/queue.py"): "",
        Path("server/app.py"): "",
    }
    graph = graph_of(files)
    assert circle_in(graph) == []
    assert set(circle_in(parts_of(Path("server"), graph))) == {Path("server/lobby"), Path("server/matches")}
    del graph[Path("server/matches/pairs.py")]
    assert circle_in(parts_of(Path("server"), graph)) == []
