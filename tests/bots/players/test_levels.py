"""Levels that play near-equal moves by lot: what is near, who draws, and what is never given away."""

from __future__ import annotations

import pytest

from tabiya.bots.players.api import MatchInfo
from tabiya.bots.players.build import build_player
from tabiya.bots.players.search_player import pick_near_best
from tabiya.bots.players.spec import PlayerError, parse_player
from tabiya.bots.search.limits import Line, SearchResult
from tabiya.bots.search.scores import MATE
from tabiya.games.registry import load_game
from tests.bots.requests import request_at


def found(*values: int) -> SearchResult:
    lines = tuple(Line(value, (f"move{number}",)) for number, value in enumerate(values))
    return SearchResult("move0", values[0], 3, 100, lines[0].pv, 0.1, False, 5, lines)


def test_only_moves_within_the_margin_are_drawn_and_each_of_them_is() -> None:
    drawn = {pick_near_best(found(50, 40, 19, -300), 30, seed).move for seed in range(50)}
    assert drawn == {"move0", "move1"}


def test_a_randomly_chosen_move_has_its_own_value_and_line() -> None:
    answers = [pick_near_best(found(50, 40), 30, seed) for seed in range(20)]
    assert {(answer.move, answer.value, answer.pv) for answer in answers} == {
        ("move0", 50, ("move0",)),
        ("move1", 40, ("move1",)),
    }


def test_the_same_seed_draws_the_same_move() -> None:
    assert len({pick_near_best(found(0, 0, 0, 0), 1, 7).move for _ in range(5)}) == 1


def test_without_a_margin_and_where_the_game_is_decided_the_best_move_is_played() -> None:
    won = int(MATE) - 3
    for seed in range(20):
        assert pick_near_best(found(50, 50), 0, seed).move == "move0"
        assert pick_near_best(found(won, won - 2), 500, seed).move == "move0"
        assert pick_near_best(found(-won, -won), 500, seed).move == "move0"


@pytest.mark.slow
def test_a_level_plays_the_same_for_the_same_seed_and_varies_with_it() -> None:
    position = load_game("chess").start()
    player = build_player("pvs:2?margin=60", table_mb=1)
    player.new_match(MatchInfo(match=1, game="chess"))
    moves = [player.choose(request_at(position, seed=seed)).move for seed in (1, 1, *range(2, 14))]
    assert moves[0] == moves[1]
    assert len(set(moves)) > 1


def test_a_margin_is_read_and_what_is_none_is_refused() -> None:
    spec = parse_player("pvs:4@2s?margin=30")
    assert (spec.name, spec.depth, spec.time_s, spec.margin) == ("pvs", 4, 2.0, 30)
    assert parse_player("pvs?margin=5").depth is None
    for text in ("pvs:4?", "pvs:4?margin=", "pvs:4?margin=1001", "pvs:4?marge=3", "pvs:4?margin=-1"):
        with pytest.raises(PlayerError, match="takes one option"):
            parse_player(text)
    with pytest.raises(PlayerError, match="takes a depth"):
        parse_player("alphabeta:3?margin=3")
