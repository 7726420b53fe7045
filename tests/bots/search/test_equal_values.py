"""All algorithms return the value of plain minimax at equal depth, and plain minimax that of a few lines of Python."""

from __future__ import annotations

import functools

import pytest

from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.kernel_calls import evaluation_of
from tabiya.bots.search.record import PLAIN, Options
from tabiya.bots.search.scores import MATE, WON
from tabiya.bots.search.searcher import Search, Searcher
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names
from tests.bots.positions import DEPTHS, unfinished

SEED = 20
QUIET = Options(quiescence=True)
EVERY_GAME = pytest.mark.parametrize("name", names())


@functools.cache
def searcher(name: str, algorithm: Search, options: Options = PLAIN) -> Searcher:
    return Searcher(evaluator_for(load_game(name)), algorithm, options)


def plain_value(position: Position, depth: int, ply: int = 0) -> int:
    """Minimax as anybody would write it, with nothing from the search but the evaluation."""
    outcome = position.outcome()
    evaluator = evaluator_for(position.game)
    if outcome is not None:
        if outcome.winner is None:
            return 0
        margin = int(evaluator.margin(position.state))
        size = int(WON) + margin if margin else int(MATE) - ply
        return size if outcome.winner == position.to_move else -size
    if depth == 0:
        return int(evaluation_of(evaluator, position.state))
    return max(-plain_value(position.play(move), depth - 1, ply + 1) for move in searched_moves(position))


def searched_moves(position: Position) -> list[str]:
    """The legal moves, on a large m,n,k board those within two cells of a stone."""
    legal = list(position.legal_moves())
    state = position.state
    if position.game.name != "connect5" or state.count == 0:
        return legal
    columns = int(state.columns)
    cells = position.text().split()[1]
    stones = [(i % columns, i // columns) for i, stone in enumerate(cells) if stone != "-"]

    def is_near(move: str) -> bool:
        x, y = ord(move[0]) - ord("a"), int(move[1:]) - 1
        return any(max(abs(x - sx), abs(y - sy)) <= 2 for sx, sy in stones)

    return [move for move in legal if is_near(move)]


@pytest.mark.slow
@EVERY_GAME
def test_minimax_returns_what_a_few_lines_of_python_return(name: str) -> None:
    depth = min(2, DEPTHS[name])
    for position in unfinished(name, 6, SEED):
        found = searcher(name, Search.MINIMAX).search(position, depth=depth)
        assert found.value == plain_value(position, depth), position


@pytest.mark.slow
@EVERY_GAME
@pytest.mark.parametrize("options", [PLAIN, Options(ordering=True)], ids=["plain", "ordered"])
def test_alphabeta_returns_the_value_of_minimax(name: str, options: Options) -> None:
    for position in unfinished(name, 20, SEED + 1):
        for depth in range(1, DEPTHS[name] + 1):
            minimax = searcher(name, Search.MINIMAX).search(position, depth=depth)
            found = searcher(name, Search.ALPHABETA, options).search(position, depth=depth)
            assert found.value == minimax.value, (position, depth)
            assert found.nodes <= minimax.nodes


@pytest.mark.slow
@EVERY_GAME
def test_with_quiescence_in_the_leaves_alphabeta_still_returns_the_value_of_minimax(name: str) -> None:
    depth = min(3, DEPTHS[name])
    for position in unfinished(name, 12, SEED + 2):
        minimax = searcher(name, Search.MINIMAX, QUIET).search(position, depth=depth)
        assert searcher(name, Search.ALPHABETA, QUIET).search(position, depth=depth).value == minimax.value, position


@pytest.mark.slow
@EVERY_GAME
def test_the_line_of_every_algorithm_is_playable_and_leads_to_its_value(name: str) -> None:
    depth = DEPTHS[name]
    for position in unfinished(name, 6, SEED + 3):
        for algorithm in Search:
            found = searcher(name, algorithm).search(position, depth=depth)
            end = position
            for move in found.pv:
                end = end.play(move)
            assert found.pv[0] == found.move
            sign = 1 if end.to_move == position.to_move else -1
            assert len(found.pv) == depth or end.outcome() is not None
            assert found.value == sign * plain_value(end, 0, len(found.pv))


@pytest.mark.slow
@EVERY_GAME
def test_the_move_found_has_the_value_found_and_no_other_move_a_better_one(name: str) -> None:
    depth = min(3, DEPTHS[name])
    for position in unfinished(name, 4, SEED + 4):
        found = searcher(name, Search.ALPHABETA).search(position, depth=depth)
        values = {
            move: -plain_value_of_child(name, position.play(move), depth - 1) for move in searched_moves(position)
        }
        assert max(values.values()) == values[found.move] == found.value


def plain_value_of_child(name: str, child: Position, depth: int) -> int:
    """Minimax of a child, counted from its parent."""
    if child.outcome() is not None or depth == 0:
        return plain_value(child, 0, 1)
    value = searcher(name, Search.MINIMAX).search(child, depth=depth).value
    if abs(value) < MATE - 200:
        return value
    return value - 1 if value > 0 else value + 1
