"""The wall chart and the rounds of a Swiss as its page shows them."""

from __future__ import annotations

from tabiya.server.web.pages.rounds import rounds_of
from tabiya.server.web.pages.wall_chart import wall_chart
from tabiya.server.web.schemas.tournament_responses import TournamentDetail
from tabiya.server.web.views.tournaments import TournamentViews
from tabiya.storage.memory import MemoryStore
from tests.present import present
from tests.server.web.stored_tournaments import stored_tournament

NAMES = tuple(f"bot{number}" for number in range(9))
POINTS = {"1": 1.0, "½": 0.5, "0": 0.0, "": 0.0}


async def swiss(bots: int, share: float) -> TournamentDetail:
    store = MemoryStore()
    tournament = await stored_tournament(store, "swiss", NAMES[:bots], share=share)
    return await TournamentViews(store).detail(present(await store.tournament(tournament)))


async def test_the_cells_of_a_bot_add_up_to_its_points_byes_included() -> None:
    made = await swiss(9, 1.0)
    chart = wall_chart(made)
    for line in made.lines:
        assert len(chart[line.number]) == made.rounds
        assert sum(POINTS[cell.score] for cell in chart[line.number]) == line.points
    assert sum(cell.mark == "bye" for cells in chart.values() for cell in cells) == made.rounds


async def test_two_who_meet_stand_in_each_others_row_with_opposite_results() -> None:
    made = await swiss(8, 0.55)
    chart, opposite = wall_chart(made), {"won": "lost", "lost": "won"}
    marks = set()
    for number, cells in chart.items():
        for at, cell in enumerate(cells):
            other = chart[present(cell.opponent)][at]
            assert other.opponent == number
            assert other.mark == opposite.get(cell.mark, cell.mark)
            marks.add(cell.mark)
    assert {"won", "lost", "running"} <= marks


async def test_the_score_groups_of_a_round_are_the_points_before_it() -> None:
    made = await swiss(9, 1.0)
    first, second = rounds_of(made)[:2]
    assert [group.points for group in first.groups] == [0]
    chart = wall_chart(made)
    for group in second.groups:
        for pairing in group.pairings:
            before = [POINTS[chart[present(player)][0].score] for player in pairing.line.players]
            assert pairing.line.before == tuple(before)
            assert group.points == max(before)


async def test_the_round_that_is_played_is_marked_and_rounds_can_be_those_of_one_bot() -> None:
    made = await swiss(8, 0.55)
    shown = rounds_of(made, only=[3])
    assert [one.is_current for one in shown] == [False] * (len(shown) - 1) + [True]
    assert all(len(one.pairings) == 1 and 3 in one.pairings[0].line.players for one in shown)
