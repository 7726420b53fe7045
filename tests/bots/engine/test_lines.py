"""What a program for people asks of the engine beyond the best move: more lines, chosen moves, news on the way."""

from __future__ import annotations

import pytest

from tabiya.bots.engine.engine import Engine
from tabiya.bots.engine.options import PLAIN, Options
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.limits import SearchResult
from tabiya.bots.search.scores import plies_to_end
from tabiya.games.errors import IllegalMove
from tabiya.games.registry import load_game, names
from tests.bots.engine.minimax import minimax_value
from tests.bots.positions import unfinished

EVERY_GAME = pytest.mark.parametrize("name", names())
SOUND = Options(table=True, exact_depth=True)


def engine(name: str, options: Options = PLAIN) -> Engine:
    return Engine(evaluator_for(load_game(name)), options, table_mb=1)


def one_ply_up(value: int) -> int:
    """The value of a child, for the mover of its parent and counted from there."""
    if plies_to_end(value) is None:
        return -value
    return -value + 1 if value > 0 else -value - 1


@pytest.mark.slow
@pytest.mark.parametrize("options", [PLAIN, SOUND])
@EVERY_GAME
def test_the_lines_are_the_best_moves_with_the_values_that_plain_minimax_gives_them(
    name: str, options: Options
) -> None:
    for position in unfinished(name, 2, 61):
        moves = position.legal_moves()
        ends = {move: position.play(move) for move in moves}
        if any(child.outcome() is not None for child in ends.values()) or len(moves) > 60:
            continue
        worth = [one_ply_up(minimax_value(child, 1)) for child in ends.values()]
        values = sorted(worth, reverse=True)
        found = engine(name, options).search(position, depth=2, lines=3)
        assert [line.value for line in found.lines] == values[: min(3, len(values))]
        assert len({line.pv[0] for line in found.lines}) == len(found.lines)
        assert (found.move, found.value, found.pv) == (found.lines[0].pv[0], found.lines[0].value, found.lines[0].pv)


@pytest.mark.slow
@EVERY_GAME
def test_only_the_chosen_moves_are_answered_and_the_table_learns_nothing_wrong_from_it(name: str) -> None:
    for position in unfinished(name, 2, 62):
        asked = engine(name, SOUND)
        free = asked.search(position, depth=3)
        worst = position.legal_moves()[-1]
        bound = asked.search(position, depth=3, moves=[worst], remember=True)
        assert (bound.move, bound.pv[0]) == (worst, worst)
        assert bound.value <= free.value
        assert asked.search(position, depth=3, remember=True).value == free.value


def test_one_chosen_move_and_the_last_line_are_searched_no_deeper_than_several() -> None:
    """It is not forced: what a forced move costs no ply for is that there was no choice."""
    position, chosen = load_game("nim").start(), Engine(evaluator_for(load_game("nim")), table_mb=1)
    for moves in (position.legal_moves()[:1], position.legal_moves()[:2]):
        assert chosen.search(position, depth=2, moves=moves).deepest == 2
    assert chosen.search(position, depth=2, lines=len(position.legal_moves())).deepest == 2


def test_a_move_that_is_not_legal_cannot_be_chosen() -> None:
    with pytest.raises(IllegalMove, match="e2e5"):
        engine("chess").search(load_game("chess").start(), depth=1, moves=["e2e5"])


def test_the_report_after_each_iteration_ends_with_the_result() -> None:
    lines = list[SearchResult]()
    found = Engine(evaluator_for(load_game("chess")), table_mb=1).search(
        load_game("chess").start(), depth=4, report=lines.append
    )
    assert [news.depth for news in lines] == [1, 2, 3, 4]
    assert lines[-1][:5] == found[:5]
    assert all(news.deepest >= news.depth for news in lines)
    assert [news.nodes for news in lines] == sorted(news.nodes for news in lines)


def test_the_fullness_of_the_table_grows_and_counts_the_last_search_alone() -> None:
    asked = Engine(evaluator_for(load_game("chess")), table_mb=0.1)
    asked.search(load_game("chess").start(), depth=2)
    little = asked.fullness
    asked.search(load_game("chess").start(), depth=6)
    assert 0 < little < asked.fullness <= 1
    asked.search(load_game("chess").start(), depth=1, remember=True)
    assert asked.fullness < 0.5
