"""Somebody's module, loaded under a name made of its content and of all that it imports from its own folder.

Compiled code is kept by the name of the class it is for (games/compiled/glue.py). So two files with a class of one name
share nothing, an edited file is never stale, and neither is a file whose helper beside it was edited.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.util
import linecache
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

PREFIX = "tabiya_own_"
DIGITS = 16


def load(path: Path) -> ModuleType:
    """The module of a file, run once per process and content. Raises OSError, and whatever its code raises."""
    sources = own_sources(path)
    digest = hashlib.sha256()
    for file, source in sources.items():
        digest.update(str(file).encode() + b"\0" + source + b"\0")
    name = PREFIX + digest.hexdigest()[:DIGITS]
    if name not in sys.modules:
        with _beside(path, sources):
            _run(path, name)
    return sys.modules[name]


def own_sources(path: Path) -> dict[Path, bytes]:
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


@contextlib.contextmanager
def _beside(path: Path, sources: dict[Path, bytes]) -> Iterator[None]:
    """While a file runs, the modules beside it are its own: another file's `helpers` is not taken for them.

    Its folder is searched last, so that no file in it hides a package of ours.
    """
    folder = path.resolve().parent
    tops = {file.relative_to(folder).parts[0].removesuffix(".py") for file in sources if file != path.resolve()}
    theirs = {name: module for name, module in sys.modules.items() if name.partition(".")[0] in tops}
    for name in theirs:
        del sys.modules[name]
    sys.path.append(str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
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
