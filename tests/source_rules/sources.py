"""Reading our own sources: files, the modules they import, the names they reach through them."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
ROOMS = ("games", "protocol", "storage", "server", "bots")  # folders here, and in the code `tabiya.games`, ...
PACKAGES = ("tabiya", *ROOMS)
IMPORT_CALLS = {"import_module", "__import__"}


@dataclass(frozen=True, slots=True)
class Use:
    """A dotted name that a file imports or reaches: `numpy.random.default_rng`, at a line."""

    name: str
    line: int

    @property
    def top(self) -> str:
        """The package: `numpy`."""
        return self.name.partition(".")[0]

    @property
    def room(self) -> str:
        """The folder of ours that it is in: `games` for `tabiya.games.registry`; else the package."""
        first, second, *_ = [*self.name.split("."), ""]
        return second if first == "tabiya" and second in ROOMS else first

    def is_in(self, module: str) -> bool:
        """Whether the name is the module or lies in it."""
        return self.name == module or self.name.startswith(module + ".")


def python_files(*folders: str) -> list[Path]:
    """Every Python file below the folders, as paths from the repository's root."""
    return sorted(file.relative_to(ROOT) for folder in folders for file in (ROOT / folder).rglob("*.py"))


@functools.cache
def imports(source: str, path: Path) -> tuple[Use, ...]:
    """What a file imports anywhere, type-checking blocks and `import_module("...")` included.

    `from a import b` gives `a.b`; relative imports are resolved by the file's path from the root.
    """
    return tuple(use for node in ast.walk(ast.parse(source)) for use in _imports_of(node, path))


def uses(source: str, path: Path) -> list[Use]:
    """The imports, and every attribute chain that begins at an imported name, by its full name."""
    tree = ast.parse(source)
    names = _local_names(tree, path)
    found = [*imports(source, path)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            first, _, rest = ast.unparse(node).partition(".")
            if first in names:
                found.append(Use(f"{names[first]}.{rest}", node.lineno))
    return found


def strings(source: str) -> Iterator[tuple[str, int]]:
    """Every string literal of a file with its line."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value, node.lineno


def _imports_of(node: ast.AST, path: Path) -> Iterator[Use]:
    match node:
        case ast.Import(names=aliases):
            yield from (Use(alias.name, node.lineno) for alias in aliases)
        case ast.ImportFrom(names=aliases):
            yield from (Use(f"{_origin(node, path)}.{alias.name}", node.lineno) for alias in aliases)
        case ast.Call(args=[ast.Constant(value=str(name)), *_]) if _called(node) in IMPORT_CALLS:
            yield Use(name, node.lineno)


def _origin(node: ast.ImportFrom, path: Path) -> str:
    above = list(path.parts[: len(path.parts) - node.level]) if node.level else []
    return ".".join([*above, node.module] if node.module else above)


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _local_names(tree: ast.AST, path: Path) -> dict[str, str]:
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                names[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                names[alias.asname or alias.name] = f"{_origin(node, path)}.{alias.name}"
    return names
