"""The compiled listings in matches: the PLAYER grammar, legal moves, wins taken, clocks kept."""

from __future__ import annotations

import time

import pytest

from tabiya.bots.players.api import MatchInfo
from tabiya.bots.players.build import build_player, player_games
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.players.spec import PlayerError, PlayerKind, parse_player
from tabiya.bots.textbook.board import Board, LeafEvaluator
from tabiya.bots.textbook.catalogue import LISTINGS, find
from tabiya.bots.textbook.player import BookPlayer
from tabiya.bots.textbook.run_listing import best_moves
from tabiya.games.registry import load_game, names
from tests.bots.requests import request_at
from tests.bots.textbook.boards import leaf_evaluator_for, positions


def player(text: str, game: str) -> BookPlayer:
    made = build_player(text)
    assert isinstance(made, BookPlayer)
    made.new_match(MatchInfo(match=1, game=game))
    return made


@pytest.mark.parametrize(
    ("text", "name", "depth", "time_s"),
    [
        ("alphabeta-failhard:5", "alphabeta-failhard", 5, None),
        ("001-alphabetapvs:3@0.5s", "001-alphabetapvs", 3, 0.5),
        ("004-greedy", "004-greedy", None, None),
        ("preclusion:200ms", "preclusion", None, 0.2),
    ],
)
def test_a_listing_is_a_player_by_its_name(text: str, name: str, depth: int | None, time_s: float | None) -> None:
    spec = parse_player(text)
    assert (spec.kind, spec.name, spec.depth, spec.time_s) == (PlayerKind.TEXTBOOK, name, depth, time_s)
    assert player_games(text) == names()


def test_minimax_alphabeta_and_pvs_stay_the_playing_engines() -> None:
    for text in ("minimax:3", "alphabeta:5", "pvs:6"):
        assert parse_player(text).kind is PlayerKind.SEARCH


def test_a_name_nearly_right_is_answered_with_the_right_one() -> None:
    with pytest.raises(PlayerError, match="did you mean alphabeta-failhard"):
        parse_player("alphabeta-failhrad:5")


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("listing", [listing.name for listing in LISTINGS])
def test_every_listing_answers_with_a_legal_move_in_every_game(name: str, listing: str) -> None:
    asked = player(f"{listing}:2", name)
    for position in positions(name, 2):
        thought = asked.choose(request_at(position))
        assert thought.move in position.legal_moves()
        # depth 1 where a move wins and that was seen at once
        assert thought.depth in ((1, find(listing).plies(2)) if len(position.legal_moves()) > 1 else (None,))


@pytest.mark.slow
@pytest.mark.parametrize("listing", ["minimax", "alphabeta-failsoft", "alphabeta-failhard", "pvs-failhard", "002-ab"])
def test_a_win_in_one_is_taken_even_where_a_later_win_is_as_sure(listing: str) -> None:
    two_ways = load_game("tictactoe").parse("3x3x3 XX-OO---- X")
    assert BookPlayer(listing, 5).choose(request_at(two_ways)).move == "c1"


@pytest.mark.slow
def test_in_a_lost_position_something_is_played() -> None:
    lost = load_game("tictactoe").parse("3x3x3 XO-OX-X-- O")
    for listing in ("000-minimax", "001-alphabeta", "preclusion"):
        assert player(f"{listing}:9", "tictactoe").choose(request_at(lost)).move in lost.legal_moves()


@pytest.mark.slow
def test_a_decided_game_says_so_in_words() -> None:
    won = load_game("tictactoe").parse("3x3x3 XX-OO---- X")
    thought = player("alphabeta-failhard:3", "tictactoe").choose(request_at(won))
    assert thought.text == "won in 1 ply"
    assert thought.pv == ("c1",)


@pytest.mark.slow
def test_the_time_is_kept_and_the_last_finished_iteration_answers() -> None:
    position = positions("chess")[0]
    asked = player("alphabeta-failhard", "chess")
    asked.choose(request_at(position, budget_s=0.05))  # compiled now
    took_s = []
    for _ in range(3):
        begun = time.perf_counter()
        thought = asked.choose(request_at(position, budget_s=0.3, time_control="0.3/move", remaining_ms=300))
        took_s.append(time.perf_counter() - begun)
        assert thought.depth is not None
        assert thought.depth >= 2
    assert min(took_s) < 0.6  # the best of three: a busy machine may stall any of them


@pytest.mark.slow
def test_a_stopped_player_answers_at_once_with_a_legal_move() -> None:
    from threading import Timer

    position = positions("chess")[0]
    asked = player("000-minimax:20", "chess")
    timer = Timer(0.2, asked.stop)
    timer.start()
    thought = asked.choose(request_at(position, budget_s=60.0))
    timer.join()
    assert thought.move in position.legal_moves()


@pytest.mark.slow
def test_no_iteration_begins_once_every_game_was_seen_to_its_end() -> None:
    from tabiya.bots.textbook.compiled.searcher import CompiledListing

    position = load_game("tictactoe").start().play("b2").play("a1")
    report = CompiledListing(find("alphabeta-failhard"), leaf_evaluator_for("tictactoe")).search(position, 9)
    asked = player("alphabeta-failhard", "tictactoe").choose(request_at(position, budget_s=20.0))
    assert asked.depth == 7
    assert asked.score == report.value


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("text", ["greedy", "minimax:2", "alphabeta:2"])
def test_plain_players_choose_at_random_among_all_the_best_moves(name: str, text: str) -> None:
    depth = 1 if text == "greedy" or name == "connect5" else 2
    for position in positions(name, 4):
        leaf_evaluator = LeafEvaluator(evaluator_for(position.game), near=True)
        best = best_moves(find("minimax"), Board(position, leaf_evaluator), depth)
        asked = build_player(text.replace("2", str(depth)))
        moves = {asked.choose(request_at(position, budget_s=9.0, seed=seed)).move for seed in range(10 * len(best))}
        assert moves == set(best), position
        assert len({asked.choose(request_at(position, budget_s=9.0, seed=7)).move for _ in range(3)}) == 1
