"""What the compiler says of an author's code, as line and cause in plain words."""

from __future__ import annotations

import re
from pathlib import Path

from bots.own.contents import Unfit, is_file_in

LINE = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>[0-9]+)')
USED = re.compile(r"No implementation of function .*\n\s*>>> (?P<name>[\w.<>]+)\((?P<given>.*)\)\n")
OURS = ("choose", "evaluate", "priority")  # what stands above the author's own line
CAUSES = (
    (r"Casting none to", "some way through it ends without `return` and a number"),
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
    (r"cannot determine Numba type of <class '([\w.]+)'>", "a {0} cannot be used in compiled code"),
)
KINDS = ((r"Literal\[\w+\]\(([^)]*)\)", r"\1"), (r"unicode_type", "text"), (r"DictType\[[^\]]*\]", "a dictionary"))


def cause_of(error: BaseException, folder: Path) -> str:
    """Line and cause, for the author of files in this folder."""
    if isinstance(error, Unfit):
        return str(error)
    text = str(error)
    if isinstance(error, KeyError):
        return f"the position has no field {text}"
    places = [found for found in LINE.finditer(text) if is_file_in(folder, found["file"])]
    where = f"{Path(places[-1]['file']).name}, line {places[-1]['line']}: " if places else ""
    for pattern, words in CAUSES:
        if found := re.search(pattern, text):
            return where + _plain(words.format(*found.groups()))
    uses = [found for found in USED.finditer(text) if not found["name"].startswith(OURS)]
    if uses:
        return where + _plain(f"{uses[-1]['name']} cannot be used with ({uses[-1]['given']})")
    lines = [
        line.strip() for line in text.splitlines() if line.strip() and not line.startswith(("Failed in", "During"))
    ]
    return where + (lines[0] if lines else type(error).__name__)


def _plain(words: str) -> str:
    for pattern, plain in KINDS:
        words = re.sub(pattern, plain, words)
    return words
