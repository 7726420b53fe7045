"""`tabiya standings`: from a running server or straight from a database, for people and for programs."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from tabiya.cli.remote.standings_tables import _about
from tests.tabiya.cli.command_runner import ask, play_games, serving

GAME = "tictactoe"


async def test_without_games_it_says_so(server: Any) -> None:
    assert (await ask("standings")).out == "no rated games yet\n"
    assert (await ask("standings", "nim")).out == "no rated games of nim yet\n"


async def test_every_game_that_was_played_is_shown_with_ratings_and_intervals(server: Any) -> None:
    await play_games(server, GAME, 2)
    await play_games(server, "nim", 1)
    result = await ask("standings")
    titles = [line for line in result.out.splitlines() if "rated game" in line]
    assert titles == ["nim: 1 rated game", "tictactoe: 2 rated games"]
    headings = result.out.splitlines()[2]
    assert headings.split()[:5] == ["#", "bot", "rating", "±", "95"]
    assert "lost by" in headings
    assert "version" not in headings
    assert len((await ask("standings", GAME)).out.splitlines()) == 10


async def test_programs_are_given_a_row_for_each_bot_and_game(server: Any) -> None:
    await play_games(server, "nim", 2)
    rows = (await ask("standings", "--format", "json")).rows
    assert {(row["game"], row["bot"]) for row in rows} == {("nim", "ada"), ("nim", "bob")}
    lines = list(csv.DictReader(io.StringIO((await ask("standings", "--format", "csv")).out)))
    assert [line["bot"] for line in lines] == [row["bot"] for row in rows]
    assert {"rating", "plus_minus", "games", "score", "lost_how"} <= set(lines[0])
    assert {line["lost_how"] for line in lines} <= {"", "last object 1", "last object 2"} != {""}
    assert all(len(line["rating"]) < 10 for line in lines)


async def test_the_game_itself_is_described_below_the_table(server: Any) -> None:
    await play_games(server, GAME, 2)
    result = await ask("standings", GAME)
    assert "to move first is worth " in result.out
    assert "over next" in result.out


@pytest.mark.parametrize("drawn", [0, 1])
def test_draws_are_told_of_a_game_that_has_had_one(drawn: int) -> None:
    share = {"draw_rate": 0.1, "draw_rate_low": 0.0, "draw_rate_high": 0.8}
    lines = _about({"first_mover": 0.0, "first_mover_plus_minus": 9.0, "notes": (), "drawn": drawn, **share})
    assert len(lines) == 1 + drawn


async def test_versions_can_be_rated_as_one_and_anchors_given(server: Any) -> None:
    await play_games(server, "nim", 2)
    rows = (await ask("standings", "nim", "--pooled", "--anchor", "ada=1000", "--format", "json")).rows
    assert {row["version"] for row in rows} == {""}
    assert {row["rating"] for row in rows if row["anchor"]} == {1000.0}
    result = await ask("standings", "nim", "--anchor", "ada=1000")
    assert "ada (anchor)" in result.out
    assert (await ask("standings", "--anchor", "ada")).sentence == (
        "an anchor is NAME=RATING with a rating between -10,000 and 10,000, not 'ada'"
    )


async def test_only_games_with_one_time_control_are_shown_if_asked_for(server: Any) -> None:
    await play_games(server, "nim", 2)
    await play_games(server, "nim", 1, ("bob", "eve"), time="none")
    assert (await ask("standings", "nim", "--time", "60.0+0.5")).out.startswith("nim: 2 rated games with 60+0.5\n")
    rows = (await ask("standings", "nim", "--time", "none", "--format", "json")).rows
    assert {row["bot"] for row in rows} == {"bob", "eve"}
    assert (await ask("standings", "nim", "--time", "7")).out == "no rated games of nim with 7+0 yet\n"
    assert (await ask("standings", "--time", "fast")).sentence.startswith("time control 'fast' was not understood")


async def test_only_games_of_some_days_bots_or_rules_are_shown_if_asked_for(server: Any) -> None:
    await play_games(server, "nim", 2)
    await play_games(server, "nim", 1, ("bob", "eve"))
    assert (await ask("standings", "nim", "--among", "bob,eve")).out.startswith("nim: 1 rated game\n")
    assert (await ask("standings", "nim", "--until", "2001-01-01")).out == "no rated games of nim as asked for yet\n"
    assert (await ask("standings", "nim", "-o", "misere=true")).out == "no rated games of nim as asked for yet\n"
    assert "is no time" in (await ask("standings", "nim", "--since", "soon")).sentence


async def test_how_likely_one_is_better_is_a_matrix_for_people_and_rows_for_programs(server: Any) -> None:
    await play_games(server, "nim", 2)
    result = await ask("standings", "nim", "--los")
    assert result.out.startswith("nim: how likely each is better than each other\n")
    matrix = (await ask("standings", "nim", "--los", "--format", "json")).rows[0]
    assert [bot["bot"] for bot in matrix["bots"]] in (["ada", "bob"], ["bob", "ada"])
    assert matrix["matrix"][0][1] + matrix["matrix"][1][0] == pytest.approx(1)
    lines = list(csv.DictReader(io.StringIO((await ask("standings", "nim", "--los", "--format", "csv")).out)))
    assert {(line["bot"], line["other"]) for line in lines} == {("ada", "bob"), ("bob", "ada")}


async def test_two_bots_are_compared_by_their_games_and_by_all(server: Any) -> None:
    await play_games(server, "nim", 3)
    pair = (await ask("standings", "nim", "--head-to-head", "ada", "bob", "--format", "json")).rows[0]
    assert pair["wins"] + pair["losses"] == 3
    assert pair["games_needed"] is None or pair["games_needed"] >= 0
    result = await ask("standings", "--head-to-head", "ada", "bob")
    assert len([line for line in result.out.splitlines() if line.startswith("nim ")]) == 1
    assert (await ask("standings", GAME, "--head-to-head", "ada", "bob")).out == (
        "no rated games of tictactoe connect ada and bob yet\n"
    )
    assert (await ask("standings", "--head-to-head", "ada", "Jürgen")).sentence == "there is no bot 'Jürgen'"
    sentence = (await ask("standings", "--head-to-head", "ada", "bob", "--los")).sentence
    assert sentence.startswith("--head-to-head counts all games of whole bots")


@pytest.mark.slow
async def test_a_database_shows_the_same_beside_its_server_and_without_it(tmp_path: Path) -> None:
    database = str(tmp_path / "games.db")
    async with serving(database, rate_guests=True) as server:
        await play_games(server, GAME, 2)
        served = await ask("standings", "--format", "json")
        assert (await ask("standings", "--database", database, "--format", "json")).rows == served.rows
    assert (await ask("standings", "--database", database, "--format", "json")).rows == served.rows
    assert (await ask("standings", GAME, "-d", database)).out.startswith("tictactoe: 2 rated games\n")
    for control, games in (("60+0.5", 2), ("7+7", 0)):
        found = await ask("standings", GAME, "-d", database, "--time", control)
        assert found.out.startswith(
            f"tictactoe: {games} rated games with" if games else "no rated games of tictactoe with"
        )
    assert len((await ask("standings", GAME, "-d", database, "--los", "--format", "json")).rows[0]["bots"]) == 2
    pair = ("--head-to-head", "ADA", "bob")
    assert (await ask("standings", GAME, "-d", database, *pair, "--format", "json")).rows[0]["first"] == "ada"
    assert (await ask("standings", "-d", database, "--head-to-head", "ada", "eve")).sentence == "there is no bot 'eve'"
