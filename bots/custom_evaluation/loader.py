"""Loads an author's module under a name made of its content and of all that it imports from its own folder.

Compiled code is kept by the name of the class it is for (games/compiled/kernel_types.py). So two files with a class
of one name share nothing, an edited file is never stale, and neither is a file whose helper beside it was edited.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.util
import linecache
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import FileFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

PREFIX = "tabiya_author_"
DIGITS = 16
NOT_LOCAL = sys.stdlib_module_names | {"tabiya"}  # a file of such a name beside the author's is not what it imports


def load(path: Path) -> ModuleType:
    """The module of a file, run once per process and content. Raises OSError, and whatever its code raises."""
    sources = local_sources(path)
    digest = hashlib.sha256()
    for file, source in sources.items():
        digest.update(str(file).encode() + b"\0" + source + b"\0")
    name = PREFIX + digest.hexdigest()[:DIGITS]
    if name not in sys.modules:
        with _folder_first(path, sources):
            _run(path, name)
    return sys.modules[name]


def local_sources(path: Path) -> dict[Path, bytes]:
    """The file and every file of its folder that it imports, directly or not; packages with all that is in them."""
    folder = path.resolve().parent
    found, open_files = dict[Path, bytes](), [path.resolve()]
    while open_files:
        file = open_files.pop()
        if file in found:
            continue
        found[file] = file.read_bytes()
        for name in sorted(_imported(found[file])):
            top = name.partition(".")[0]
            if top in NOT_LOCAL:
                continue
            if (folder / f"{top}.py").is_file():
                open_files.append(folder / f"{top}.py")
            elif (folder / top).is_dir():
                open_files += sorted((folder / top).rglob("*.py"))
    return found


def _imported(source: bytes) -> set[str]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):  # said with its line when the file is run
        return set()
    names = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return names


class SourceOnlyLoader(SourceFileLoader):
    """Reads the source each time: a compiled file is told from an edited one by size and whole seconds only."""

    def get_code(self, fullname: str) -> CodeType:
        """The source, compiled now."""
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


class FolderFinder:
    """Finds the modules of one folder, and of the packages in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> Any:
        """Where `name` is; None if it is not there. path: the folders of its package."""
        if name in NOT_LOCAL:
            return None
        for place in map(Path, path or [str(self._folder)]):
            if place.is_relative_to(self._folder):
                found = FileFinder(str(place), (SourceOnlyLoader, [".py"])).find_spec(name)
                if found is not None and (found.loader or path or not self._is_elsewhere(name)):
                    return found
        return None

    def _is_elsewhere(self, name: str) -> bool:
        """Whether a real module has this name: as in Python itself, it goes before a folder without `__init__.py`."""
        specs = (finder.find_spec(name, None) for finder in sys.meta_path if finder is not self)
        return any(spec is not None and spec.loader for spec in specs)


@contextlib.contextmanager
def _folder_first(path: Path, sources: dict[Path, bytes]) -> Iterator[None]:
    """While a file runs, the modules beside it come first: another file's `helpers` is not taken for them."""
    folder = path.resolve().parent
    tops = {file.relative_to(folder).parts[0].removesuffix(".py") for file in sources if file != path.resolve()}
    theirs = {name: module for name, module in sys.modules.items() if name.partition(".")[0] in tops}
    for name in theirs:
        del sys.modules[name]
    finder = FolderFinder(folder)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name.partition(".")[0] in tops]:
            del sys.modules[name]
        sys.modules.update(theirs)


def _run(path: Path, name: str) -> None:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    source = path.read_bytes()
    linecache.checkcache(str(path))
    sys.modules[name] = module
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)  # noqa: S102 (to run it is what was asked for)
    except BaseException:
        del sys.modules[name]
        raise
