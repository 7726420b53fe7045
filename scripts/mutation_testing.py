"""Mutation tests: change one thing in a module, and some test must fail.

    python -m scripts.mutation_testing bots/textbook/text_* --tests tests/bots/textbook/test_contracts.py
    python -m scripts.mutation_testing bots/textbook/compiled --tests tests/bots/textbook/compiled --interpreted
    python -m scripts.mutation_testing ... --keep docs/measurements/textbooks_mutants.json --name listings

Each mutant changes one operator, number, call or statement of one file: a minus sign is dropped, > becomes >=, max
becomes min, BlueValue becomes RedValue, alpha and beta change places, a line is left out. The file itself is never
touched: a forked process loads the changed source instead, and runs the tests until the first failure (no Windows).
Nothing is drawn at random: the same sources give the same mutants in the same order, and the tests draw from fixed
seeds. Survivors are printed; the last line is the score. A mutant that changes nothing that can be seen is judged by
eye: --keep writes score and survivors to a file, and keeps what the file says of why a survivor changes nothing.
"""

from __future__ import annotations

import argparse
import ast
import copy
import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

ROOT = Path(__file__).parent.parent
KILLED, SURVIVED, OVERDUE = "killed", "survived", "overdue"
TIMEOUT_S = 60  # of CPU time for the tests of one mutant, so that a busy machine makes nobody overdue
SWAPPED_NAMES = {
    "max": "min", "min": "max", "Max": "Min", "Min": "Max", "MaxAB": "MinAB", "MinAB": "MaxAB",
    "BlueValue": "RedValue", "RedValue": "BlueValue", "analysis": "eval", "eval": "analysis",
}  # fmt: skip
COMMUTING = ("max", "min")
COMPARISONS: dict[type[ast.cmpop], list[type[ast.cmpop]]] = {
    ast.Gt: [ast.GtE, ast.Lt],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Lt: [ast.LtE, ast.Gt],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One changed source. what: the line before and after, for people."""

    path: Path
    line: int
    what: str
    source: str


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Every mutant of a file."""
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    plain = ast.unparse(tree).splitlines()
    for at, node in enumerate(_nodes(tree)):
        for change in range(len(_changes(node))):
            other = copy.deepcopy(tree)
            twin = list(_nodes(other))[at]
            _apply(other, twin, _changes(twin)[change])
            source = ast.unparse(ast.fix_missing_locations(other))
            before, after = _difference(plain, source.splitlines())
            if before != after:
                yield Mutant(path, getattr(node, "lineno", 0), f"{before}  ->  {after}", source)


def turns_a_side(mutant: Mutant) -> bool:
    """Whether the change drops a minus sign, or puts one player in the other's place."""
    before, _, after = mutant.what.partition("  ->  ")
    dropped = any(before[:at] + before[at + 1 :] == after for at, sign in enumerate(before) if sign == "-")
    return dropped or any(
        before != after and sorted(re.sub(rf"\b{one}\b", other, before)) == sorted(re.sub(rf"\b{one}\b", other, after))
        for one, other in SWAPPED_NAMES.items()
        if one not in ("analysis", "eval")
    )


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes of running code: annotations, docstrings, imports and `if TYPE_CHECKING` are left out."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.Import | ast.ImportFrom | ast.arguments) or _is_docstring(child):
            continue
        if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.AnnAssign):
            if child.value is not None:
                yield child.value
                yield from _nodes(child.value)
            continue
        if isinstance(child, ast.FunctionDef):
            body = ast.Module([*child.body], [])
            yield from _nodes(body)
            continue
        yield child
        yield from _nodes(child)


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _changes(node: ast.AST) -> list[ast.AST | None]:
    """The replacements of a node; None: it is left out."""
    match node:
        case ast.Compare(ops=[op], left=left, comparators=right):
            return [ast.Compare(left, [other()], right) for other in COMPARISONS.get(type(op), [])]
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
            return [operand]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
            return [ast.BinOp(left, ARITHMETIC[type(op)](), right)]
        case ast.BoolOp(op=op, values=values):
            return [ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)]
        case ast.Constant(value=bool(value)):
            return [ast.Constant(not value)]
        case ast.Constant(value=int(value)):
            return [ast.Constant(value + 1)]
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return [ast.IfExp(test, orelse, body)]
        case ast.Name(id=name) if name in SWAPPED_NAMES:
            return [ast.Name(SWAPPED_NAMES[name], node.ctx)]
        case ast.Attribute(value=value, attr=name) if name in SWAPPED_NAMES:
            return [ast.Attribute(value, SWAPPED_NAMES[name], node.ctx)]
        case ast.Call(func=func, args=[*first, one, two], keywords=keywords) if ast.unparse(func) not in COMMUTING:
            return [ast.Call(func, [*first, two, one], keywords)]
        case ast.Assign() | ast.AugAssign() | ast.Expr() | ast.Break() | ast.Continue():
            return [None]
        case ast.Return(value=value) if value is not None:
            return [None]
        case ast.If(test=test):
            return [ast.If(ast.Constant(False), node.body, node.orelse)]
    return []


def _apply(tree: ast.AST, node: ast.AST, change: ast.AST | None) -> None:
    """Put `change` where `node` stands."""
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is node:
                setattr(parent, name, change)
                return
            if isinstance(value, list) and any(item is node for item in value):
                new: Any = ast.Pass() if change is None else change
                value[:] = [new if item is node else item for item in value]
                return


def _difference(before: list[str], after: list[str]) -> tuple[str, str]:
    for one, other in zip(before, after, strict=False):
        if one != other:
            return one.strip(), other.strip()
    return "", ""


def verdict_on(mutant: Mutant, tests: list[str]) -> str:
    """Run the tests on the mutant in a process of its own."""
    child = os.fork()
    if child == 0:
        os._exit(_run(mutant, tests))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return OVERDUE
    return SURVIVED if code == 0 else KILLED


def _run(mutant: Mutant, tests: list[str]) -> int:
    import resource  # not on Windows

    import pytest

    resource.setrlimit(resource.RLIMIT_CPU, (TIMEOUT_S, TIMEOUT_S + 5))
    target, code_of = (ROOT / mutant.path).resolve(), SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
        if Path(self.path).resolve() == target:
            return compile(mutant.source, self.path, "exec")
        return code_of(self, fullname)

    SourceFileLoader.get_code = get_code  # type: ignore[assignment,method-assign]
    for name in [name for name in sys.modules if name.startswith(("tabiya.bots", "tests"))]:
        del sys.modules[name]  # who calls this may have loaded the file as it is
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    usual = ["-x", "-q", "-n0", "-p", "no:cacheprovider", "-W", "ignore::RuntimeWarning", *tests]
    named = mutant.path.stem.replace("_", "-")  # tests that bear the file's name find most of it, and quickly
    first = int(pytest.main([*usual, "-k", named])) if mutant.path.parent.name.startswith("text_") else 0
    return first if first not in (0, pytest.ExitCode.NO_TESTS_COLLECTED) else int(pytest.main(usual))


def keep(file: Path, name: str, command: str, counts: dict[str, int], survivors: list[Mutant]) -> None:
    """Write a score and its survivors to `file` under `name`; reasons that were written there stay."""
    kept = json.loads(file.read_text("utf-8")) if file.exists() else {}
    reasons = {one["mutant"]: one["why"] for part in kept.values() for one in part["survivors"]}
    texts = [f"{mutant.path}: {mutant.what}" for mutant in survivors]
    kept[name] = {
        "command": command,
        "mutants": sum(counts.values()),
        **counts,
        "survivors": [{"mutant": text, "why": reasons.get(text, "")} for text in texts],
    }
    file.write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> int:
    """Exit status: 0 when every mutant was found out."""
    parser = argparse.ArgumentParser(description="Mutation tests.")
    parser.add_argument("sources", nargs="+", help="files or folders of ours to change")
    parser.add_argument("--tests", nargs="+", required=True, help="what pytest is to run")
    parser.add_argument("--interpreted", action="store_true", help="kernels as plain Python: nothing is compiled")
    parser.add_argument("--every", type=int, default=1, help="try only every n-th mutant")
    parser.add_argument("--sides", action="store_true", help="only dropped signs and exchanged players")
    parser.add_argument("--keep", type=Path, help="write score and survivors to this JSON file")
    parser.add_argument("--name", default="all", help="under this name")
    arguments = parser.parse_args()
    if arguments.interpreted:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    _load_once()
    paths = [Path(source) for source in arguments.sources]
    files = sorted({f for p in paths for f in (p.rglob("*.py") if (ROOT / p).is_dir() else [p])})
    loaded = {Path(file).resolve() for module in sys.modules.values() if (file := getattr(module, "__file__", None))}
    assert not loaded & {(ROOT / file).resolve() for file in files}, "a file to be changed is loaded already"
    mutants = [mutant for file in files for mutant in mutants_of(file)]
    mutants = [mutant for mutant in mutants if turns_a_side(mutant) or not arguments.sides][:: arguments.every]
    counts, survivors = dict.fromkeys((KILLED, SURVIVED, OVERDUE), 0), list[Mutant]()
    for mutant in mutants:
        verdict = verdict_on(mutant, arguments.tests)
        counts[verdict] += 1
        if verdict == SURVIVED:
            survivors.append(mutant)
            print(f"{mutant.path}:{mutant.line}: {mutant.what}", flush=True)
    found = counts[KILLED] + counts[OVERDUE]
    if arguments.keep:
        keep(arguments.keep, arguments.name, _command(arguments), counts, survivors)
    print(f"{found} of {len(mutants)} mutants found ({100 * found / max(1, len(mutants)):.1f} %)", flush=True)
    return 0 if found == len(mutants) else 1


def _load_once() -> None:
    """Load what every test run needs but no mutant changes, before the processes fork: three quarters of their time."""
    import contextlib
    import io

    import numba  # noqa: F401
    import pytest

    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main(
            [
                "--collect-only",
                "-q",
                "-n0",
                "-p",
                "no:cacheprovider",
                str(ROOT / "tests/scripts/test_mutation_testing.py"),
            ]
        )


def _command(arguments: argparse.Namespace) -> str:
    words = ["python -m scripts.mutation_testing", *arguments.sources, "--tests", *arguments.tests]
    words += ["--interpreted"] * arguments.interpreted + ["--sides"] * arguments.sides
    words += [f"--every {arguments.every}"] * (arguments.every > 1)
    return " ".join(words)


if __name__ == "__main__":
    sys.exit(main())
