"""Finds the submissions in a folder: one bot for each file or folder. No submitted code is run."""

from __future__ import annotations

import ast
import platform
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tabiya.bots.client.failure import NOTEBOOK, is_of_notebook

COMMAND_FILE = "command.txt"
USUAL_FILE = "bot.py"
# Against a virtual environment or a data set that was handed in along with the program.
MOST_FILES = 2_000
MOST_BYTES = 200 * 1024 * 1024
IGNORED = ("__pycache__", "__MACOSX")  # the second: what macOS puts into archives


@dataclass(frozen=True, slots=True)
class Submission:
    """One bot.

    name: for the server.  source: its file or folder; None for a player of ours.
    player: a PLAYER, its file relative to the folder.  command: words of a command line instead; one of the two is
    empty.
    """

    name: str
    source: Path | None
    player: str = ""
    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """A file or folder that holds no bot. why: one sentence for its author."""

    name: str
    why: str


class _Rejected(Exception):
    """The text is the sentence of a Problem."""


def find_submissions(folder: Path) -> tuple[tuple[Submission, ...], tuple[Problem, ...]]:
    """The bots of a folder, by name, and what is there besides. Raises OSError.

    `NAME.py` holds one class that derives from `tabiya.Bot`.  A folder `NAME` holds `command.txt` with a command line
    or a PLAYER, which is run in that folder, or `bot.py` or one other Python file with such a class.
    """
    found: dict[str, Submission] = {}
    problems = []
    for path in sorted(folder.iterdir(), key=lambda path: path.name.casefold()):
        if path.name.startswith(".") or path.name in IGNORED:
            continue
        try:
            submission = _submission(path)
            # the server takes names that differ in case alone for one name
            other = found.setdefault(submission.name.casefold(), submission)
            if other is not submission:
                assert other.source is not None
                raise _Rejected(f"it has the same name as {other.source.name}; rename one of the two")
        except _Rejected as unusable:
            problems.append(Problem(path.name, str(unusable)))
        except OSError as error:
            problems.append(Problem(path.name, f"it cannot be read: {error.strerror}"))
    return tuple(found.values()), tuple(problems)


def _submission(path: Path) -> Submission:
    name = re.sub(r"[^\w .+-]+", "-", path.stem if path.is_file() else path.name).strip()
    name = re.sub(r"^[\W_]+", "", name)  # a server takes no name that begins with a mark
    if path.is_symlink():
        raise _Rejected("it is a symbolic link; put the program itself here")
    if not name:
        raise _Rejected("its name has no letter or digit; rename it")
    if path.is_dir():
        check_size(path)
        return _folder(name, path)
    if path.suffix != ".py":
        raise _Rejected(
            "it is not a program; a program is a Python file, or a folder with a Python file or a command.txt"
        )
    return Submission(name, path, player=f"{path.name}:{bot_class(path)}")


def check_size(folder: Path) -> None:
    """Raise _Unusable for a folder with links in it, or too much to copy."""
    files = [path for path in folder.rglob("*") if not path.is_dir() or path.is_symlink()]
    for path in files[: MOST_FILES + 1]:  # one more than allowed is enough to refuse the folder
        if path.is_symlink():
            raise _Rejected(f"{path.relative_to(folder)} is a symbolic link; put the file itself there")
    size = sum(path.stat().st_size for path in files[: MOST_FILES + 1])
    if len(files) > MOST_FILES or size > MOST_BYTES:
        raise _Rejected(f"it holds more than {MOST_FILES} files or {MOST_BYTES >> 20} MB; leave out what is not needed")


def _folder(name: str, folder: Path) -> Submission:
    command = folder / COMMAND_FILE
    if command.is_file():
        return _commanded(name, folder, _first_line(command))
    usual = folder / USUAL_FILE
    if usual.is_file():
        return Submission(name, folder, player=f"{USUAL_FILE}:{bot_class(usual)}")
    classes = dict(_classes(sorted(folder.glob("*.py"))))
    if len(classes) != 1:
        many = f"several files with a bot ({', '.join(classes)})" if classes else "no Python file with a bot"
        needed = f"one bot in {USUAL_FILE}, or a command line in {COMMAND_FILE}, such as: node bot.mjs {{url}}"
        deeper = next((file for file in sorted(folder.rglob("*.py")) if file.parent != folder), None)
        if deeper is not None and not classes:
            needed += f". {deeper.relative_to(folder)} is too deep: put it, and all it reads, at the top of the folder"
        raise _Rejected(f"it has {many}; it needs {needed}")
    [(file, bot)] = classes.items()
    return Submission(name, folder, player=f"{file}:{bot}")


def _classes(files: list[Path]) -> Iterator[tuple[str, str]]:
    for file in files:
        try:
            yield file.name, bot_class(file)
        except _Rejected:
            continue


def _commanded(name: str, folder: Path, line: str) -> Submission:
    from tabiya.bots.players.spec import PlayerError, parse_player

    try:
        parse_player(line)
    except PlayerError:  # then it is a command line
        pass
    else:
        return Submission(name, folder, player=line)
    try:
        words = tuple(shlex.split(line))
    except ValueError as error:
        raise _Rejected(f"the command line in {COMMAND_FILE} cannot be read: {error}") from None
    return Submission(name, folder, command=words)


def _first_line(path: Path) -> str:
    for line in _text(path).splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            return line.strip()
    raise _Rejected(f"{path.name} is empty; it needs the command line that starts the bot")


def _text(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig")  # editors on Windows put a byte order mark first
    except UnicodeDecodeError as error:
        raise _not_utf8(path, error.object.count(b"\n", 0, error.start)) from None
    if "\0" in text:  # every other byte in UTF-16
        raise _not_utf8(path, text.count("\n", 0, text.index("\0")))
    return text


def _not_utf8(path: Path, lines_before: int) -> _Rejected:
    return _Rejected(f"{path.name}, line {lines_before + 1}: it is not UTF-8 text; save the file as UTF-8")


def bot_class(path: Path) -> str:
    """The class in a Python file that derives from `Bot`, found by reading. Raises _Unusable, OSError."""
    text = _text(path)
    if not text.strip():
        raise _Rejected(f"{path.name} is empty")
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        where = f"line {error.lineno}: " if isinstance(error, SyntaxError) and error.lineno else ""
        mixed = isinstance(error, IndentationError) and {"\t", " "} <= {line[:1] for line in text.splitlines()}
        cure = "; lines begin with tabs and with spaces, use one of them" if mixed else ""
        if isinstance(error, SyntaxError) and is_of_notebook(error):
            cure = f"; {NOTEBOOK}"
        python = ".".join(platform.python_version_tuple()[:2])  # another one may understand it
        raise _Rejected(
            f"{path.name} is not valid Python {python}: {where}{getattr(error, 'msg', error)}{cure}"
        ) from None
    bases = {node.name: tuple(map(_base, node.bases)) for node in tree.body if isinstance(node, ast.ClassDef)}
    bots = [name for name in bases if _derives(name, bases)]
    # a base that other bots of the file derive from is not meant to play itself
    leaves = [name for name in bots if not any(name in bases[other] for other in bots if other != name)]
    if len(leaves) == 1:
        return leaves[0]
    if not leaves:
        raise _Rejected(f"{path.name} has no class that derives from tabiya.Bot, such as: class MyBot(Bot):")
    raise _Rejected(f"{path.name} has several bots ({', '.join(leaves)}); keep the one that is to play")


def _base(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _derives(name: str, bases: dict[str, tuple[str, ...]]) -> bool:
    """Whether a class has `Bot` among its ancestors, as far as the file says."""
    seen, left = set[str](), [name]
    while left:
        derived = left.pop()
        for base in bases.get(derived, ()):
            if base == "Bot" and (base not in bases or derived == base):  # `class Bot(tabiya.Bot)` is a bot, too
                return True
            if base not in seen:
                seen.add(base)
                left.append(base)
    return False
