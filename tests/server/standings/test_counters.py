"""What is counted of the stored results: pairs of one opening, versions, endings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zlib import compress

import msgspec
import pytest
from msgspec.structs import replace

from tabiya.server.matches.pair_keys import pair_key
from tabiya.server.ratings.counted_rows import CountedRows
from tabiya.server.ratings.results import GamesBetween
from tabiya.server.standings.compute import fit_standings
from tabiya.server.standings.counters import ALL_VERSIONS, COUNTED_AS, CountedResults, Player, ResultCounters, View
from tabiya.storage.records import GameResult, MatchId, TournamentId

ADA, BOB = Player("ada", "1"), Player("bob", "1")


def result(
    number: int,
    first: Player,
    second: Player,
    winner: int | None,
    place: tuple[int, int, int] | None = None,
    ending: str = "line",
    key: str = "",
    time: str = "60+0.5",
) -> GameResult:
    """A finished game. place: tournament, mini-match, game of it."""
    return GameResult(
        number=number,
        match_id=MatchId(number),
        key=key or f"lobby-{number}",
        game="reversi",
        bots=(first.bot, second.bot),
        versions=(first.version, second.version),
        time_control=time,
        rated=True,
        winner=winner,
        ending=ending,
        tournament_id=TournamentId(place[0]) if place else None,
        pairing=place[1] if place else None,
        game_index=place[2] if place else None,
        ended_at=0.0,
    )


def counted(*results: GameResult) -> ResultCounters:
    counters = ResultCounters("reversi")
    for each in results:
        counters.add(each)
    return counters


def between(counters: ResultCounters, one: Player = ADA, other: Player = BOB) -> GamesBetween:
    return counters.results_of(View()).between(one, other)


def test_two_games_of_a_mini_match_with_seats_changed_are_a_pair_whichever_ends_first() -> None:
    first, second = result(1, ADA, BOB, 0, (1, 4, 0)), result(2, BOB, ADA, None, (1, 4, 1))
    for order in ((first, second), (second, first)):
        found = between(counted(*order))
        assert found.pairs.counts == (0, 0, 0, 1, 0)
        assert (found.wins, found.draws, found.losses) == (1, 1, 0)


def test_a_game_whose_partner_has_not_ended_counts_alone_until_it_has() -> None:
    counters = counted(result(1, ADA, BOB, 0, (1, 4, 0)))
    assert (between(counters).wins, between(counters).pairs.number) == (1, 0)
    counters.add(result(2, BOB, ADA, 1, (1, 4, 1)))
    assert (between(counters).wins, between(counters).pairs.counts) == (2, (0, 0, 0, 0, 1))


def test_longer_mini_matches_are_several_pairs() -> None:
    games = [result(n + 1, (ADA, BOB)[n % 2], (BOB, ADA)[n % 2], 0, (1, 4, n)) for n in range(4)]
    assert between(counted(*games)).pairs.counts == (0, 0, 2, 0, 0)
    assert between(counted(*[games[n] for n in (2, 0, 3, 1)])).pairs.counts == (0, 0, 2, 0, 0)


def test_games_without_a_place_of_other_mini_matches_or_with_the_same_seats_are_no_pair() -> None:
    counters = counted(
        result(1, ADA, BOB, 0),
        result(2, BOB, ADA, 0),
        result(3, ADA, BOB, 0, (1, 1, 0)),
        result(4, BOB, ADA, 0, (1, 2, 1)),
        result(5, ADA, BOB, 0, (2, 1, 0)),
        result(6, ADA, BOB, 0, (2, 1, 1)),
    )
    assert between(counters).pairs.number == 0
    assert (between(counters).wins, between(counters).losses) == (4, 2)


def test_games_of_a_run_outside_tournaments_are_pairs_by_their_keys() -> None:
    won = [result(n + 1, (ADA, BOB)[n % 2], (BOB, ADA)[n % 2], n % 2, key=pair_key("9f3c-1", n)) for n in range(6)]
    assert between(counted(*won)).pairs.counts == (0, 0, 0, 0, 3)
    assert between(counted(*[won[n] for n in (3, 0, 2, 1)])).pairs.counts == (0, 0, 0, 0, 2)
    assert between(counted(won[1], won[2], won[5])).pairs.number == 0
    again = result(7, BOB, ADA, 0, key=pair_key("9f3c-1", 1, tries=2))
    assert between(counted(won[0], again)).pairs.counts == (0, 0, 1, 0, 0)
    elsewhere = result(7, BOB, ADA, 0, key=pair_key("9f3c-2", 1))
    assert between(counted(won[0], elsewhere)).pairs.number == 0


def test_versions_are_one_bot_in_a_pooled_view_and_its_games_against_itself_vanish() -> None:
    newer = Player("ada", "2")
    counters = counted(
        result(1, ADA, BOB, 0, (1, 0, 0)),
        result(2, BOB, ADA, 1, (1, 0, 1)),
        result(3, newer, BOB, 1, (1, 1, 0), "time"),
        result(4, BOB, newer, 0, (1, 1, 1), "time"),
        result(5, newer, ADA, 0),
    )
    whole = counters.results_of(ALL_VERSIONS)
    found = whole.between(Player("ada", ""), Player("bob", ""))
    assert found.pairs.counts == (1, 0, 0, 0, 1)
    assert list(whole.numbers) == [Player("ada", ""), Player("bob", "")]
    endings = counters.endings_of(View(pooled=True))[Player("ada", "")]
    assert (endings.won, endings.lost) == ({"line": 3}, {"time": 2, "line": 1})
    assert counters.endings_of(View())[ADA].lost == {"line": 1}


def test_games_with_one_time_control_are_counted_as_if_there_were_no_others() -> None:
    games = [
        *some_results(),
        *(result(n + 20, (ADA, BOB)[n % 2], (BOB, ADA)[n % 2], n % 2, (7, 0, n), time="2/move") for n in range(4)),
        result(30, BOB, Player("eve", ""), 1, time="none"),
    ]
    games = [game for game in games if game.rated and game.game == "reversi"]
    every = counted(*games)
    assert every.by_time == {"60+0.5": 5, "2/move": 4, "none": 1}
    for time in every.by_time:
        alone = counted(*(game for game in games if game.time_control == time))
        for pooled in (False, True):
            found, expected = (
                fit_standings(*each) for each in ((every, View(pooled, time=time)), (alone, View(pooled)))
            )
            assert found.standings == replace(expected.standings, time=time, times=found.standings.times)
            assert found.ratings.numbers == expected.ratings.numbers
    assert fit_standings(every, View()).standings.games == 10


def test_a_time_control_that_nobody_has_played_with_has_no_rows_and_the_others_are_named() -> None:
    counters = counted(result(1, ADA, BOB, 0), result(2, ADA, BOB, 0), result(3, ADA, BOB, 0, time="none"))
    found = fit_standings(counters, View(time="7+7")).standings
    assert (found.rows, found.games, found.time) == ((), 0, "7+7")
    assert [(each.time, each.games) for each in found.times] == [("60+0.5", 2), ("none", 1)]


def test_two_games_with_different_time_controls_are_no_pair() -> None:
    found = between(counted(result(1, ADA, BOB, 0, (1, 4, 0)), result(2, BOB, ADA, 1, (1, 4, 1), time="none")))
    assert (found.pairs.number, found.wins) == (0, 2)


def some_results() -> list[GameResult]:
    """Pairs, half a pair, single games, two versions, a draw, and games of no ratings."""
    other = Player("ada", "2")
    found = [
        result(1, ADA, BOB, 0, (1, 4, 0)),
        result(2, BOB, ADA, None, (1, 4, 1)),
        result(3, ADA, BOB, 1, (1, 5, 1), "time"),
        result(4, other, BOB, None),
        result(5, BOB, other, 0, key=pair_key("9f3c-1", 6)),
    ]
    return [*found, replace(result(6, ADA, BOB, 0), rated=False), replace(result(7, ADA, BOB, 0), game="chess")]


def test_counts_are_saved_and_continue() -> None:
    more = [
        result(8, BOB, ADA, 1, (1, 5, 0)),
        result(9, other := Player("ada", "2"), BOB, 1, key=pair_key("9f3c-1", 7)),
        result(10, other, ADA, 0),
        result(11, other, ADA, 0, time="none"),
        result(12, BOB, ADA, 0, (1, 9, 0), time="2/move"),
    ]
    at_once, bit_by_bit = CountedResults(), CountedResults()
    at_once.add_all([*some_results(), *more])
    for one in [*some_results(), *more]:
        bit_by_bit = CountedResults.from_text(bit_by_bit.text())
        bit_by_bit.add_all([one])
        bit_by_bit.of("a game that nobody has played, and somebody has asked for")
    assert bit_by_bit.text() == at_once.text()
    assert at_once.seen == 12
    assert bit_by_bit.of("reversi").by_time == {"60+0.5": 8, "none": 1, "2/move": 1}
    assert between(bit_by_bit.of("reversi")).pairs.number == 2
    assert between(bit_by_bit.of("reversi")) == between(at_once.of("reversi"))
    assert bit_by_bit.of("reversi").endings_of(View()) == at_once.of("reversi").endings_of(View())


def rows(width: int, first: int, second: int) -> bytes:
    """What is kept of a table with a game of these two players."""
    table = CountedRows(width)
    table.add(first, second, 0)
    return table.written()


def kept(games: bytes, endings: Sequence[Any] = ()) -> str:
    """A text of counts of one game of one player."""
    one: tuple[Any, ...] = (1, {"none": 1}, [(*ADA, "none")], games, b"", endings, [])
    return of_reversi(compress(msgspec.msgpack.encode(one)))


def of_reversi(written: bytes) -> str:
    """A text of counts with this for one game."""
    return msgspec.json.encode({"counted_as": COUNTED_AS, "seen": 1, "games": {"reversi": written}}).decode()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"counted_as": 1}',
        '{"counted_as": 1, "seen": 0, "games": {}}',
        kept(b"", endings=[(3, ({}, {}, {}))]),
        kept(rows(3, 1, 0)),
        kept(rows(1, 0, 0)),
        kept(b"12345"),
        of_reversi(b"no zlib"),
        of_reversi(compress(b"no counts")),
    ],
)
def test_what_is_no_text_of_counts_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        CountedResults.from_text(text)
