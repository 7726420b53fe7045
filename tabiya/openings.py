"""Openings that a user gives: a file, or the game's own book of balanced positions. Loads no rules.

A book is made by `python -m scripts.opening_books` and lies in the game's folder; its head names the command.
"""

from __future__ import annotations

import random
from importlib.util import find_spec
from pathlib import Path

from tabiya.games.registry import registered_as, title

BOOK = "book"  # in place of a file's name: the game's own book


class OpeningsError(ValueError):
    """Openings that cannot be had; the message is one sentence."""


def given_lines(given: str, game: str, seed: int | None = None) -> list[str]:
    """The openings that `given` names, each a position or moves from the start; none for an empty text.

    given: a file, in whose order they are; or `book`, in an order that `seed` draws, each time another for None.
    Raises OpeningsError, UnknownGame.
    """
    if given == BOOK:
        lines = book_lines(game)
        random.Random(seed).shuffle(lines)
        return lines
    return read_lines(Path(given)) if given else []


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
    """The openings of a file, one a line; without comments after #, and what EPD says after ;. Raises OpeningsError."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise OpeningsError(f"the openings cannot be read from {path}: {reason}") from None
    texts = [line.partition("#")[0].partition(";")[0].strip() for line in lines]
    found = [text for text in texts if text]
    if not found:
        raise OpeningsError(f"there is no opening in {path}")
    return found
