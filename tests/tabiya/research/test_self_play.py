"""A policy against itself: what comes of it are whole games by the rules, stored like all others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pyarrow import parquet

from tabiya.games.registry import load_game
from tabiya.research.dataset import CARD, FILE, write_games
from tabiya.research.encoding import EncodingError
from tabiya.research.self_play import self_play
from tabiya.server.archive.exports import ExportFormat, written_game
from tabiya.storage.records import StoredMatch


def first_legal(observations: Any, masks: NDArray[np.int8]) -> Any:
    return masks.argmax(axis=1)


def summary(stored: StoredMatch) -> tuple[Any, ...]:
    """All of a game but its times."""
    assert stored.match.result is not None
    moves = [(move.text, move.seat, move.opening) for move in stored.moves]
    return stored.match.id, stored.match.result.winner, stored.match.result.ending, moves


def test_every_game_is_by_the_rules_and_comes_once() -> None:
    played = list(self_play(first_legal, "tictactoe", 40, batch=16, seed=2, opening_plies=2))
    assert sorted(stored.match.id for stored in played) == list(range(1, 41))
    assert len({tuple(move.text for move in stored.moves) for stored in played}) > 20
    for stored in played:
        position = load_game("tictactoe").parse(stored.match.start_text)
        for ply, move in enumerate(stored.moves):
            assert (move.ply, move.seat, move.opening) == (ply, position.to_move, ply < 2)
            if ply >= 2:
                assert move.text == position.legal_moves()[0]
            position = position.play(move.text)
        assert stored.match.result is not None
        assert position.outcome() == (stored.match.result.winner, stored.match.result.ending)
        assert stored.match.plies == position.ply


def test_games_of_logits_are_drawn_as_the_logits_say_and_alike_for_a_seed() -> None:
    def mostly_the_middle(observations: Any, masks: NDArray[np.int8]) -> NDArray[np.float64]:
        logits = np.full(masks.shape, np.log(0.5 / 8))
        logits[:, 4] = np.log(0.5)
        logits[:, -1] = 100  # of an action that is never legal
        return logits

    def games(seed: int) -> list[tuple[Any, ...]]:
        return [summary(stored) for stored in self_play(mostly_the_middle, "tictactoe", 500, seed=seed)]

    assert games(1) == games(1) != games(2)
    began = [moves[0][0] for *_, moves in games(1)]
    assert began.count("b2") / 500 == pytest.approx(0.5, abs=0.07)
    assert len(set(began)) == 9


def test_how_many_are_played_at_once_does_not_make_them_shorter() -> None:
    def lengths(batch: int) -> float:
        """Plies a game, of few games."""
        games = self_play(lambda _, masks: np.zeros(masks.shape), "nim", 300, batch=batch, seed=4, heaps="9,9,9,9,9")
        return float(np.mean([len(stored.moves) for stored in games]))

    assert lengths(200) == pytest.approx(lengths(20), abs=0.7)


def test_the_games_are_a_data_set_and_transcripts(tmp_path: Path) -> None:
    games = list(self_play(first_legal, "reversi", 3, batch=2, seed=1, opening_plies=4, name="ada"))
    written = write_games(iter(games), tmp_path / "data")
    assert written.games == {"reversi": 3}
    rows = parquet.read_table(tmp_path / "data" / FILE).to_pylist()
    assert [row["moves"] for row in rows] == [[move.text for move in stored.moves] for stored in games]
    assert {(row["first"], row["second"], row["opening"], row["time_control"]) for row in rows} == {
        ("ada", "ada", 4, "none")
    }
    assert "a policy played against itself" in (tmp_path / "data" / CARD).read_text(encoding="utf-8")
    for stored in games:
        text = written_game(ExportFormat.PGN, stored.match, stored.moves).decode()
        assert '[Black "ada"]' in text


def test_an_illegal_action_of_the_policy_is_said_and_no_games_are_none() -> None:
    with pytest.raises(EncodingError, match="action 0 is no legal move"):
        next(self_play(lambda _, masks: np.zeros(len(masks), np.int64), "reversi", 1))
    assert list(self_play(first_legal, "reversi", 0)) == []
