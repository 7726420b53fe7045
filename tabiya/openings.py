"""Openings that a user gives: a file, or the game's own book of balanced positions. Only PGN and `.bin` need the rules.

A book is made by `python -m scripts.opening_books` and lies in the game's folder; its head names the command.
"""

from __future__ import annotations

import random
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from tabiya.games.registry import registered_as, title

if TYPE_CHECKING:
    from tabiya.games.polyglot import PolyglotBook

BOOK = "book"  # in place of a file's name: the game's own book
POLYGLOT_PLIES = 8  # default length of a line from a Polyglot book


class OpeningsError(ValueError):
    """Openings that cannot be had; the message is one sentence."""


def given_lines(given: str, game: str, seed: int | None = None, *, shuffled: bool = False, plies: int = 0) -> list[str]:
    """The openings that `given` names, each a position or moves from the start; none for an empty text.

    given: a file, in whose order they are unless they are to be shuffled; or `book`, always shuffled, as are those of a
    Polyglot book.  seed: draws that order, each time another for None.  plies: of each game of a PGN file, 0 for all,
    and of each line of a Polyglot book, 0 for 8.  Raises OpeningsError, UnknownGame.
    """
    if not given:
        return []
    path = Path(given)
    if _is(path, "bin"):
        return polyglot_lines(path, game, random.Random(seed), plies or POLYGLOT_PLIES)
    if plies and not _is(path, "pgn"):
        raise OpeningsError("--openings-plies needs openings from a .pgn or .bin file")
    lines = (
        book_lines(game) if given == BOOK else pgn_lines(path, game, plies) if _is(path, "pgn") else read_lines(path)
    )
    if shuffled or given == BOOK:
        random.Random(seed).shuffle(lines)
    return lines


def book_path(game: str) -> Path:
    """Where a game's book is, or would be. Raises UnknownGame."""
    # where the game's folder is, without importing its rules and with them Numba
    spec = find_spec(registered_as(game).module)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).with_name(f"book_{game}.txt")


def book_lines(game: str) -> list[str]:
    """The openings of the game's book. Raises OpeningsError for a game without, UnknownGame."""
    path = book_path(game)
    if not path.is_file():
        sentence = "has no book of balanced openings; without --openings they are drawn at random"
        raise OpeningsError(f"{title(game)} {sentence}")
    return read_lines(path)


def read_lines(path: Path) -> list[str]:
    """The openings of a file, one a line; without comments after # or ;, or operations of EPD. Raises OpeningsError."""
    texts = [line.partition("#")[0].partition(";")[0].strip() for line in _text(path).splitlines()]
    return _some([_position(text) if _is(path, "epd") else text for text in texts if text], path)


def polyglot_book(path: Path, game: str) -> PolyglotBook:
    """An opening book in Polyglot's format. Raises OpeningsError, UnknownGame."""
    from tabiya.games.polyglot import PolyglotBook
    from tabiya.games.registry import load_game

    notation = load_game(game).polyglot
    if notation is None:
        raise OpeningsError(f"{path} is a Polyglot book, and those have no {title(game)}")
    try:
        return PolyglotBook(path.read_bytes(), notation)
    except OSError as error:
        raise OpeningsError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise OpeningsError(f"{path}: {error}") from None


def polyglot_lines(path: Path, game: str, chance: random.Random, plies: int) -> list[str]:
    """The lines of an opening book in Polyglot's format, each to another position, in an order that chance draws.

    The book's weights say how likely each move is, so likely lines tend to be first. plies: of the start that are
    played, fewer where the book ends.  Raises OpeningsError, UnknownGame.
    """
    from tabiya.games.registry import load_game

    drawn = [
        (chance.expovariate(likely), " ".join(position.moves))
        for position, likely in polyglot_book(path, game).lines(load_game(game).start(), plies)
        if position.moves
    ]
    return _some([line for _, line in sorted(drawn)], path)


def pgn_lines(path: Path, game: str, plies: int = 0) -> list[str]:
    """The games of a PGN file, each as its moves; one from a position of its own as the position it ends in.

    plies: the first ones of each game, 0 for all.  Raises OpeningsError, UnknownGame.
    """
    from tabiya.games.errors import TranscriptError
    from tabiya.games.registry import load_game
    from tabiya.games.transcript_reader import read_transcripts

    rules = load_game(game)
    start, found = rules.start().text(), list[str]()
    try:
        for record in read_transcripts(rules, _text(path)):
            moves = record.moves[: plies or None]
            if record.start_text == start and moves:
                found.append(" ".join(moves))
            else:
                position = rules.parse(record.start_text)
                for move in moves:
                    position = position.play(move)
                found.append(position.text())
    except TranscriptError as error:
        raise OpeningsError(f"the openings cannot be read from {path}: {error}") from None
    return _some(found, path)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise OpeningsError(f"the openings cannot be read from {path}: it is no text") from None
    except OSError as error:
        raise OpeningsError(f"the openings cannot be read from {path}: {error.strerror}") from None


def _some(found: list[str], path: Path) -> list[str]:
    if not found:
        raise OpeningsError(f"there is no opening in {path}")
    return found


def _is(path: Path, suffix: str) -> bool:
    return path.suffix.lower() == f".{suffix}"


def _position(line: str) -> str:
    """The position of a line of EPD, which may have a FEN's counters."""
    words = line.split()
    return " ".join(words[: 6 if "".join(words[4:6]).isdigit() else 4])
