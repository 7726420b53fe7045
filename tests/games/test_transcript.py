"""What holds for the transcripts of every game; those of chess are PGN and tested there."""

from __future__ import annotations

import random

import pytest

from tabiya.games.contract import Game
from tabiya.games.errors import IllegalMove
from tabiya.games.registry import load_game, names
from tabiya.games.transcript import GameRecord, result_of
from tests.games.playouts import random_game

SEED = 3
every_game = pytest.mark.parametrize("game", [load_game(name) for name in names()], ids=names())


@every_game
def test_a_transcript_holds_players_result_and_all_moves_in_order(game: Game) -> None:
    line = random_game(game.start(), random.Random(SEED))
    outcome = line[-1].outcome()
    assert outcome is not None
    result = result_of(*outcome)
    record = GameRecord(line[0].text(), line[-1].moves, players=("a", "b"), result=result, ending=outcome.ending)
    tags, _, moves = game.transcript(record).partition("\n\n")
    first, second = game.seat_names
    assert f'[{first} "a"]\n[{second} "b"]\n[Result "{result}"]' in tags
    assert f'[Ending "{outcome.ending}"]' in tags
    words = [word for word in moves.split() if not word.endswith(".")]
    assert words == [*map(game.readable_move, line[:-1], line[-1].moves), result]


@every_game
def test_a_move_for_people_is_read_back(game: Game) -> None:
    line = random_game(game.start(), random.Random(SEED))
    for position, move in zip(line[:-1], line[-1].moves, strict=True):
        assert game.read_move(position, game.readable_move(position, move)) == move
        assert game.read_move(position, move) == move


@every_game
def test_an_illegal_move_is_neither_written_nor_read(game: Game) -> None:
    line = random_game(game.start(), random.Random(SEED))
    played = line[-1].moves[0]
    with pytest.raises(IllegalMove):
        game.readable_move(line[-1], played)
    with pytest.raises(IllegalMove):
        game.read_move(line[-1], played)
