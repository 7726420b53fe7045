import pytest

from tabiya.games.perft import divide, perft
from tabiya.games.registry import load_game
from tests.games.data import figures
from tests.games.twins import reversi as twin

KNOWN = figures("reversi_perft")
GAME = load_game("reversi")


def test_the_start_is_the_published_one() -> None:
    assert GAME.start().text() == KNOWN["start"]


@pytest.mark.parametrize("depth", range(10))
def test_the_published_counts_hold(depth: int) -> None:
    assert perft(GAME.start(), depth) == KNOWN["nodes"][depth]


@pytest.mark.slow
@pytest.mark.parametrize("depth", [10, 11])
def test_the_published_counts_hold_where_games_have_ended(depth: int) -> None:
    assert perft(GAME.start(), depth) == KNOWN["nodes"][depth]


@pytest.mark.slow
def test_the_naive_twin_counts_the_same() -> None:
    assert [twin.perft(twin.start(), depth) for depth in range(6)] == KNOWN["nodes"][:6]


def test_the_parts_of_a_count_add_up() -> None:
    parts = divide(GAME.start(), 7)
    assert list(parts) == ["d3", "c4", "f5", "e6"]
    assert sum(parts.values()) == KNOWN["nodes"][7]


def test_a_finished_game_is_one_leaf_at_every_depth() -> None:
    over = GAME.parse("X" * 64 + " O")
    assert [perft(over, depth) for depth in range(4)] == [1, 1, 1, 1]


def test_depths_without_sense_are_refused() -> None:
    for depth in (-1, 41):
        with pytest.raises(ValueError, match="perft counts 0 to 40 plies deep"):
            perft(GAME.start(), depth)
    with pytest.raises(ValueError, match="at least 1"):
        divide(GAME.start(), 0)
