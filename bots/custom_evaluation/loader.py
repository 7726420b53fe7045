"""Loads an author's module under a name made of its content and of all that it imports from its own folder.

Compiled code is kept by the name of the class it is for (games/compiled/kernel_types.py). So two files with a class
of one name share nothing, an edited file is never stale, and neither is a file whose helper beside it was edited.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import hashlib
import importlib.util
import linecache
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
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
        imports = FolderImports(path, sources)
        with imports.first():
            _run(path, name, imports)
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

    def __init__(self, fullname: str, path: str, imports: FolderImports) -> None:
        super().__init__(fullname, path)
        self._imports = imports

    def get_code(self, fullname: str) -> CodeType:
        """The source, compiled now."""
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code

    def exec_module(self, module: ModuleType) -> None:
        """Run it, with the imports of its folder."""
        module.__dict__["__builtins__"] = self._imports.builtins
        super().exec_module(module)


class FolderFinder:
    """Finds the modules of one folder, and of the packages in it."""

    def __init__(self, folder: Path, imports: FolderImports) -> None:
        self._folder = folder
        self._loader = partial(SourceOnlyLoader, imports=imports)

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> Any:
        """Where `name` is; None if it is not there. path: the folders of its package."""
        if name in NOT_LOCAL:
            return None
        for place in map(Path, path or [str(self._folder)]):
            if place.is_relative_to(self._folder):
                found = FileFinder(str(place), (self._loader, [".py"])).find_spec(name)  # type: ignore[arg-type]
                if found is not None and (found.loader or path or not self._is_elsewhere(name)):
                    return found
        return None

    def _is_elsewhere(self, name: str) -> bool:
        """Whether a real module has this name: as in Python itself, it goes before a folder without `__init__.py`."""
        specs = (finder.find_spec(name, None) for finder in sys.meta_path if finder is not self)
        return any(spec is not None and spec.loader for spec in specs)


class FolderImports:
    """`import` for the files of one folder: the modules beside them come first, another file's `helpers` is not theirs.

    Also for an import within a function, long after its file has run. Between imports `sys.modules` has none of them.
    """

    def __init__(self, path: Path, sources: Mapping[Path, bytes]) -> None:
        folder = path.resolve().parent
        others = [file.relative_to(folder) for file in sources if file != path.resolve()]
        self._tops = {file.parts[0].removesuffix(".py") for file in others}
        self._finder = FolderFinder(folder, self)
        self._modules = dict[str, ModuleType]()
        self._lock = threading.RLock()
        self.builtins = {**vars(builtins), "__import__": self}

    def __call__(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,  # noqa: A002 (what Python's own calls it)
        locals: Mapping[str, Any] | None = None,  # noqa: A002
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """As Python's own `__import__`."""
        top = name.partition(".")[0]
        if not level and top not in self._tops:
            return builtins.__import__(name, globals, locals, fromlist, level)
        if not level and name in self._modules and all(hasattr(self._modules[name], part) for part in fromlist or ()):
            return self._modules[name if fromlist else top]  # a third of a millisecond less: it may be in every move
        with self._lock, self.first():
            return builtins.__import__(name, globals, locals, fromlist, level)

    @contextlib.contextmanager
    def first(self) -> Iterator[None]:
        """In this context the modules of the folder come before all others of their names."""
        if self._finder in sys.meta_path:  # within another import of the same folder
            yield
            return
        theirs = self._take_out()
        sys.modules.update(self._modules)
        sys.meta_path.insert(0, self._finder)
        try:
            yield
        finally:
            sys.meta_path.remove(self._finder)
            self._modules = self._take_out()
            sys.modules.update(theirs)

    def _take_out(self) -> dict[str, ModuleType]:
        """Remove the modules of these names from `sys.modules` and return them."""
        names = [name for name in list(sys.modules) if name.partition(".")[0] in self._tops]
        return {name: sys.modules.pop(name) for name in names}


def _run(path: Path, name: str, imports: FolderImports) -> None:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    source = path.read_bytes()
    linecache.checkcache(str(path))
    module.__dict__["__builtins__"] = imports.builtins
    sys.modules[name] = module
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)  # noqa: S102 (to run it is what was asked for)
    except BaseException:
        del sys.modules[name]
        raise
