"""What holds for the transcripts of every game; those of chess are PGN and tested there."""

from __future__ import annotations

import random

import pytest

from tabiya.games.contract import Game
from tabiya.games.errors import IllegalMove, TranscriptError
from tabiya.games.registry import PGN_GAME, load_game, names
from tabiya.games.transcript import GameRecord, result_of
from tabiya.games.transcript_reader import game_named, players_in, read_transcripts, separate_games, tags_of
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


@every_game
def test_what_is_written_is_read_back(game: Game) -> None:
    line = random_game(game.start(), random.Random(SEED))
    moves = line[-1].moves[2:]
    silent = len(moves) - 2
    record = GameRecord(
        line[2].text(),
        moves,
        players=('the "best"', "b\\"),
        result="1-0",
        tags={"Event": "{a cup}", "TimeControl": "60+0.5"},
        opening_plies=1,
        clocks_ms=(None, 59_500, *[None] * silent),
        comments=("", "[%eval 0.12,5] so so", *[""] * silent),
    )
    text = game.transcript(record)
    assert game_named(tags_of(text)) == game.name
    assert list(read_transcripts(game, text)) == [record]


def test_players_are_found_under_the_names_that_their_seats_had_before() -> None:
    game = load_game("reversi")
    start = game.start()
    record = GameRecord(start.text(), ("d3", "c3"), players=("ada", "bob"), result="0-1")
    older = game.transcript(record).replace("[Black ", "[X ").replace("[White ", "[O ")
    assert '[X "ada"]\n[O "bob"]' in older
    assert list(read_transcripts(game, older)) == [record]
    assert players_in({"Black": "ada", "X": "eve"}, game) == ("ada", "?")


def test_a_file_is_taken_apart_without_looking_at_the_moves() -> None:
    first = '[Event "x"]\n[White "a"]\n\n1. e4 {\n[Event "in a comment"]\n} ; {\n1-0\n'
    second = '[Event "y"]\n\n{)} nonsense\n'
    text = f'\ufeff{first}\n% skipped\n{second}[Event "z"]\n*\n'
    found = list(separate_games(text.splitlines(keepends=True)))
    assert [line for line, _ in found] == [1, 10, 13]
    assert "".join(game for _, game in found) == text
    assert tags_of(found[0][1]) == {"Event": "x", "White": "a"}
    assert [game_named(tags_of(game)) for _, game in found] == [PGN_GAME] * 3
    with pytest.raises(TranscriptError, match="line 12, ply 0: 'nonsense' is not a move"):
        list(read_transcripts(load_game(PGN_GAME), found[1][1], 10))


def test_a_game_of_any_length_is_not_gathered() -> None:
    endless = iter(lambda: "1. e4 e5 " * 1_000 + "\n", None)
    with pytest.raises(TranscriptError, match="line 1: the game that begins here is longer than 4194304 characters"):
        next(separate_games(endless))
