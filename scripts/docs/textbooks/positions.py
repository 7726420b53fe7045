"""The positions of games that claims are judged on, fixed or seeded, and the searches of them."""

from __future__ import annotations

import functools
import random
from pathlib import Path
from typing import Any

from scripts.self_play import at_random, played
from tabiya.bots.textbook.board import Board, LeafEvaluator
from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.compiled.searcher import CompiledListing
from tabiya.bots.textbook.evaluations.index import book_evaluator
from tabiya.bots.textbook.run_listing import PLAIN_SETUP, Report, SearchSetup
from tabiya.games.openings import opening
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tabiya.games.rules import Rules

MIDDLE_GAMES = Path(__file__).parent / "middle_games.epd"  # of Win at Chess, those with 26 men or more
SEED = 15211
GAMES = 40


def leaf_evaluator(game: Rules, evaluation: str = "", **how: Any) -> LeafEvaluator:
    """A game's evaluation of that name in the books. how: the other parameters of LeafEvaluator."""
    return LeafEvaluator(book_evaluator(game, evaluation), **how)


def board(position: Position, evaluation: str = "") -> Board:
    """The position as a node of the listings as printed."""
    return Board(position, leaf_evaluator(position.game, evaluation))


def twin(
    listing: str, game: Rules, evaluation: str = "", setup: SearchSetup = PLAIN_SETUP, **how: Any
) -> CompiledListing:
    """The compiled form of a listing for a game."""
    return CompiledListing(find(listing), leaf_evaluator(game, evaluation, **how), setup)


@functools.cache
def middle_games() -> tuple[Position, ...]:
    """Positions of chess with 26 men or more."""
    game = load_game("chess")
    lines = MIDDLE_GAMES.read_text("utf-8").splitlines()
    return tuple(game.parse(f"{line.partition(' id ')[0]} 0 1") for line in lines)


@functools.cache
def sample(name: str, count: int, plies: int = 12) -> tuple[Position, ...]:
    """Positions of a game that goes on, `plies` random plies after a random opening."""
    game, draw, found = load_game(name), random.Random(SEED), list[Position]()
    while len(found) < count:
        position = opening(game, draw.getrandbits(64)).position(game)
        for _ in range(plies):
            if position.outcome() is None:
                position = position.play(draw.choice(position.legal_moves()))
        if position.outcome() is None:
            found.append(position)
    return tuple(found)


def sixteen(name: str) -> tuple[Position, ...]:
    """Sixteen positions of a game: of chess from real games, of the others from `sample`."""
    if name == "chess":
        return middle_games()[:16]
    return sample(name, 16, {"tictactoe": 1, "nim": 0}.get(name, 12))


@functools.cache
def reports(name: str, listing: str, depth: int, setup: SearchSetup = PLAIN_SETUP) -> tuple[Report, ...]:
    """The reports of a compiled listing on the sixteen positions."""
    searcher = twin(listing, load_game(name), setup=setup)
    return tuple(searcher.search(position, depth) for position in sixteen(name))


def nodes(name: str, listing: str, depth: int, setup: SearchSetup = PLAIN_SETUP) -> int:
    """Nodes a listing visits in all sixteen positions."""
    return sum(report.nodes for report in reports(name, listing, depth, setup))


@functools.cache
def random_games(name: str) -> tuple[tuple[Position, ...], ...]:
    """Games of random moves, every position of each, the ended one last."""
    game, draw = load_game(name), random.Random(SEED)
    starts = (opening(game, draw.getrandbits(64)).position(game) for _ in range(GAMES))
    return tuple(played(start, at_random(draw)) for start in starts)


def reachable(start: Position) -> tuple[Position, ...]:
    """Every different position that can arise."""
    seen, waiting = {start.text(): start}, [start]
    while waiting:
        at = waiting.pop()
        children = [at.play(move) for move in at.legal_moves()] if at.outcome() is None else []
        new = {child.text(): child for child in children if child.text() not in seen}
        seen |= new
        waiting += new.values()
    return tuple(seen.values())
