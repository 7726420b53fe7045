"""Every move judged: what was better, what it cost, and that a game is judged the same every time."""

from __future__ import annotations

import pytest

from tabiya.bots.search.scores import MATE, WON
from tabiya.games.errors import IllegalMove
from tabiya.games.registry import load_game
from tabiya.review.judge import before_move, chance, graph, judge
from tabiya.server.archive.reviews import JudgedMove
from tests.server.archive.test_reviews import judged_move

NODES = 2_000


def judged(game: str, start: str, *moves: str) -> list[JudgedMove]:
    return list(judge(load_game(game), start, moves, NODES))


def test_a_mate_that_was_missed_is_the_better_move() -> None:
    """Black's knight then takes the rook."""
    (move,) = judged("chess", "6k1/5ppp/8/8/8/8/2n2PPP/R5K1 w - - 0 1", "h2h3")
    assert (move.seat, move.move, move.best, move.line) == (0, "h3", "Ra8#", ("Ra8#",))
    assert (move.best_value, move.chances) == ("won in 1 ply", 1)
    assert move.cost > 0.5


def test_the_best_move_costs_nothing() -> None:
    (move,) = judged("chess", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "a1a8")
    assert (move.cost, move.value) == (0, "won in 1 ply")


@pytest.mark.parametrize(("move", "cost"), [("c7", 1), ("c5", 0)])
def test_a_solved_game_is_judged_exactly(move: str, cost: float) -> None:
    """Nim sum 1^3^7 is 5: to leave 2 in the third heap wins, everything else loses."""
    (found,) = judged("nim", "1,3,7 normal 1", move)
    assert (found.cost, found.best) == (cost, "c5")


def test_chances_are_those_of_the_first_seat_whoever_moves() -> None:
    first, second = judged("nim", "1,3,7 normal 1", "c5", "a1")
    assert (first.chances, second.chances) == (1, 1)
    assert (first.seat, second.seat) == (0, 1)
    assert second.cost == 0  # the game was lost before


def test_the_same_game_is_judged_the_same_every_time() -> None:
    start = load_game("chess").start().text()
    assert judged("chess", start, "e2e4", "e7e5", "d1h5") == judged("chess", start, "e2e4", "e7e5", "d1h5")


def test_a_move_that_is_not_legal_is_said() -> None:
    with pytest.raises(IllegalMove):
        judged("nim", "1,3,7 normal 1", "a9")


def test_the_graph_has_a_digit_a_ply() -> None:
    assert graph(judged_move(ply, ply % 2, 0.0, chances) for ply, chances in enumerate((0.5, 1.0, 0.19, 0.0))) == "5910"


def test_the_value_after_a_move_is_one_ply_nearer_to_the_end() -> None:
    assert before_move(-int(MATE)) == MATE - 1  # the move mates
    assert before_move(int(MATE) - 3) == -(MATE - 4)
    assert (before_move(25), before_move(int(WON) + 4)) == (-25, -int(WON) - 4)


@pytest.mark.parametrize(
    ("value", "points"),
    [(0, 0.5), (400, 10 / 11), (-400, 1 / 11), (int(WON) + 4, 1.0), (int(MATE) - 3, 1.0), (-int(MATE), 0.0)],
)
def test_chances_follow_the_value(value: int, points: float) -> None:
    assert chance(value) == pytest.approx(points)
