import pytest

from tabiya.games.contract import Game
from tabiya.games.errors import OptionError
from tabiya.games.openings import Opening, SplitMix, opening, openings
from tabiya.games.registry import load_game, names

every_game = pytest.mark.parametrize("game", [load_game(name) for name in names()], ids=names())


def test_the_generator_is_splitmix64() -> None:
    draw = SplitMix(1234567)
    assert [draw.word() for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert {SplitMix(seed).below(6) for seed in range(100)} == set(range(6))
    assert SplitMix(-1).word() == SplitMix(2**64 - 1).word()


@every_game
def test_a_seed_gives_the_same_opening_always(game: Game) -> None:
    assert [opening(game, seed) for seed in range(20)] == [opening(game, seed) for seed in range(20)]
    assert openings(game, 7, 12) == openings(game, 7, 12)
    assert openings(game, 7, 5) == openings(game, 7, 12)[:5]
    assert openings(game, 7, 12) != openings(game, 8, 12)


@pytest.mark.slow
@every_game
def test_no_opening_has_ended_or_lets_the_next_player_win_at_once(game: Game) -> None:
    for drawn in openings(game, 3, 60):
        position = drawn.position(game)
        assert position.outcome() is None
        assert len(drawn.moves) == game.opening_plies
        assert game.is_fair_opening(position)
        for move in position.legal_moves():
            outcome = position.play(move).outcome()
            assert outcome is None or outcome.winner != position.to_move


@every_game
def test_openings_lead_to_different_positions_until_there_are_no_more(game: Game) -> None:
    drawn = openings(game, 5, 100)
    assert len(drawn) == 100
    texts = [each.position(game).text() for each in drawn]
    different = len(set(texts))
    assert different == {"tictactoe": 9, "nim": 84}.get(game.name, 100)
    assert texts == [texts[i % different] for i in range(100)]


def test_openings_of_known_seeds_stay_what_they_are() -> None:
    """They are stored by seed in tournaments: a change here needs a new way to draw, not a changed one."""
    assert opening(load_game("nim"), 1) == Opening("4,6,7 normal 1", ())
    assert opening(load_game("tictactoe"), 1).moves == ("c2",)
    assert opening(load_game("connect5"), 1).moves == ("k8", "f10", "j11", "k7")
    assert opening(load_game("reversi"), 1).moves == ("f5", "f6", "f7", "c5", "b5", "g7")
    assert opening(load_game("chess"), 1).moves == (
        "e2e4", "e7e6", "d2d4", "d7d5", "b1d2", "g8f6", "e4e5", "f6d7", "c2c3", "c7c5",
    )  # fmt: skip


def test_an_opening_of_nim_has_heaps_no_larger_than_the_largest_option() -> None:
    game = load_game("nim")
    for drawn in openings(game, 1, 30, {"heaps": "4,9", "misere": True}):
        heaps, play, player = drawn.start_text.split()
        sizes = [int(size) for size in heaps.split(",")]
        assert sizes == sorted(sizes)
        assert len(sizes) == 2
        assert all(1 <= size <= 9 for size in sizes)
        assert (play, player) == ("misere", "1")


def test_where_every_opening_wins_at_once_one_is_given_all_the_same() -> None:
    game = load_game("nim")
    assert openings(game, 1, 3, {"heaps": "1"}) == (Opening("1 normal 1", ()),) * 3


def test_openings_of_connect_5_stay_near_the_middle_of_any_board() -> None:
    game = load_game("connect5")
    for drawn in openings(game, 1, 20, {"columns": 20, "rows": 5}):
        assert all(move[0] in "hijklm" for move in drawn.moves)
    assert opening(game, 1, {"columns": 5, "rows": 5}).start_text.startswith("5x5x5 ")


def test_bad_options_are_refused() -> None:
    with pytest.raises(OptionError):
        opening(load_game("nim"), 1, {"heaps": "1000000"})
    with pytest.raises(OptionError):
        openings(load_game("connect5"), 1, 2, {"k": 4})
