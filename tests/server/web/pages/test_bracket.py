"""The bracket of a knockout as its page draws it."""

from __future__ import annotations

import pytest

from tabiya.server.web.pages.bracket import Bracket, bracket_of
from tabiya.server.web.views.tournaments import TournamentViews
from tabiya.storage.memory import MemoryStore
from tests.present import present
from tests.server.web.stored_tournaments import stored_tournament

NAMES = tuple(f"bot{number}" for number in range(64))


async def bracket(bots: int, share: float = 1.0) -> Bracket:
    store = MemoryStore()
    tournament = await stored_tournament(store, "knockout", NAMES[:bots], share=share)
    return bracket_of(await TournamentViews(store).detail(present(await store.tournament(tournament))))


@pytest.mark.parametrize(
    ("bots", "places"), [(4, [2, 1]), (8, [4, 2, 1]), (13, [8, 4, 2, 1]), (64, [32, 16, 8, 4, 2, 1])]
)
async def test_each_round_has_half_as_many_places_as_the_one_before_and_all_are_taken(
    bots: int, places: list[int]
) -> None:
    drawn = await bracket(bots)
    assert [len(column.slots) for column in drawn.columns] == places
    assert all(slot.pairing for column in drawn.columns for slot in column.slots)
    assert sum("bye" in slot.classes for slot in drawn.columns[0].slots) == 2 * places[0] - bots


async def test_the_way_of_the_champion_leads_through_one_place_of_each_round_to_its_name() -> None:
    drawn = await bracket(8)
    for column in drawn.columns:
        (way,) = [slot for slot in column.slots if slot.on_the_way]
        line = present(way.pairing).line
        assert line.bots[line.players.index(line.winner)] == drawn.champion
        assert way.classes == "slot known decided way"
    assert present(drawn.third).line.note.startswith("third place")


async def test_before_the_end_there_is_no_champion_and_no_way_and_what_is_open_says_so() -> None:
    drawn = await bracket(8, share=0.4)
    assert drawn.champion == ""
    assert not any(slot.on_the_way for column in drawn.columns for slot in column.slots)
    final = present(drawn.columns[-1].slots[0].pairing)
    assert (final.absent(0), final.state, drawn.columns[-1].slots[0].classes) == ("undecided", "pending", "slot")


async def test_of_a_tie_that_was_replayed_the_last_meeting_is_shown_and_how_many_were_level_before_it() -> None:
    drawn = [present(slot.pairing) for column in (await bracket(64)).columns for slot in column.slots]
    assert {pairing.level_meetings for pairing in drawn} == {0, 1, 2}
    for pairing in drawn:
        assert len(pairing.last_meeting) == 2
        assert len(pairing.games) == 2 + 2 * pairing.level_meetings
        if pairing.level_meetings:
            assert pairing.remark.startswith((f"after {pairing.level_meetings} level", "level; the higher seed"))
        for before in pairing.games[:-2]:
            assert before.game.meeting < pairing.last_meeting[0].game.meeting


async def test_a_tie_shows_its_games_as_its_two_see_them() -> None:
    for slot in (await bracket(8)).columns[0].slots:
        pairing = present(slot.pairing)
        for side in (0, 1):
            points = {"1": 1.0, "½": 0.5, "0": 0.0}
            assert sum(points[game.scores[side]] for game in pairing.games) == pairing.line.points[side]
        first = pairing.games[0]
        bots = pairing.line.bots
        assert first.words == f"match {first.game.match}: {bots[0]} {first.scores[0]}, {bots[1]} {first.scores[1]}"
