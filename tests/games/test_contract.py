"""What holds for every registered game."""

from __future__ import annotations

import functools
import random
import re
from itertools import islice, pairwise

import numpy as np
import pytest

from tabiya.games.contract import Game
from tabiya.games.endings import BY_RULES, Ending
from tabiya.games.errors import IllegalMove, MoveFormatError, OptionError, PositionError
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names
from tests.games.playouts import random_game, random_positions, random_starts

SEED = 1
every_game = pytest.mark.parametrize("game", [load_game(name) for name in names()], ids=names())


@functools.cache
def some_games(game: Game, count: int) -> list[list[Position]]:
    draw = random.Random(SEED)
    return [random_game(start, draw) for start in islice(random_starts(game, draw), count)]


@pytest.mark.slow
@every_game
def test_random_games_end_within_the_bounds_and_replay_to_the_same_position(game: Game) -> None:
    for line in some_games(game, 20):
        last = line[-1]
        assert last.ply <= game.max_plies
        again = game.parse(last.start_text)
        for move in last.moves:
            again = again.play(move)
        assert (again.text(), again.outcome(), again.moves) == (last.text(), last.outcome(), last.moves)


@pytest.mark.slow
@every_game
def test_moves_played_all_at_once_lead_where_they_lead_one_by_one(game: Game) -> None:
    draw = random.Random(SEED)
    for line in some_games(game, 20):
        first, last = line[0], line[-1]
        seats = [position.to_move for position in line[:-1]]
        middle = draw.randrange(len(seats) + 1)
        moves = last.moves[first.ply :]
        halfway = first.play_all(moves[:middle], seats[:middle])
        assert halfway is not None
        assert_same(halfway, line[middle])
        end = halfway.play_all(moves[middle:], seats[middle:])
        if end is None:  # then it is looked at one by one
            assert last.outcome() == (None, Ending.THREEFOLD_REPETITION)
            continue
        assert_same(end, last)
        for ply, text in enumerate(halfway.legal_moves()):
            assert (halfway.play_all([text], [halfway.to_move]) is None) == (halfway.outcome() is not None), ply
        assert first.play_all((*moves[:1], "", *moves[1:]), [seats[0], *seats]) is None
        assert first.play_all(("\ud800",), seats[:1]) is None
        assert first.play_all(moves, [1 - seats[0], *seats[1:]]) is None
        assert first.play_all((*moves, moves[-1]), [*seats, seats[-1]]) is None  # it is over by then


def assert_same(one: Position, other: Position) -> None:
    """All that can be asked of them is equal."""
    for asked in ("text", "legal_moves", "move_codes", "outcome", "history", "repetitions"):
        assert getattr(one, asked)() == getattr(other, asked)(), asked
    for name in ("moves", "start_text", "to_move", "ply", "earlier_keys"):
        assert getattr(one, name) == getattr(other, name), name


@every_game
def test_the_bounds_of_the_contract_hold_in_every_position(game: Game) -> None:
    for position in random_positions(game, 200, SEED):
        assert len(position.legal_moves()) <= game.max_moves
        assert len(position.text()) <= game.max_text
        assert position.text().isascii()
        assert all(len(move) <= game.max_move_text for move in position.legal_moves())


@every_game
def test_a_position_text_reads_back_to_the_same_position(game: Game) -> None:
    for position in random_positions(game, 200, SEED):
        again = game.parse(position.text())
        assert again.text() == position.text()
        assert again.is_same(position)
        assert (again.to_move, again.legal_moves()) == (position.to_move, position.legal_moves())


@every_game
def test_a_move_text_is_in_the_notation_and_names_one_move(game: Game) -> None:
    for position in random_positions(game, 200, SEED):
        moves = position.legal_moves()
        assert len(set(moves)) == len(moves)
        for move in moves:
            assert game.move_pattern.fullmatch(move)
            assert move.isalnum()
        for at, move in enumerate(moves[:50]):
            assert position.check_move(move) == position.move_codes()[at]


@every_game
def test_seats_take_turns(game: Game) -> None:
    for line in some_games(game, 5):
        for before, after in pairwise(line):
            assert (before.to_move, after.to_move) in {(0, 1), (1, 0)}


@every_game
def test_a_finished_game_has_an_ending_of_the_rules(game: Game) -> None:
    for line in some_games(game, 20):
        outcome = line[-1].outcome()
        assert outcome is not None
        assert outcome.ending in BY_RULES
        assert outcome.ending in game.endings or outcome.ending is Ending.THREEFOLD_REPETITION
        assert outcome.winner in (0, 1) or game.draws_possible
        assert all(position.outcome() is None for position in line[:-1])


@pytest.mark.slow
@every_game
def test_the_winner_of_a_game_could_win_all_along(game: Game) -> None:
    for line in some_games(game, 20):
        outcome = line[-1].outcome()
        if outcome and outcome.winner is not None:
            assert all(position.can_win(outcome.winner) for position in line)


@pytest.mark.slow
@every_game
def test_positions_come_again_only_as_far_back_as_the_kernel_says(game: Game) -> None:
    for line in some_games(game, 3):
        for at, position in enumerate(line):
            beyond = line[: max(0, at - steps_back(game, position))]
            assert not any(position.is_same(earlier) for earlier in beyond)


@pytest.mark.slow
@every_game
def test_history_leads_to_the_position(game: Game) -> None:
    for line in some_games(game, 5):
        for position in line:
            text, moves = position.history()
            again = game.parse(text)
            for move in moves:
                again = again.play(move)
            assert again.is_same(position)
            assert position.moves[len(position.moves) - len(moves) :] == moves


def steps_back(game: Game, position: Position) -> int:
    """Over how many of the last plies a repetition is possible here."""
    with np.errstate(over="ignore"):
        return int(game.repeats(position.state))


@pytest.mark.slow
@every_game
def test_mutated_and_random_texts_are_refused_or_read_back(game: Game) -> None:
    draw = random.Random(SEED)
    texts = [position.text() for position in random_positions(game, 50, SEED)]
    for _ in range(1500):
        text = mutated(draw.choice(texts), draw)
        try:
            position = game.parse(text)
        except PositionError as error:
            assert_one_sentence(error)
        else:
            assert game.parse(position.text()).text() == position.text()
            for move in position.legal_moves()[:2]:
                game.parse(position.play(move).text())


def assert_one_sentence(error: Exception) -> None:
    assert str(error).isprintable()
    assert len(str(error)) < 400


def mutated(text: str, draw: random.Random) -> str:
    """`text` with a few characters deleted, doubled, swapped or replaced, or random characters altogether."""
    if draw.random() < 0.1:
        return "".join(
            chr(draw.choice((draw.randrange(128), draw.randrange(0x110000)))) for _ in range(draw.randrange(40))
        )
    letters = list(text)
    for _ in range(draw.randint(1, 4)):
        at, other = draw.randrange(len(letters)), draw.randrange(len(letters))
        change = draw.randrange(5)
        if change == 0 and len(letters) > 1:
            del letters[at]
        elif change == 1:
            letters.insert(at, letters[other])
        elif change == 2:
            letters[at], letters[other] = letters[other], letters[at]
        elif change == 3:
            letters[at] = letters[other]
        else:
            letters[at] = draw.choice("XO-KQkq0123456789 /,wb\n\0\u0663\u00b2\u00e9\U0001f600")
    return "".join(letters)


@every_game
def test_a_text_of_a_million_characters_is_refused_at_once(game: Game) -> None:
    for text in ("1" * 10**6, game.start().text() + " " * 10**6, "9," * 10**6, "\ud800" * 10**6):
        with pytest.raises(PositionError):
            game.parse(text)


@every_game
def test_random_options_are_refused_or_start_a_game(game: Game) -> None:
    draw = random.Random(SEED)
    values = [0, 1, -1, 3, 5, 10**9, "", "7", "1,2", "x", "yes", True, None, 2.5, [], {}, b"1", "\u0663", "9" * 10**5]
    option_names = [option.name for option in game.options] + ["", "unknown", "HEAPS"]
    for _ in range(300):
        options = {draw.choice(option_names): draw.choice(values) for _ in range(draw.randint(0, 3))}
        try:
            position = game.start(options)
        except OptionError as error:
            assert_one_sentence(error)
        else:
            assert position.outcome() is None
            assert game.parse(position.text()).text() == position.text()


@every_game
def test_options_read_their_own_values_back(game: Game) -> None:
    values = game.read_options()
    assert game.read_options(values) == values
    assert game.read_options({name: str(value) for name, value in values.items()}) == values
    assert game.start(values).text() == game.start().text()


@every_game
def test_a_move_that_is_none_and_a_move_that_is_illegal_are_told_apart(game: Game) -> None:
    start = game.start()
    for text in ("", " ", "zzzz9", "a1 b1", " a1", start.legal_moves()[0] + " ", "é", "\u0661", "x" * 10**5):
        with pytest.raises(MoveFormatError):
            start.play(text)
    line = random_game(start, random.Random(SEED))
    for move in start.legal_moves():
        if move not in line[-1].legal_moves():
            with pytest.raises(IllegalMove):
                line[-1].play(move)


@every_game
def test_facts_for_people_are_there(game: Game) -> None:
    assert game.title
    assert game.seat_names[0] != game.seat_names[1]
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in game.seat_colours)
    assert game.rules_version >= 1
    for position in random_positions(game, 3, SEED):
        drawing = str(position)
        assert drawing.isascii()
        assert all(line.isprintable() for line in drawing.split("\n"))
        assert position.text() in repr(position)


# what is left of a colour for who lacks one kind of cones (Machado, Oliveira, Fernandes 2009, severity 1)
CONES_LACKING = {
    "red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


@every_game
@pytest.mark.parametrize("lacking", CONES_LACKING)
def test_the_colours_of_the_seats_are_told_apart_by_everybody(game: Game, lacking: str) -> None:
    linear = np.array([[int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)] for colour in game.seat_colours]) ** 2.2
    seen = np.clip(linear @ np.array(CONES_LACKING[lacking]).T, 0, 1) ** (1 / 2.2)
    assert np.abs(seen[0] - seen[1]).max() > 0.3


@every_game
def test_what_is_counted_is_said_in_a_few_words(game: Game) -> None:
    for position in random_positions(game, 20, SEED):
        assert all(len(words) < 60 and words.isprintable() for words in game.tally(position))
