"""`tabiya standings`: from a running server or straight from a database, for people and for programs."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from tests.tabiya.cli.house import ask, play_games, serving

GAME = "tictactoe"


async def test_without_games_it_says_so() -> None:
    async with serving():
        assert (await ask("standings")).out == "no rated games yet\n"
        assert (await ask("standings", "nim")).out == "no rated games of nim yet\n"


async def test_every_game_that_was_played_is_shown_with_ratings_and_intervals() -> None:
    async with serving() as server:
        await play_games(server, GAME, 2)
        await play_games(server, "nim", 1)
        said = await ask("standings")
        titles = [line for line in said.out.splitlines() if "rated game" in line]
        assert titles == ["nim: 1 rated game", "tictactoe: 2 rated games"]
        headings = said.out.splitlines()[2]
        assert headings.split()[:5] == ["#", "bot", "rating", "±", "95"]
        assert "lost by" in headings
        assert "version" not in headings
        assert len((await ask("standings", GAME)).out.splitlines()) == 7


async def test_programs_are_given_a_row_for_each_bot_and_game() -> None:
    async with serving() as server:
        await play_games(server, "nim", 2)
        rows = (await ask("standings", "--format", "json")).rows
        assert {(row["game"], row["bot"]) for row in rows} == {("nim", "ada"), ("nim", "bob")}
        lines = list(csv.DictReader(io.StringIO((await ask("standings", "--format", "csv")).out)))
        assert [line["bot"] for line in lines] == [row["bot"] for row in rows]
        assert {"rating", "plus_minus", "games", "score", "lost_how"} <= set(lines[0])
        assert {line["lost_how"] for line in lines} <= {"", "last object 1", "last object 2"} != {""}
        assert all(len(line["rating"]) < 10 for line in lines)


@pytest.mark.slow
async def test_a_database_shows_the_same_beside_its_server_and_without_it(tmp_path: Path) -> None:
    database = str(tmp_path / "games.db")
    async with serving(database) as server:
        await play_games(server, GAME, 2)
        served = await ask("standings", "--format", "json")
        assert (await ask("standings", "--database", database, "--format", "json")).rows == served.rows
    assert (await ask("standings", "--database", database, "--format", "json")).rows == served.rows
    assert (await ask("standings", GAME, "-d", database)).out.startswith("tictactoe: 2 rated games\n")
