"""Make the books of balanced openings: random openings that the engine judges even.

    python -m scripts.opening_books             all books, into the games' folders
    python -m scripts.opening_books reversi     one

Openings are drawn as matches draw them (games/openings.py) from the seed below, each resulting position once, however
it is reached. One is kept if the playing engine, searching from nothing to the depth below on one thread, values it
within the margin. So the same sources write the same book; a changed engine may judge an opening near the margin
differently, and that alone is no reason to make the book again: results of matches stay comparable.

Nim has no book: every position is won for one side. In tic-tac-toe all first moves are drawn: nothing is to be judged.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from tabiya.bots.engine.engine import Engine
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.games.contract import Game
from tabiya.games.openings import Opening, distinct_openings
from tabiya.games.registry import load_game
from tabiya.openings import book_path

SEED = 2026


class Recipe(NamedTuple):
    """depth: plies of the judging search.  margin: in hundredths of the game's unit.  size: of the book."""

    depth: int
    margin: int
    size: int
    unit: str


RECIPES = {
    "connect5": Recipe(6, 80, 200, "point"),
    "reversi": Recipe(10, 150, 400, "disc"),
    "chess": Recipe(9, 30, 400, "pawn"),
}


def balanced(game: Game, recipe: Recipe, draws: Iterator[Opening] | None = None) -> Iterator[tuple[Opening, int]]:
    """The balanced ones among the draws, in their order, with their values for the side to move."""
    engine = Engine(evaluator_for(game))
    for opening in draws or distinct_openings(game, SEED, None):
        value = engine.search(opening.position(game), depth=recipe.depth).value
        if abs(value) <= recipe.margin:
            yield opening, value


def head(game: Game, recipe: Recipe) -> str:
    """The header of a book."""
    return (
        f"# Balanced openings of {game.title}, moves from the start.\n"
        f"# Made by: python -m scripts.opening_books {game.name}\n"
        f"# Drawn from seed {SEED}; kept where the engine, {recipe.depth} plies deep, sees at most "
        f"{recipe.margin / 100:g} {recipe.unit}s for either side.\n"
    )


def book_text(game: Game, recipe: Recipe) -> str:
    """The whole book."""
    kept = islice(balanced(game, recipe), recipe.size)
    return head(game, recipe) + "".join(f"{' '.join(opening.moves)}\n" for opening, _ in kept)


def main(arguments: Sequence[str]) -> None:
    """Write the books named, or all."""
    for name in arguments or RECIPES:
        if name not in RECIPES:
            sys.exit(f"there is no recipe for a book of {name!r} (there are: {', '.join(RECIPES)})")
        game = load_game(name)
        text = book_text(game, RECIPES[name])
        book_path(name).write_text(text, encoding="utf-8")
        print(f"{name}: {text.count(chr(10)) - head(game, RECIPES[name]).count(chr(10))} openings")


if __name__ == "__main__":
    main(sys.argv[1:])
