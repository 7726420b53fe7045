"""A graded gauntlet: its challengers are the staff, each with what is earned against it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import convert, to_builtins
from msgspec.structs import replace

from tabiya.server.tournaments.settings import StaffTerms, TournamentError, TournamentSettings, read_tournament
from tests.server.local_bots import table
from tests.server.tournaments.cups import order, players
from tests.virtual_time import virtual_time

BOTS = ("bot0", "bot1", "bot2")
GAUNTLET: dict[str, Any] = {"format": "gauntlet", "start": False}


def staff(bot: str, **worth: Any) -> StaffTerms:
    return StaffTerms(bot=bot, **({"points": 4.0} | worth))


BAD = {
    "another format": ({"grading": (staff("bot0"),), "format": "swiss"}, "only a gauntlet is graded, a Swiss is not"),
    "named twice": ({"grading": (staff("bot0"), staff("BOT0"))}, "the grading names bot0 twice"),
    "no challenger": (
        {"grading": (staff("bot2"),)},
        "bot2 is graded against, but no challenger: a challenger is of the first bot",
    ),
    "no entrant": (
        {"grading": (staff("bot0"), staff("bot3")), "challengers": 2},
        "bot3 is graded against, but no challenger: a challenger is of the first 2 bots",
    ),
    "a challenger without a worth": ({"grading": (staff("bot0"),), "challengers": 2}, "the grading says nothing of it"),
    "an unknown bot": ({"grading": (staff("nobody"),)}, "there is no bot called 'nobody'"),
    "no points": ({"grading": (staff("bot0", points=0.0),)}, "points: expected a number > 0.0, received 0.0"),
    "too many points": ({"grading": (staff("bot0", points=1e4),)}, "points: expected a number <= 1000.0"),
    "more than all": ({"grading": (staff("bot0", all_from=101.0),)}, "all_from: expected a number <= 100.0"),
    "bounds the wrong way": ({"grading": (staff("bot0", nothing_to=75.0, all_from=25.0),)}, "first", ),
    "everything from nothing": ({"grading": (staff("bot0", all_from=0.0),)}, "the upper one more than 0, not 0-0"),
}  # fmt: skip


@pytest.mark.parametrize(("fields", "words"), BAD.values(), ids=list(BAD))
@virtual_time
async def test_what_cannot_be_graded_is_one_sentence_and_creates_nothing(fields: dict[str, Any], words: str) -> None:
    async with table() as there:
        await players(there, 4)
        with pytest.raises(TournamentError) as refused:
            await there.server.tournaments.create(order(BOTS, **(GAUNTLET | fields)))
        assert words in str(refused.value)
        assert await there.store.list_tournaments() == ()


@virtual_time
async def test_the_grading_is_stored_with_the_names_that_the_accounts_have() -> None:
    async with table() as there:
        await players(there, 3)
        grading = (staff("BOT1", nothing_to=25.0), staff("bot0"))
        made = await there.server.tournaments.create(order(BOTS, challengers=2, grading=grading, **GAUNTLET))
        assert read_tournament(made).settings.grading == (replace(grading[0], bot="bot1"), grading[1])


@virtual_time
async def test_a_tournament_from_before_grades_reads_as_ungraded() -> None:
    async with table() as there:
        await players(there, 3)
        made = await there.server.tournaments.create(order(BOTS, **GAUNTLET))
        before = {name: value for name, value in made.settings.items() if name != "grading"}
        assert convert(before, TournamentSettings) == read_tournament(made).settings
        assert to_builtins(read_tournament(made).settings)["grading"] == ()
