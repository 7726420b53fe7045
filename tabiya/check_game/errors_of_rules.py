"""Errors in a game's rules, for their author: the error, and the line in the game's files."""

from __future__ import annotations

import re
import sys
import traceback
from pathlib import Path

from tabiya.games.contract import Game

TRACEBACK = "Traceback (most recent call last):\n"
LINE = re.compile(r'File "([^"]+)", line (\d+)')
ERROR = re.compile(r"^(?:[\w.]+\.)?(\w\S*.*)", re.MULTILINE)  # without the module that its class is from
COMPILER = re.compile(r"Failed in nopython mode[^\n]*\n\s*([^\n]+)")  # the last such line is the innermost call's
NOT_FROM_PYTHON = "called_from_python_without_in_python"  # what the compiler names such a call
IN_PYTHON = "Python calls a function marked @njit as in_python(function)(...)"
HINT = "NUMBA_DISABLE_JIT=1 in front of the command runs the rules as plain Python"


def explained(error: BaseException, game: Game) -> str:
    """The error in one sentence."""
    return explanation("".join(traceback.format_exception(error)), game)


def explanation(report: str, game: Game) -> str:
    """The same of what Python has printed of it, such as another process leaves behind."""
    if why := COMPILER.findall(report):
        mine = [f"{Path(line[1]).name} line {line[2]}" for line in LINE.finditer(report) if _is_of(game, line[1])]
        return f"cannot be compiled: {why[-1]}, {mine[-1] if mine else HINT}"
    first, *more = report.split(TRACEBACK)[1:] or [report]
    for each in reversed(more):  # that of rules in plain Python is logged before the one it leads to
        if any(_is_of(game, file) for file, _ in LINE.findall(each)):
            return _last_of(each, game)
    return _last_of(first, game)


def _last_of(report: str, game: Game) -> str:
    """The error of one traceback."""
    lines = list(LINE.finditer(report))
    error = ERROR.search(report, lines[-1].end() if lines else 0)
    mine = [f", {Path(line[1]).name} line {line[2]}" for line in lines if _is_of(game, line[1])]
    text = error[1] if error else report.strip()
    return (IN_PYTHON if NOT_FROM_PYTHON in text else text) + (mine[-1] if mine else "")


def _is_of(game: Game, file: str) -> bool:
    """Whether a file is in the package that the game's class is from."""
    home = sys.modules[type(game).__module__.partition(".")[0]].__file__
    return home is not None and Path(file).resolve().is_relative_to(Path(home).resolve().parent)
