"""Which submissions are alike beneath names, comments and layout: a hint for the teacher, never a deduction.

Programs in one language or another are read as tokens (Pygments); two are compared by their longest common subsequence
(RapidFuzz). What that means for a teacher: docs/how-to/run-a-class.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, Generic, Name, Number, String, Text, Token
from rapidfuzz.distance import Indel

from tabiya.classroom.record import Entry

ALIKE = 0.9  # two programs are named from here on; our own unrelated modules stay below 0.8
FEWEST_TOKENS = 100  # shorter programs are alike by chance, and a start that was handed out is most of them
MOST_TOKENS = 5_000  # of a program; what comes after them is not compared
MOST_FILE_BYTES = 200_000
MOST_NAMED = 3  # others that are named beside one program
LEFT_OUT = (Comment, Text, String.Doc, Generic, Token.Error)
PROGRAMS = frozenset({
    ".c", ".cc", ".cpp", ".cs", ".cxx", ".go", ".h", ".hpp", ".java", ".jl", ".js", ".kt", ".lua", ".mjs", ".php",
    ".py", ".rb", ".rs", ".scala", ".swift", ".ts", ".zig",
})  # fmt: skip
GROUP_NAMES = {Name: "name", Number: "number", String: "text"}


def similar_entries(entries: Sequence[Entry], into: Path) -> dict[str, str]:
    """A sentence for each submission that is like others, by its name. Raises OSError.

    into: the run's folder, in which the entries' folders are.
    """
    programs = {entry.name: tokens(into / entry.folder) for entry in entries if _is_compared(entry)}
    found: dict[str, list[tuple[float, str]]] = {}
    for one, other, share in _pairs(programs):
        found.setdefault(one, []).append((share, other))
        found.setdefault(other, []).append((share, one))
    return {name: _sentence(others) for name, others in found.items()}


def _is_compared(entry: Entry) -> bool:
    return bool(entry.folder) and not entry.is_staff and not entry.is_ours


def _pairs(programs: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str, float]]:
    """Pairs of similar submissions with their similarity: 1 if equal."""
    long_enough = [(name, found) for name, found in programs.items() if len(found) >= FEWEST_TOKENS]
    for (one, left), (other, right) in combinations(long_enough, 2):
        share = Indel.normalized_similarity(left, right, score_cutoff=ALIKE)
        if share >= ALIKE:
            yield one, other, share


def _sentence(others: list[tuple[float, str]]) -> str:
    others.sort(key=lambda pair: (-pair[0], pair[1].casefold()))
    named = [f"{int(100 * share)} % that of {name}" for share, name in others[:MOST_NAMED]]
    more = [f"{len(others) - MOST_NAMED} more"] if len(others) > MOST_NAMED else []
    return f"its program is {', '.join([*named, *more])}"


def tokens(folder: Path) -> list[str]:
    """The tokens of all programs in a folder, in the order of their files' names. Raises OSError.

    Comments and layout are left out; every name, number and text is the same as any other.
    """
    found: list[str] = []
    for path in sorted(folder.rglob("*")):
        if path.suffix in PROGRAMS and path.is_file() and path.stat().st_size <= MOST_FILE_BYTES:
            lexer = _lexer(path.suffix)
            for token in _plain_tokens(lexer, path.read_text("utf-8", errors="replace")):
                found.append(token)
                if len(found) == MOST_TOKENS:
                    return found
    return found


@cache
def _lexer(suffix: str) -> Lexer:
    return get_lexer_for_filename(f"program{suffix}")


def _plain_tokens(lexer: Lexer, text: str) -> Iterator[str]:
    before = ""
    for kind, value in lexer.get_tokens(text):
        if any(kind in left_out for left_out in LEFT_OUT):
            continue
        sign = next((stand_in for group, stand_in in GROUP_NAMES.items() if kind in group), value)
        if (
            sign != GROUP_NAMES[String] or before != sign
        ):  # one text is several tokens: quotes, escapes, what is between
            yield sign
        before = sign
