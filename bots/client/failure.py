"""A failure of a bot's program: a value that can be sent to another process, and its text for the author.

    failure = failure_of(error, "choose", turn)
    print(failure.text())

The author's own lines are shown with the failing part marked; calls in Tabiya and in installed packages are only
counted. If no line is the author's, all are shown, because then the fault is ours.
"""

from __future__ import annotations

import linecache
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from tabiya.bots.players.lazy_rules import position_of
from tabiya.protocol.printable import printable

if TYPE_CHECKING:
    from tabiya.bots.client.turn import Turn

OURS = str(Path(__file__).absolute().parents[2])
LIBRARY_PATHS = (OURS, str(Path(os.__file__).parent), "<frozen")
INSTALLED = ("site-packages", "dist-packages")
IMPORTS = str(Path("custom_evaluation", "loader.py"))  # frames between an author's `import` and the imported file
FIRST_LINES, LAST_LINES = 3, 5  # of the author's that are shown: a recursion has a thousand
LONGEST_ERROR = 2_000
HINTS = {  # hints for errors whose text does not say what to do; the first that fits
    ModuleNotFoundError: "it is not installed where this runs, and no file of the program has that name",
    EOFError: "nobody can type here; everything that a move needs is in the turn",
    MemoryError: "it needs more memory than it may use",
    RecursionError: "a function calls itself without end",
    SystemExit: "a bot that ends cannot answer",
}
NO_NETWORK = "a program in a sandbox has no network"
READ_ONLY = "a program in a sandbox can write only into the folder tempfile.gettempdir()"
METHOD = "() is missing behind a method, as in turn.position().legal_moves(); as text it is turn.position_text"
OVER = "where the game is over there are no legal moves: ask outcome() first"
NOTEBOOK = "only a notebook understands this line: delete it"
TEXT_HINTS = {  # the same by Python's text, where that does not tell a method from its result
    r"TypeError: .*'method'|AttributeError: '(function|method)' object": METHOD,
    r"TypeError: 'Position' object is not (subscriptable|iterable)": "text() writes it, legal_moves() lists its moves",
    r"TypeError: 'tuple' object is not callable": "a tuple is not called: turn.legal_moves, without ()",
    r"AttributeError: 'NoneType' object has no attribute '(winner|ending)'": "outcome() is None while the game goes on",
    r"TypeError: 'Turn' object is not (subscriptable|iterable)": "its parts are attributes, as in turn.legal_moves",
    r"AttributeError: property '\w+' of 'Turn' object has no setter": "a turn is only read",
    r"TypeError: cannot pickle '_thread\.": "another process can be given texts and turn.position(), not the turn",
    r"TypeError: Unexpected keyword argument '(depth|score|nodes|pv)'": "Choice(move, info=MoveInfo(score=20))",
    r"ValueError: (max|min)\(\) .*empty|IndexError: Cannot choose from an empty": OVER,
    r"NameError: name 'get_ipython'": NOTEBOOK,
    r".*(Temporary failure in name resolution|Network is unreachable)": NO_NETWORK,
    r".*Read-only file system": READ_ONLY,
}
LOAD_HINT = 'the server loads the file first: put code that plays or waits below if __name__ == "__main__":'
RED, BOLD, PLAIN = "\x1b[31m", "\x1b[1m", "\x1b[0m"


class SourceLine(Struct, frozen=True):
    """A line of a program that took part.  text: the line itself.  marks: `^` and `~` below what was at work in it."""

    file: str
    line: int
    function: str
    text: str = ""
    marks: str = ""


class ProgramFailure(Struct, frozen=True, kw_only=True):
    """called: what was called, such as `choose`.  kind: of the error, its class.  error: as Python says it.

    lines: of the author, the outermost first.  left_out: calls after the first of these that are not the author's, or
    too many.  match, game, seat, ply, position: of the turn, if it was one.  moves: since `start`, the position of the
    last irreversible move; both together lead to `position`.  drawing: of the position, where the rules are loaded.
    """

    called: str
    kind: str = ""
    error: str
    lines: tuple[SourceLine, ...] = ()
    left_out: int = 0
    match: int | None = None
    game: str = ""
    seat: int | None = None
    ply: int | None = None
    position: str = ""
    start: str = ""
    moves: tuple[str, ...] = ()
    drawing: str = ""

    def is_like(self, other: ProgramFailure) -> bool:
        """Whether both are the same mistake at the same line, if in another position."""
        if not self.lines:
            return (self.called, self.error) == (other.called, other.error)
        return (self.called, self.lines[-1:], self.kind) == (other.called, other.lines[-1:], other.kind)

    def in_a_line(self) -> str:
        """The author's line, if there is one, and the error: `bot.py, line 6: KeyError: 'e2'`."""
        last = self.lines[-1] if self.lines else None
        return f"{Path(last.file).name}, line {last.line}: {self.error}" if last else self.error

    def text(self, colour: bool = False) -> str:
        """Several lines: what was called and where, the author's lines, the error last. colour: for a terminal."""
        lines = [f"{self.called} failed{self._place()}:"]
        lines += [f"  {line}" for line in self.drawing.splitlines()]
        if self.position:
            lines.append(f"  position: {self.position}")
        if self.moves:
            lines.append(f"  it follows from {self.start} by the moves {' '.join(self.moves)}")
        for line in self.lines:
            lines.append(f"  {line.file}, line {line.line}, in {line.function}")
            lines += [f"    {part}" for part in (line.text, line.marks) if part]
        if self.lines and self.left_out:
            calls = "1 call more, which is" if self.left_out == 1 else f"{self.left_out} calls more, which are"
            lines.append(f"  (and {calls} not of your file or repeated)")
        return "\n".join(
            [*_safe(lines, BOLD if colour else ""), *_safe(self.error.splitlines(), RED if colour else "")]
        )

    def _place(self) -> str:
        if self.match is None:
            return f" ({self.game})" if self.game else ""
        return f" in match {self.match}, game {self.game}, seat {self.seat}, ply {self.ply}"


class AnswerError(TypeError, ValueError):
    """A bot's method has returned what it must not.  asked: the method."""

    def __init__(self, message: str, asked: Callable[..., Any] | None = None) -> None:
        super().__init__(message)
        self.asked = asked


class RemoteFault(Exception):
    """The bot's code has failed in another process.  failure: what that process says of it."""

    def __init__(self, failure: ProgramFailure) -> None:
        super().__init__(failure.error)
        self.failure = failure


def _safe(lines: Iterable[str], colour: str) -> list[str]:
    """The lines, without control characters. colour: of the first one, or none."""
    shown = list(map(printable, lines))
    return [f"{colour}{shown[0]}{PLAIN}", *shown[1:]] if colour and shown else shown


def failure_of(error: BaseException, called: str, turn: Turn | None = None) -> ProgramFailure:
    """An error as a failure. called: the author's function; turn: its argument."""
    if isinstance(error, RemoteFault):
        return with_turn(replace(error.failure, called=called), turn)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.endswith(IMPORTS)]
    lines, left_out = author_lines(frames)
    is_ours = type(error).__module__.startswith("tabiya.")
    if isinstance(error, SyntaxError) and error.filename is not None and _is_author(error.filename):
        lines, left_out = (*lines, _syntax_line(error)), 0
    if isinstance(error, AnswerError) and error.asked is not None:
        lines, left_out = _first_line(error.asked), 0
    elif not lines and not is_ours:
        lines, left_out = tuple(map(_line, frames)), 0
    text = (str(error) if is_ours else traceback.format_exception_only(error)[-1].strip())[:LONGEST_ERROR]
    hint = "" if is_ours else _hint(error, text, lines)
    if isinstance(error, SystemExit) and is_while_loaded(lines):
        hint = LOAD_HINT
    failure = ProgramFailure(
        called=called,
        kind=type(error).__name__,
        error=f"{text} ({hint})" if hint else text,
        lines=lines,
        left_out=left_out,
    )
    return with_turn(failure, turn)


def _hint(error: BaseException, text: str, lines: Sequence[SourceLine]) -> str:
    """What to do about an error of Python; empty where its text says enough."""
    if isinstance(error, FileNotFoundError) and lines:
        return _beside(error.filename, lines[-1].file)
    if isinstance(error, SyntaxError) and is_of_notebook(error):
        return NOTEBOOK
    if isinstance(error, AttributeError) and type(error.obj).__module__.startswith("tabiya."):
        return f"it has {', '.join(name for name in dir(error.obj) if not name.startswith('_'))}"
    if isinstance(error, AttributeError) and error.name in _names_in(getattr(type(error.obj), "match_started", None)):
        return f"match_started sets {error.name}, and is not called without a server: set it in __init__, too"
    by_text = (words for pattern, words in TEXT_HINTS.items() if re.match(pattern, text))
    return next(by_text, next((words for kind, words in HINTS.items() if isinstance(error, kind)), ""))


def _beside(name: object, program: str) -> str:
    """How the file of a relative name is found, if it is in the folder of the program."""
    if not isinstance(name, str) or Path(name).is_absolute():
        return ""
    found = next((part for part in (name, Path(name).name) if (Path(program).parent / part).exists()), None)
    where = f"it is beside {Path(program).name}: write Path(__file__).parent / {found!r}, with from pathlib import Path"
    return where if found else ""


def is_of_notebook(error: SyntaxError) -> bool:
    """Whether the line is a command that only a notebook understands: `%matplotlib inline`, `!pip install …`."""
    return (error.text or "").lstrip().startswith(("%", "!"))


def _names_in(function: object) -> Sequence[str]:
    """Names of attributes and of modules that a function of Python uses."""
    names: Sequence[str] = getattr(getattr(function, "__code__", None), "co_names", ())
    return names


def is_while_loaded(lines: Sequence[SourceLine]) -> bool:
    """Whether the innermost of the author's lines is at module level."""
    return bool(lines) and lines[-1].function == "<module>"


def with_turn(failure: ProgramFailure, turn: Turn | None) -> ProgramFailure:
    """The failure with the turn on which it happened."""
    if turn is None:
        return failure
    return replace(
        failure,
        match=turn.match,
        game=turn.game,
        seat=turn.seat,
        ply=turn.ply,
        position=turn.position_text,
        start=turn.history.position,
        moves=turn.history.moves,
        drawing=_drawing(turn),
    )


def author_lines(frames: Sequence[traceback.FrameSummary]) -> tuple[tuple[SourceLine, ...], int]:
    """The author's lines among these calls, and how many others there are from the first of them on."""
    own = [number for number, frame in enumerate(frames) if _is_author(frame.filename)]
    if not own:
        return (), 0
    shown = own if len(own) <= FIRST_LINES + LAST_LINES else [*own[:FIRST_LINES], *own[-LAST_LINES:]]
    return tuple(_line(frames[number]) for number in shown), len(frames) - own[0] - len(shown)


def _is_author(file: str) -> bool:
    return not (file.startswith(LIBRARY_PATHS) or any(part in INSTALLED for part in Path(file).parts))


def _line(frame: traceback.FrameSummary) -> SourceLine:
    _, text, marks = (*traceback.StackSummary.from_list([frame]).format()[0].splitlines(), "", "")[:3]
    return SourceLine(_shown(frame.filename), frame.lineno or 0, frame.name, text[4:], marks[4:])


def _syntax_line(error: SyntaxError) -> SourceLine:
    _, text, marks, *_ = (*traceback.format_exception_only(error)[0:3], "", "", "")
    return SourceLine(_shown(str(error.filename)), error.lineno or 0, "<module>", text.strip(), marks.rstrip()[4:])


def _first_line(function: Callable[..., Any]) -> tuple[SourceLine, ...]:
    """Where a function of the author's begins; nothing for one that was not written in Python."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is None or not _is_author(code.co_filename):
        return ()
    text = linecache.getline(code.co_filename, code.co_firstlineno).strip()
    return (SourceLine(_shown(code.co_filename), code.co_firstlineno, code.co_name, text),)


def _shown(file: str) -> str:
    """The path as the author would type it: from the present folder, if it is in that."""
    return os.path.relpath(file) if file.startswith(f"{Path.cwd()}{os.sep}") else file


def _drawing(turn: Turn) -> str:
    """The board, if the rules are loaded already: to load them takes seconds."""
    if "tabiya.games.registry" not in sys.modules:
        return ""
    try:
        return str(position_of(turn.game, turn.history.position, turn.history.moves))
    except Exception:  # the drawing is an extra; the position may be what is wrong
        return ""
