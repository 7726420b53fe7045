"""The PLAYER grammar, the same wherever a player is asked for. Reading a text loads no compiler.

| text                      | player                                                                              |
| ------------------------- | ----------------------------------------------------------------------------------- |
| `greedy`                  | a level of the roster (`random`, `easy`, `strong`, `perfect`, ...)                   |
| `pvs:6`                   | an algorithm and how many plies deep: `minimax`, `alphabeta` or `pvs`                |
| `pvs:2s`, `pvs:500ms`     | an algorithm and the time for each move, the clock permitting                        |
| `pvs:8@0.5s`              | both: at most so deep, at most so long                                               |
| `pvs:5000nodes`           | the playing engine, and how many nodes for each move                                 |
| `pvs`                     | an algorithm that divides its clock by itself                                        |
| `pvs:4?margin=30`         | moves at most 0.30 (pawns, discs, ...) behind the best, at random                    |
| `alphabeta-failhard:5`    | a listing of the textbooks as printed, limits likewise: bots/textbook/catalogue.py   |
| `uci:COMMAND`             | any UCI engine: `uci:stockfish`, `uci:./engine --hash 64`                            |
| `nboard:COMMAND`          | any NBoard engine                                                                    |
| `xboard:COMMAND`          | any engine of xboard's protocol (CECP, version 2): `xboard:fairymax`                 |
| `gtp:COMMAND`             | any GTP engine for reversi or Connect 5                                              |
| `gomocup:COMMAND`         | any engine of Gomocup's protocol                                                     |
| `uci:COMMAND?Hash=64`     | the same with options of the engine: `uci:stockfish?Hash=64&Skill Level=3`           |
| `uci:COMMAND?File=a%26b`  | signs in names and values of options: `%26` is `&`, `%3D` `=`, `%3F` `?`, `%25` `%`    |
| `program:COMMAND`         | any program that reads and writes the protocol's messages, a line each (or at `{url}`) |
| `NAME`, `NAME:ARGUMENT`   | a player that an installed package brings by an entry point `tabiya.players`         |
| `file.py:Class`           | a class in a Python file that derives from `tabiya.Bot`                              |
| `file.py:Class:6`         | one that derives from a game's evaluator: the engine with that evaluation, limits as pvs |
| `file.py:Class:6?corner=9` | the same with other values of the numbers that the class declares                   |
| `file.py:Class?best.json` | the same, the values in a file                                                       |
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from tabiya.bots.players.catalogue import PERFECT_NIM, level_names, package_players
from tabiya.bots.textbook import catalogue as textbook

if TYPE_CHECKING:
    from tabiya.bots.client.failure import ProgramFailure

ENGINE = "pvs"  # the playing engine: bots/engine/
ALGORITHMS = ("minimax", "alphabeta", ENGINE)  # the others: bots/textbook/player.py
DEEPEST = 64
LONGEST_S = 86_400.0
MOST_MARGIN = 1_000
MARGIN = re.compile(r"margin=(?P<margin>[0-9]{1,6})")  # bounded: int() refuses texts of thousands of digits
LONGEST_TEXT = 20_000  # a tuned engine may be given hundreds of options
PYTHON_FILE = re.compile(r"(?P<path>.+\.py)(?::(?P<name>.*))?")
URL, ADDRESS = "{url}", "{address}"
"""Words of a program's command line that stand for its websocket; the second where {url} stands for another."""
CLASS_NAME = re.compile(r"[^\W\d]\w*")
NODES = re.compile(r"(?P<nodes>[1-9][0-9]{0,8})nodes")
ESCAPES = {"%": "%25", "&": "%26", "=": "%3D", "?": "%3F"}
"""How names and values of options are written, so that they may hold the signs between them."""
ESCAPED = re.compile("|".join(ESCAPES.values()), re.IGNORECASE)
LIMITS = re.compile(r"(?P<depth>[0-9]{1,6})?(?:(?:(?<=[0-9])@|^)(?P<time>[0-9]{1,6}(?:\.[0-9]{1,6})?)(?P<unit>ms|s))?")


class PlayerError(ValueError):
    """A text that names no player, or a player that cannot be made; the message is one sentence for a person.

    failure: of the author's program, if that is to blame.
    """

    def __init__(self, sentence: str, failure: ProgramFailure | None = None) -> None:
        super().__init__(sentence)
        self.failure = failure


class PlayerKind(StrEnum):
    """The families of players."""

    LEVEL = "level"
    SEARCH = "search"
    TEXTBOOK = "textbook"
    PERFECT_NIM = "perfect_nim"
    UCI = "uci"
    NBOARD = "nboard"
    XBOARD = "xboard"
    GTP = "gtp"
    GOMOCUP = "gomocup"
    PROGRAM = "program"
    FILE = "file"
    PACKAGE = "package"


ENGINES = (PlayerKind.UCI, PlayerKind.NBOARD, PlayerKind.XBOARD, PlayerKind.GTP, PlayerKind.GOMOCUP)
"""Programs that speak a protocol of engines: bots/adapters/."""


@dataclass(frozen=True, slots=True)
class PlayerSpec:
    """A PLAYER text, read.

    name: of the level, the algorithm or the class.  depth: plies; time_s: seconds; nodes: of one search; None where not
    given.  margin: hundredths that a move may be behind the best.  command: program and arguments.  path: of the Python
    file.  options: names and values, to be set in the program or the class; for the latter without a name a JSON file
    of them.
    """

    kind: PlayerKind
    text: str
    name: str = ""
    depth: int | None = None
    time_s: float | None = None
    nodes: int | None = None
    margin: int = 0
    command: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    path: str = ""


def parse_player(text: str) -> PlayerSpec:
    """What `text` names. Raises PlayerError; whether programs and files exist shows when the player is built."""
    if not text or len(text) > LONGEST_TEXT:
        raise PlayerError(f"a player is a text of 1 to {LONGEST_TEXT} characters, such as 'greedy' or 'pvs:6'")
    head, colon, rest = text.partition(":")
    if colon and head in ENGINES:
        command, options = _with_options(head, rest)
        return PlayerSpec(PlayerKind(head), text, command=_command(head, command), options=options)
    if colon and head == PlayerKind.PROGRAM:
        return PlayerSpec(PlayerKind.PROGRAM, text, command=_command(head, rest))
    if found := PYTHON_FILE.fullmatch(text):
        return _file(text, found)
    if head.partition("?")[0] == ENGINE:
        return _playing(text)
    if head in ALGORITHMS:
        return _search(text, head, rest if colon else None)
    if head in textbook.names():
        return replace(_search(text, head, rest if colon else None), kind=PlayerKind.TEXTBOOK)
    if text in level_names():
        return PlayerSpec(PlayerKind.LEVEL, text, name=text)
    if text == PERFECT_NIM:
        return PlayerSpec(PlayerKind.PERFECT_NIM, text, name=text)
    if head in package_players():
        return PlayerSpec(PlayerKind.PACKAGE, text, name=head)
    raise PlayerError(_unknown(text, head))


def _playing(text: str) -> PlayerSpec:
    """The playing engine: it also takes a margin."""
    head, mark, tail = text.partition("?")
    algorithm, colon, limits = head.partition(":")
    found = MARGIN.fullmatch(tail)
    if mark and (found is None or int(found["margin"]) > MOST_MARGIN):
        raise PlayerError(
            f"{quoted(text)} is not understood: {ENGINE} takes one option, the hundredths that a move may be behind "
            f"the best, up to {MOST_MARGIN}: {ENGINE}:4?margin=30"
        )
    spec = _search(text, algorithm, limits if colon else None, takes_nodes=True)
    return spec if found is None else replace(spec, margin=int(found["margin"]))


def _search(text: str, algorithm: str, limits: str | None, *, takes_nodes: bool = False) -> PlayerSpec:
    if limits is None:
        return PlayerSpec(PlayerKind.SEARCH, text, name=algorithm)
    counted = NODES.fullmatch(limits)
    if counted is not None and takes_nodes:
        return PlayerSpec(PlayerKind.SEARCH, text, name=algorithm, nodes=int(counted["nodes"]))
    found = LIMITS.fullmatch(limits)
    if not limits or found is None:
        nodes = f", or nodes ({algorithm}:5000nodes)" if takes_nodes else ""
        raise PlayerError(
            f"{quoted(text)} is not understood: {algorithm} takes a depth ({algorithm}:6), a time ({algorithm}:2s) "
            f"or both ({algorithm}:8@0.5s){nodes}"
        )
    depth = int(found["depth"]) if found["depth"] else None
    if depth is not None and not 1 <= depth <= DEEPEST:
        raise PlayerError(f"{quoted(text)} asks for {depth} plies; a search is 1 to {DEEPEST} plies deep")
    return PlayerSpec(PlayerKind.SEARCH, text, name=algorithm, depth=depth, time_s=_seconds(text, found))


def _seconds(text: str, found: re.Match[str]) -> float | None:
    if found["time"] is None:
        return None
    seconds = float(found["time"]) / (1000 if found["unit"] == "ms" else 1)
    if not 0 < seconds <= LONGEST_S:
        raise PlayerError(
            f"{quoted(text)} asks for {seconds:g} s a move; allowed is more than 0, up to {LONGEST_S:g} s"
        )
    return seconds


def _with_options(protocol: str, text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The command, and the options behind its last question mark. Raises PlayerError."""
    command, mark, tail = text.rpartition("?")  # the last one: a path or an argument may hold others
    if not mark:
        return text, ()
    options = _options(tail)
    if options is None:
        raise PlayerError(
            f"the options of {quoted(f'{protocol}:{text}')} are written NAME=VALUE&NAME=VALUE after the question mark "
            "(a command that has one itself ends with another)"
        )
    return command, options


def _options(tail: str, *, files: bool = False) -> tuple[tuple[str, str], ...] | None:
    """What NAME=VALUE&NAME=VALUE says; None if it is not written so. files: a FILE.json may stand there, too."""
    found = []
    for part in tail.split("&") if tail else []:
        name, equals, value = part.partition("=")
        if equals and name.strip():
            found.append((unescaped(name.strip()), unescaped(value.strip())))
        elif files and part.endswith(".json"):
            found.append(("", unescaped(part)))
        else:
            return None
    return tuple(found)


def escaped(text: str) -> str:
    """A name or value of an option as a player's text has it."""
    return "".join(ESCAPES.get(sign, sign) for sign in text)


def unescaped(text: str) -> str:
    """The name or value that is written so; `%26` is `&`, `%3D` `=`, `%3F` `?`, `%25` `%`, and all else is itself."""
    signs = {written: sign for sign, written in ESCAPES.items()}
    return ESCAPED.sub(lambda found: signs[found[0].upper()], text)


def with_options(text: str, options: Iterable[tuple[str, str]]) -> str:
    """The text of the same player with further options. Raises PlayerError for a player that does not take them."""
    spec, added = parse_player(text), tuple(options)
    is_engine = spec.kind is PlayerKind.SEARCH and spec.name == ENGINE
    if not is_engine and spec.kind not in (*ENGINES, PlayerKind.FILE):
        raise PlayerError(
            f"{quoted(text)} takes no options; {_commands(ENGINES)}, {ENGINE} and a class with numbers of its own "
            "(file.py:Class) do"
        )
    given = {name.casefold() for name, _ in spec.options}
    if twice := [name for name, _ in added if name.casefold() in given]:
        raise PlayerError(f"{quoted(text)} has the option {twice[0]!r} already")
    mark = "&" if spec.options else "" if text.endswith("?") else "?"
    written = text + mark + "&".join(f"{escaped(name)}={escaped(value)}" for name, value in added)
    parse_player(written)
    return written


def _command(protocol: str, text: str) -> tuple[str, ...]:
    try:
        command = tuple(shlex.split(text))
    except ValueError as error:
        raise PlayerError(f"the command of {quoted(f'{protocol}:{text}')} cannot be read: {error}") from None
    if not command:
        raise PlayerError(f"{protocol}: needs a command, such as {protocol}:./engine")
    return command


def _file(text: str, found: re.Match[str]) -> PlayerSpec:
    who, _, tail = (found["name"] or "").partition("?")
    name, colon, limits = who.partition(":")
    if not CLASS_NAME.fullmatch(name):
        raise PlayerError(f"{quoted(text)} needs the name of a class: {quoted(found['path'] + ':MyBot')}")
    options = _options(tail, files=True)
    if options is None:
        raise PlayerError(
            f"the parameters in {quoted(text)} are written NAME=NUMBER&NAME=NUMBER after the question mark, or as a "
            "file: FILE.json"
        )
    spec = _search(text, f"{found['path']}:{name}", limits if colon else None, takes_nodes=True)
    return replace(spec, kind=PlayerKind.FILE, name=name, path=found["path"], options=options)


def _unknown(text: str, head: str) -> str:
    known = (
        *level_names(),
        *ALGORITHMS,
        *textbook.names(),
        *package_players(),
        *(f"{kind.value}:" for kind in (*ENGINES, PlayerKind.PROGRAM)),
    )
    near = difflib.get_close_matches(head, known, n=2, cutoff=0.6)
    if not near and re.fullmatch(r"\w+:[A-Z]\w*", text):  # as Python names a class of a module
        near = [text.replace(":", ".py:")]
    meant = f"; did you mean {' or '.join(near)}?" if near else ""
    if head.endswith(".ipynb"):
        return NOTEBOOK
    packaged = f"of packages: {', '.join(package_players())}; " if package_players() else ""
    return (
        f"there is no player {quoted(text)}{meant} (levels: {', '.join(level_names())}; algorithms: "
        f"{', '.join(f'{algorithm}:6' for algorithm in ALGORITHMS)}, and as the textbooks print them: "
        f"alphabeta-failhard:5; programs: {_commands((*ENGINES, PlayerKind.PROGRAM))}; {packaged}"
        "your own: file.py:Class)"
    )


def _commands(kinds: Iterable[PlayerKind]) -> str:
    return ", ".join(f"{kind.value}:COMMAND" for kind in kinds)


NOTEBOOK = "save a notebook as a Python file; in Jupyter: File, Save and Export Notebook As, Executable Script"


def quoted(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:79] + "…")
