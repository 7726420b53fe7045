"""Which games the projector shows, and on which board."""

from __future__ import annotations

from collections.abc import Iterable

from tabiya.server.web.pages.shown_games import (
    BOARDS,
    FIXED_BOARDS,
    LINGER_S,
    Game,
    GameSituation,
    interest,
    order_of_next_step,
    order_within_step,
)


def running(numbers: Iterable[int], interest: int = 0) -> list[Game]:
    return [Game(number, interest) for number in numbers]


def ended(number: int, over_s: float) -> Game:
    return Game(number, over_s=over_s)


def test_a_game_is_as_interesting_as_what_is_at_stake() -> None:
    assert interest(GameSituation()) == (0, "")
    assert interest(GameSituation(ranks=(1, 9), clocks=(0.9, 0.8))) == (2, "top of the table")
    assert interest(GameSituation(ranks=(4, 4), level=True)) == (3, "level on points")
    assert interest(GameSituation(clocks=(0.9, 0.1))) == (1, "short of time")
    assert interest(GameSituation(ranks=(1, 2), level=True, decisive=True, clocks=(0.1, 0.1))) == (13, "decisive")
    assert interest(GameSituation(ranks=(2, 3), level=True)) == (7, "top of the table")


def test_the_most_interesting_games_stay_and_the_others_take_turns() -> None:
    games = [*running(range(1, 9)), *running((20, 21, 22), interest=5)]
    screens = [order_of_next_step(games, (), step)[:BOARDS] for step in range(8)]
    assert all(screen[:FIXED_BOARDS] == [20, 21, 22] for screen in screens)
    assert screens[0][FIXED_BOARDS:] == [1, 2, 3]
    assert screens[1][FIXED_BOARDS:] == [4, 5, 6]
    assert {match for screen in screens for match in screen} == {game.match for game in games}


def test_a_second_screen_shows_what_the_first_does_not() -> None:
    line = order_of_next_step(running(range(1, 12)), (), 5)
    assert sorted(line) == list(range(1, 12))


def test_games_that_stay_on_the_screen_keep_their_boards_from_step_to_step() -> None:
    games = running(range(1, 7))
    line = order_of_next_step(games, (), 0)
    changed = [game._replace(interest=game.match) for game in games]
    assert order_of_next_step(changed, line, 1) == line
    assert sorted(order_of_next_step([*changed, Game(9, 50)], line, 1)) == [1, 2, 3, 4, 5, 6, 9]


def test_games_of_tournaments_are_on_the_first_boards_and_of_those_that_stay() -> None:
    others, own = running(range(1, 3), interest=9), Game(7, in_tournament=True)
    assert order_of_next_step(others, (), 0) == [1, 2]
    assert order_of_next_step([*others, own], [1, 2], 1) == [7, 1, 2]
    many = [*running(range(1, 9), interest=9), own, Game(8, 1, in_tournament=True)]
    assert all(order_of_next_step(many, (), step)[:2] == [8, 7] for step in range(3))
    taking_turns = [*running(range(1, 3)), *(Game(number, in_tournament=True) for number in range(10, 20))]
    assert {match for step in range(9) for match in order_of_next_step(taking_turns, (), step)[:BOARDS]} >= {1, 2}


def test_within_a_step_a_game_keeps_its_board_and_a_new_one_takes_that_of_one_long_over() -> None:
    line = [1, 2, 3]
    games = [Game(1), ended(2, LINGER_S - 1), Game(3), Game(4, 1), Game(5, 2)]
    assert order_within_step(games, line) == [1, 2, 3, 5, 4]
    games[1] = ended(2, LINGER_S + 1)
    assert order_within_step(games, line) == [1, 5, 3, 4]
    assert order_within_step([Game(1), ended(2, 60.0), Game(3)], line) == line, "nobody needs its board"
    assert order_within_step([Game(1), Game(3), Game(7)], line) == [1, 7, 3], "it is not known any more"


def test_a_game_that_has_just_ended_stays_with_its_result_over_a_step() -> None:
    games = [Game(1), ended(2, 1.0), Game(3)]
    assert order_of_next_step(games, [1, 2, 3], 7) == [1, 2, 3]
    games[1] = ended(2, LINGER_S)
    assert order_of_next_step(games, [1, 2, 3], 7) == [1, 3]


def test_games_that_were_over_at_once_are_shown_where_no_game_needs_the_board() -> None:
    over = [ended(number, 1.0) for number in range(1, 10)]
    assert order_of_next_step(over, (), 0) == [9, 8, 7, 6, 5, 4]
    assert order_within_step([*over, Game(10)], []) == [10, 9, 8, 7, 6, 5]
