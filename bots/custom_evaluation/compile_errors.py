"""Compiler errors in an author's code as plain sentences: line and cause."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

from numba.core.errors import NumbaError

from tabiya.bots.custom_evaluation.clamp import NOTHING
from tabiya.bots.custom_evaluation.code_hash import CannotCompile, is_author_code

LINE = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>[0-9]+)')
USED = re.compile(r"No implementation of function .*\n\s*>>> (?P<name>[\w.<>]+)\((?P<given>.*)\)\n")
OURS = ("choose", "evaluate", "priority")  # what stands above the author's own line
NO_TEXT = "Error creating Python tuple from runtime exception arguments"  # Numba's, of an error with values in it
NOISE = ("Failed in", "During", "- Resolution failure")
CAUSES = (
    (rf"Casting none to|expected \w+, got None|{re.escape(NOTHING)}", NOTHING),
    (r"(evaluate|priority) returns (.+), which is not a number", "{0} returns {1}, which is not a number"),
    (
        r"Can't unify return type from the following types: (.+?), (.+)",
        "it returns once {0} and once {1}; let it always be a number",
    ),
    (r"'record' object has no attribute '(\w+)'", "the position has no field {0}"),
    (r"Untyped global name '(\w+)'", "{0} is neither a number, an array nor a function of your own files"),
    (r"NameError: name '(\w+)' is not defined", "{0} is not defined"),
    (
        r"use of (yield|async|await)\b.*unsupported",
        "`{0}` and `sum(x for ...)` cannot be compiled; write a loop",
    ),
    (r"Unknown attribute '(\w+)' of type Module", "{0} of that module is not known to compiled code"),
    (
        r"Unknown attribute '(\w+)'",
        "compiled code knows no {0} here (of itself a class has its methods and its numbers)",
    ),
    (r"Cannot unify (.+?) and (.+?) for '(\w+)", "{2} is once {0} and once {1}; let it always be a number"),
    (r"Cannot unify (.+?) and (.+?) for '\$", "it is once {0} and once {1}; let it always be a number"),
    (NO_TEXT, "it raises an error with values in it"),
    (r"cannot determine Numba type of <class '([\w.]+)'>", "a {0} cannot be used in compiled code"),
)
KINDS = ((r"Literal\[\w+\]\(([^)]*)\)", r"\1"), (r"unicode_type", "text"), (r"DictType\[[^\]]*\]", "a dictionary"))


def explain(error: BaseException) -> str:
    """Line and cause, for the author."""
    if isinstance(error, CannotCompile):
        return str(error)
    text = str(error)
    if isinstance(error, LookupError) and _is_of_a_record(error):
        return f"the position has no field {error.args[0]}"
    places = [found for found in LINE.finditer(text) if is_author_code(found["file"])]
    where = f"{Path(places[-1]['file']).name}, line {places[-1]['line']}: " if places else ""
    for pattern, words in CAUSES:
        if found := re.search(pattern, text):
            return where + _plain(words.format(*found.groups()))
    uses = [found for found in USED.finditer(text) if not found["name"].startswith(OURS)]
    if uses:
        return where + _plain(f"{uses[-1]['name']} cannot be used with ({uses[-1]['given']})")
    lines = [line for line in map(str.strip, text.splitlines()) if line and not line.startswith(NOISE)]
    kind, line = type(error).__name__, "" if isinstance(error, NumbaError) else _line_of(error)
    if line or isinstance(error, LookupError):  # of which the text is the key alone
        return f"{line}{kind}: {lines[0]}" if lines else f"{line}{kind}"
    return where + (lines[0] if lines else kind)


def is_raised_by_author(error: BaseException) -> bool:
    """Whether it comes from the author's code when that ran, compiled or not, and not from the compiler."""
    without_a_line = isinstance(error, ArithmeticError) or NO_TEXT in str(error)
    return not isinstance(error, NumbaError) and (without_a_line or bool(_line_of(error)))


def _line_of(error: BaseException) -> str:
    """Where in the author's code it was raised, empty if not there. Compiled code tells its lines, too."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if is_author_code(frame.filename)]
    return f"{Path(own[-1].filename).name}, line {own[-1].lineno}: " if own else ""


def _is_of_a_record(error: LookupError) -> bool:
    """Whether it is the compiler that does not find a field of the position."""
    frames = traceback.extract_tb(error.__traceback__)
    return bool(frames) and frames[-1].name == "typeof" and not is_author_code(frames[-1].filename)


def _plain(words: str) -> str:
    for pattern, plain in KINDS:
        words = re.sub(pattern, plain, words)
    return words
