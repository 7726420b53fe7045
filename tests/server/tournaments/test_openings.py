"""The openings of a tournament: drawn by the seed or given, distinct until exhausted."""

from __future__ import annotations

import pytest

from tabiya.games.errors import GameError
from tabiya.games.registry import load_game
from tabiya.server.tournaments.openings import Openings, given_openings
from tabiya.server.tournaments.settings import TournamentError, check_order
from tabiya.storage.records import TournamentId, TournamentRecord
from tests.server.local_bots import table
from tests.server.tournaments.cups import CHESS, check_games, order, over, players
from tests.virtual_time import virtual_time

FEN = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"


def record(**settings: object) -> TournamentRecord:
    return TournamentRecord(
        id=TournamentId(1),
        name="Cup",
        game="tictactoe",
        format="round_robin",
        settings={"time_control": "1+0"} | settings,
        seed=3,
        status="created",
        step=0,
        state={},
        entries=(),
        created_at=0.0,
    )


def test_drawn_openings_are_distinct_until_there_are_no_more_and_then_come_again_in_their_order() -> None:
    openings, game = Openings(record()), load_game("tictactoe")
    texts = [openings.of(meeting).position(game).text() for meeting in range(200)]
    different = len(set(texts))
    assert 1 < different < 200
    assert len(set(texts[:different])) == different
    assert texts[different : 2 * different] == texts[:different]
    assert openings.of(1) == Openings(record()).of(1)


def test_given_openings_are_positions_or_moves_and_come_in_their_order() -> None:
    openings = given_openings(load_game(CHESS), {}, [FEN, "e2e4 e7e5", "e2e4 e7e5", " d2d4 "])
    assert [opening.moves for opening in openings] == [(), ("e2e4", "e7e5"), ("d2d4",)]
    assert openings[0].start_text == FEN
    used = Openings(record(openings=["a1", "b2"]))
    assert [used.of(meeting).moves for meeting in range(3)] == [("a1",), ("b2",), ("a1",)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("e2e5", "opening 2, 'e2e5', is neither a position nor moves from the start: "),
        ("f2f3 e7e5 g2g4 d8h4", "ends the game: nothing is left to play"),
        ("nonsense" * 100, "opening 2, 'nonsensenonsense"),
    ],
)
def test_what_is_no_opening_is_said_in_a_sentence_with_its_number(text: str, words: str) -> None:
    with pytest.raises(GameError) as refused:
        given_openings(load_game(CHESS), {}, ["e2e4", text])
    assert words in str(refused.value)
    assert len(str(refused.value)) < 500


def test_too_many_openings_are_refused() -> None:
    with pytest.raises(TournamentError, match="openings: expected a list of length <= 1000"):
        check_order(order(("bot0", "bot1"), openings=("e2e4",) * 1_001))


@virtual_time
async def test_a_tournament_with_openings_of_its_own_plays_them_with_seats_changed() -> None:
    async with table() as there:
        await players(there, 2)
        asked = order(("bot0", "bot1"), game="tictactoe", rounds=2, openings=("b2", "a1 b2"))
        created = await there.server.tournaments.create(asked)
        ended = await over(there, created.id)
        await check_games(there, ended)
        for match in await there.store.tournament_matches(ended.id):
            moves = tuple(move.text for move in await there.store.moves(match.id) if move.opening)
            assert moves == (("b2",), ("a1", "b2"))[match.pairing or 0]
        with pytest.raises(GameError, match="opening 1"):
            await there.server.tournaments.create(order(("bot0", "bot1"), openings=("zz",)))
