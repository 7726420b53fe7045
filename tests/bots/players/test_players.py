"""Players answer requests: legal, in time, with the wins they can see."""

from __future__ import annotations

import pytest

from tabiya.bots.players.api import MatchInfo, Player
from tabiya.bots.players.build import build_player
from tabiya.bots.players.catalogue import levels_of
from tabiya.bots.players.search_player import EnginePlayer
from tabiya.bots.search.scores import MATE, WON
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names
from tests.bots.positions import unfinished
from tests.bots.requests import request_at

pytestmark = pytest.mark.slow
EVERY_GAME = pytest.mark.parametrize("name", names())
WIN_IN_ONE = {
    "nim": ("0,0,4 normal 2", {"c4"}),
    "tictactoe": ("3x3x3 OO-XX---X O", {"c1"}),
    "connect5": ("15x15x5 " + "-" * 100 + "XXXX-" + "-" * 40 + "OOOO" + "-" * 76 + " O", {"j10", "o10"}),
    "chess": ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", {"d1d8"}),
}


def player(text: str, position: Position) -> Player:
    found = build_player(text, table_mb=1)
    found.new_match(MatchInfo(match=1, game=position.game.name, seat=position.to_move))
    return found


@EVERY_GAME
def test_every_level_of_every_game_answers_with_a_legal_move(name: str) -> None:
    for level in levels_of(name):
        for position in unfinished(name, 4, 51):
            reply = player(level.name, position).choose(request_at(position, budget_s=0.05, remaining_ms=100))
            assert reply.move in position.legal_moves()


@pytest.mark.parametrize("text", ["greedy", "minimax:2", "alphabeta:3", "pvs:4", "pvs"])
@pytest.mark.parametrize("name", WIN_IN_ONE)
def test_a_win_in_one_is_taken(text: str, name: str) -> None:
    position_text, winning = WIN_IN_ONE[name]
    position = load_game(name).parse(position_text)
    reply = player(text, position).choose(request_at(position))
    assert reply.move in winning
    assert reply.score == MATE - 1
    assert reply.text == "won in 1 ply"


@pytest.mark.parametrize(
    ("fen", "move", "plies"),
    [
        ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", "f6f7", 3),  # Kh7 is forced, Rh1 mates
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6", 3),  # Morphy: Ra6, and either pawn move allows mate
        ("6r1/8/8/8/8/5k2/8/7K b - - 0 1", "f3f2", 3),  # the same for Black
    ],
)
@pytest.mark.parametrize("text", ["minimax:4", "alphabeta:4", "pvs:4"])
def test_a_mate_in_two_is_found_by_both_sides(fen: str, move: str | None, plies: int, text: str) -> None:
    position = load_game("chess").parse(fen)
    reply = player(text, position).choose(request_at(position, budget_s=60.0))
    assert reply.score == MATE - plies
    assert move is None or reply.move == move


def test_the_same_seed_has_the_same_answer_and_other_seeds_other_equal_moves() -> None:
    position = load_game("tictactoe").start()
    for text in ("random", "greedy", "alphabeta:9"):
        asked = player(text, position)
        answers = [asked.choose(request_at(position, seed=seed)).move for seed in (1, 1, 1)]
        assert len(set(answers)) == 1
    many = {player("alphabeta:9", position).choose(request_at(position, seed=seed)).move for seed in range(40)}
    assert many == set(position.legal_moves())


def test_the_only_move_is_played_at_once() -> None:
    only = load_game("chess").parse("8/8/8/8/8/1r6/2k5/K7 w - - 0 1")
    assert len(only.legal_moves()) == 1
    reply = player("pvs", only).choose(request_at(only))
    assert (reply.move, reply.depth) == (only.legal_moves()[0], None)


def test_a_stopped_player_answers_and_can_be_asked_again() -> None:
    position = load_game("connect5").start()
    asked = player("pvs", position)
    asked.stop()
    again = asked.choose(request_at(position, budget_s=0.05))
    assert again.move in position.legal_moves()


def test_a_draw_is_accepted_only_by_who_is_not_better() -> None:
    better = load_game("chess").parse("6k1/5ppp/8/8/8/8/5PPP/3Q2K1 w - - 0 1")
    worse = load_game("chess").parse("q5k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1")
    for position, accepted in ((better, False), (worse, True)):
        asked = player("pvs:2", position)
        assert asked.choose(request_at(position, draw_offered=True)).accept_draw == accepted
        assert not asked.choose(request_at(position)).accept_draw


@pytest.mark.parametrize("seat", [0, 1])
def test_perfect_tictactoe_never_loses_against_every_reply(seat: int) -> None:
    asked = player("perfect", load_game("tictactoe").start())
    open_positions, ends = [load_game("tictactoe").start()], {0: 0, 1: 0, None: 0}
    while open_positions:
        position = open_positions.pop()
        outcome = position.outcome()
        if outcome is not None:
            ends[outcome.winner] += 1
        elif position.to_move == seat:
            reply = asked.choose(request_at(position, seed=len(open_positions)))
            open_positions.append(position.play(reply.move))
        else:
            open_positions += [position.play(move) for move in position.legal_moves()]
    assert ends[1 - seat] == 0
    assert ends[seat] > 0
    assert ends[None] > 0


@EVERY_GAME
def test_a_search_beats_the_random_player(name: str) -> None:
    searching = "alphabeta:9" if name in ("nim", "tictactoe") else "alphabeta:2"
    wins = sum(play_one(name, searching, "random", seat=seed % 2, seed=seed) for seed in range(4))
    assert wins >= 3


def play_one(name: str, first: str, second: str, seat: int, seed: int) -> bool:
    """Whether `first`, playing `seat`, wins (not: draws)."""
    position = load_game(name).start()
    players = [player(text, position) for text in ((first, second) if seat == 0 else (second, first))]
    while (outcome := position.outcome()) is None:
        asked = players[position.to_move]
        position = position.play(asked.choose(request_at(position, seed=seed + position.ply, budget_s=5.0)).move)
    return outcome.winner == seat


def test_a_player_keeps_one_engine_per_game() -> None:
    asked = EnginePlayer(depth=2, table_mb=1)
    for name in ("tictactoe", "nim", "tictactoe"):
        position = load_game(name).start()
        assert asked.choose(request_at(position)).move in position.legal_moves()


def test_a_decided_game_says_so_in_words() -> None:
    position = load_game("tictactoe").parse("3x3x3 X-XOX-O-- O")
    reply = player("alphabeta:9", position).choose(request_at(position))
    assert reply.score is not None
    assert reply.score < -WON
    assert reply.text == "lost in 2 plies"
