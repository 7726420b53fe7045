"""The range of the time left: when it is told, and what moves it."""

from __future__ import annotations

from tabiya.server.pairing.open_games import Chain
from tabiya.server.tournaments.time_left import MIN_ENDED, OpenGames, PlayedGame, TimeLeft, time_left
from tests.present import present

NOW = 1_000.0


def ended(count: int, took_s: float = 60.0) -> dict[int, PlayedGame]:
    return {at: PlayedGame((2 * at, 2 * at + 1), NOW - took_s - at, NOW - at) for at in range(count)}


def running(count: int, age_s: float, most_s: float | None = None) -> dict[int, PlayedGame]:
    return {100 + at: PlayedGame((2 * at, 2 * at + 1), NOW - age_s, None, most_s) for at in range(count)}


def estimate(games: dict[int, PlayedGame], pending: int = 10, at_once: int = 2) -> TimeLeft | None:
    under_way = [Chain((number,)) for number, game in games.items() if game.ended is None]
    return time_left(games, OpenGames([(*under_way, *[Chain((), 1)] * pending)], {}, at_once, 1), NOW)


def test_nothing_is_told_before_some_games_have_ended_nor_while_more_run_than_have_ended() -> None:
    assert estimate(ended(MIN_ENDED - 1)) is None
    assert estimate(ended(MIN_ENDED)) is not None
    assert estimate(ended(5) | running(22, 9.0)) is None
    assert estimate(ended(22) | running(22, 9.0)) is not None


def test_nothing_is_told_where_a_game_has_stood_for_months() -> None:
    day_s = 86_400.0
    assert present(estimate(ended(9) | running(1, 3 * day_s), pending=0)).to_s < 31 * day_s
    assert estimate(ended(9) | running(1, 90 * day_s), pending=0) is None


def test_equal_games_on_two_places_take_half_as_long_as_one_after_the_other() -> None:
    one, two = present(estimate(ended(20), at_once=1)), present(estimate(ended(20), at_once=2))
    assert one.from_s < 600 < one.to_s
    assert two.from_s < 300 < two.to_s
    assert one.to_s < 2 * one.from_s


def test_the_same_games_are_told_the_same_twice() -> None:
    assert estimate(ended(9) | running(2, 30.0)) == estimate(ended(9) | running(2, 30.0))


def test_a_game_that_has_taken_longer_than_any_before_is_still_expected_to_take_a_while() -> None:
    alone = present(estimate(ended(9) | running(1, 300.0), pending=0))
    assert 0 < alone.from_s < 60 < alone.to_s


def test_a_running_game_takes_at_most_the_time_on_the_clocks() -> None:
    alone = present(estimate(ended(9) | running(1, 10.0, most_s=5.0), pending=0))
    assert alone.to_s == 5.0


def test_a_game_that_the_state_has_under_way_and_no_match_yet_or_any_more_takes_no_time() -> None:
    known = OpenGames([(Chain((100,)), Chain((5,)), Chain((777,)))], {}, 2, 1)
    games = ended(9) | running(1, 10.0, most_s=5.0)
    assert time_left(games, known, NOW) == estimate(games, pending=0)


def test_stages_wait_for_each_other() -> None:
    games = ended(20)
    together = [(Chain((), 1), Chain((), 1))]
    apart = [(Chain((), 1),), (Chain((), 1),)]
    first, second = (present(time_left(games, OpenGames(each, {}, 2, 1), NOW)) for each in (together, apart))
    assert first.middle_s < 70 < 110 < second.middle_s


def test_the_bot_with_most_to_play_can_be_what_lasts_longest() -> None:
    stage = [(Chain((), 1),) * 8]
    free = present(time_left(ended(20), OpenGames(stage, {}, 8, 1), NOW))
    bound = present(time_left(ended(20), OpenGames(stage, {0: 8}, 8, 1), NOW))
    assert bound.from_s > 2 * free.to_s
