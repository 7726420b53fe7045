"""No circles: the modules of a room can be read, tested and moved in an order in which each needs only earlier ones.

Every import counts, those inside functions and those for type checking alone too.
"""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.house.sources import ROOMS, ROOT, imports, python_files

FOLDERS = (*ROOMS, "tabiya", "scripts")


def module_of(file: Path) -> str:
    """The dotted name of a file of ours."""
    parts = file.with_suffix("").parts
    return ".".join(("tabiya", *parts) if parts[0] in ROOMS else parts).removesuffix(".__init__")


def circle_in(sources: dict[Path, str]) -> list[str]:
    """The modules of some circle in their order, the first again as the last; empty if there is none."""
    modules = {module_of(file) for file in sources}
    graph = TopologicalSorter[str]()
    for file, source in sources.items():
        name = module_of(file)
        path = Path("tabiya", file) if file.parts[0] in ROOMS else file
        graph.add(name, *({_module(use.name, modules) for use in imports(source, path)} & modules - {name}))
    try:
        graph.prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def _module(name: str, modules: set[str]) -> str:
    """The module of ours that an imported name is or lies in; "" if it is another's."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name


def test_no_room_has_a_circle() -> None:
    rooms = {room: {file: (ROOT / file).read_text("utf-8") for file in python_files(room)} for room in FOLDERS}
    assert all(rooms.values()), "a folder holds no Python file: has it moved?"
    found = [" -> ".join(circle) for files in rooms.values() if (circle := circle_in(files))]
    assert not found, "\n".join(found)


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
    circle = circle_in(files)
    assert circle[0] == circle[-1]
    assert {"tabiya.games.a", "tabiya.games.c"} <= set(circle)


def test_modules_that_need_each_other_in_one_order_are_no_circle() -> None:
    files = {"a": "import numpy", "b": "from tabiya.games import a", "c": "from tabiya.games import a, b"}
    assert circle_in({Path(f"games/{name}.py"): text for name, text in files.items()}) == []
