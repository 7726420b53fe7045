"""`tabiya season`: begun, shown and ended from the command line."""

from __future__ import annotations

from typing import Any

from tests.tabiya.cli.command_runner import ask, play_games


async def test_a_season_is_begun_shown_and_ended(server: Any) -> None:
    assert (await ask("season", "show")).sentence.startswith("there has been no season yet")
    await play_games(server, "nim", 2)
    begun = await ask("season", "begin", "nim", "--name", "Autumn", "--size", "2")
    assert begun.out.startswith("season 1 of nim: Autumn\n")
    rows = (await ask("season", "show", "--format", "json")).rows
    assert [[place["bot"] for place in division] for division in rows["divisions"]] == [["ada", "bob"]]
    assert "division,place,bot" in (await ask("season", "show", "1", "--format", "csv")).out
    assert (await ask("season", "end")).out.startswith("season 1 of nim: Autumn\n")
    assert "has ended already" in (await ask("season", "end", "1")).sentence
