from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tabiya.bots.players.api import MatchInfo, MoveReply, MoveRequest
from tabiya.bots.pool.emergency_move import emergency_move
from tabiya.bots.pool.warmup import warm
from tabiya.games.registry import load_game

GAME = "tictactoe"


def request(**fields: Any) -> MoveRequest:
    base: dict[str, Any] = {"seat": 0, "ply": 0, "position": "?", "history_position": "?"}
    return MoveRequest(match=1, game=GAME, **(base | fields))


def test_a_quick_move_is_one_of_the_list_and_the_same_for_the_same_seed() -> None:
    moves = {emergency_move(request(legal_moves=("a1", "b2"), seed=seed), "late").move for seed in range(20)}
    assert moves == {"a1", "b2"}
    assert emergency_move(request(legal_moves=("a1", "b2"), seed=3), "late") == emergency_move(
        request(legal_moves=("a1", "b2"), seed=3), "late"
    )


@pytest.mark.slow
def test_without_a_list_the_rules_are_asked() -> None:
    start = load_game(GAME).start()
    after = start.play("b2")
    asked = request(position=after.text(), history_position=start.text(), history_moves=("b2",))
    assert emergency_move(asked, "late").move in after.legal_moves()


@dataclass
class Notes:
    """A player that writes down what it is warmed up with."""

    seen: list[str]

    def new_match(self, match: MatchInfo) -> None:
        self.seen.append(f"match {match.game}")

    def choose(self, request: MoveRequest) -> MoveReply:
        assert request.legal_moves
        self.seen.append(request.position)
        return MoveReply(move=request.legal_moves[0])

    def stop(self) -> None:
        raise AssertionError("nobody stops a warm-up")


@pytest.mark.slow
def test_a_warm_up_is_one_short_thought_about_each_game_that_is_known_here() -> None:
    notes = Notes([])
    warm(notes, (GAME, "a game of the future"))
    assert notes.seen == [f"match {GAME}", load_game(GAME).start().text()]
