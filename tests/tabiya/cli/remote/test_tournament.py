"""`tabiya tournament`: created, followed, paused, cancelled and listed on a running server."""

from __future__ import annotations

import asyncio
import contextlib
import csv
import io
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tabiya.cli.remote.crosstable import _notes
from tabiya.protocol.messages import Turn
from tests.live import PlainBot, welcomed
from tests.tabiya.cli.command_runner import ada_and_bob, ask, plays_one, serving

GAME = "tictactoe"
NAMES = ("ada", "bob", "eve")


async def keeps_playing(bot: PlainBot) -> None:
    while True:
        await plays_one(bot)


@contextlib.asynccontextmanager
async def three_players(server: Any) -> AsyncIterator[None]:
    """Three bots that play whatever comes."""
    async with contextlib.AsyncExitStack() as stack:
        bots = [await stack.enter_async_context(welcomed(server.websocket_url, name)) for name in NAMES]
        playing = [asyncio.ensure_future(keeps_playing(bot)) for bot in bots]
        try:
            yield
        finally:
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)


async def status_as_csv(number: int) -> list[dict[str, str]]:
    """The rows of a crosstable as a spreadsheet gets them."""
    result = await ask("tournament", "status", str(number), "--format", "csv")
    return list(csv.DictReader(io.StringIO(result.out)))


@pytest.mark.slow
async def test_a_tournament_is_created_and_followed_to_its_end() -> None:
    async with serving() as server, three_players(server):
        result = await ask("tournament", "create", GAME, *NAMES, "--name", "Friday", "--follow")
        assert result.status == 0
        assert result.out.startswith(
            "tournament 1 (Friday) is running: 6 games\ntournament 1: Friday, tictactoe, round robin, 60+0.5\n"
        )
        assert "\nended, 6 of 6 games\n\n" in result.out
        assert "Friday: 6 of 6 games\n" in result.err
        assert result.out.count("/2") == 6
        assert "\nhow games ended: " in result.out


@pytest.mark.slow
async def test_a_started_tournament_can_be_followed_later() -> None:
    async with serving() as server, three_players(server):
        await ask("tournament", "create", GAME, *NAMES)
        result = await ask("tournament", "status", "1", "--follow", "--format", "json")
        assert (result.rows["status"], result.rows["played"], result.rows["total"]) == ("ended", 6, 6)
        table = await status_as_csv(1)
        assert list(table[0])[:4] == ["rank", "bot", "number", "withdrawn"]
        assert {row["bot"] for row in table} == set(NAMES)
        assert sum(float(row["points"]) for row in table) == 6
        for row in table:
            assert row["withdrawn"] == "False"
            against = [row[f"n{number}"] for number in range(3)]
            assert [points == "" for points in against] == [number == int(row["number"]) for number in range(3)]
            assert sum(float(points or 0) for points in against) == float(row["points"])


async def test_a_tournament_waits_is_started_paused_goes_on_and_is_cancelled() -> None:
    async with serving() as server, ada_and_bob(server) as (ada, bob):
        result = await ask("tournament", "create", GAME, "ada", "bob", "--no-start", "--name", "Cup")
        assert result.out == "tournament 1 (Cup) is created: 2 games\n"
        assert (await ask("tournament", "start", "1")).out == "tournament 1 (Cup) is running\n"
        await asyncio.wait(
            [asyncio.ensure_future(bot.receives(Turn)) for bot in (ada, bob)], return_when="FIRST_COMPLETED"
        )
        assert (await ask("tournament", "pause", "1")).out == "tournament 1 (Cup) is paused\n"
        assert (await ask("tournament", "start", "1")).out == "tournament 1 (Cup) is running\n"
        assert (await ask("tournament", "cancel", "1")).out == "tournament 1 (Cup) is cancelled\n"
        assert "tournament 1 was cancelled" in (await ask("tournament", "pause", "1")).sentence


async def test_bots_that_could_not_play_now_are_named_beside_the_output() -> None:
    warning = "tabiya: eve cannot play now: not connected.\ntabiya: A bot that is away for 60 s is withdrawn.\n"
    async with serving() as server, ada_and_bob(server):
        async with welcomed(server.websocket_url, "eve"):
            pass
        await server.store.put_setting("after", "eve is gone")
        result = await ask("tournament", "create", GAME, "ada", "bob", "--no-start", "-f", "swiss", "--rounds", "2")
        assert result.err == ""
        entered = await ask("tournament", "enter", "1", "eve")
        assert (entered.out.endswith("has 3 bots and is created\n"), entered.err) == (True, warning)
        assert (await ask("tournament", "start", "1")).err == warning
        assert (await ask("tournament", "pause", "1")).err == ""


async def test_all_that_can_be_said_of_a_tournament_is_heard() -> None:
    words = (
        "--rounds 3 --time 2/move --option heaps=3,4 --concurrency 2 --absence-timeout 90 --seed 7 --no-start --unrated"
    )
    async with serving() as server, ada_and_bob(server):
        await ask("tournament", "create", "nim", "ada", "bob", *words.split())
        found = (await ask("tournament", "status", "1", "--format", "json")).rows
        assert (found["total"], found["time_control"], found["seed"]) == (6, "2/move", 7)
        assert found["name"].startswith("nim 20")
        (record,) = await server.store.list_tournaments()
        assert record.settings["concurrency"] == 2
        assert record.settings["options"] == {"heaps": "3,4", "misere": False}
        assert record.settings["rated"] is False


async def test_tournaments_are_listed_the_newest_first() -> None:
    async with serving() as server, ada_and_bob(server):
        assert (await ask("tournament", "list")).out == "no tournaments yet\n"
        assert (await ask("tournament", "list", "--format", "json")).rows == []
        for name in ("first", "second"):
            await ask("tournament", "create", GAME, "ada", "bob", "--no-start", "--name", name)
        rows = (await ask("tournament", "list")).out.splitlines()[2:-1]
        assert [row.split()[:8] for row in rows] == [
            ["2", "second", GAME, "round", "robin", "created", "2", "0/2"],
            ["1", "first", GAME, "round", "robin", "created", "2", "0/2"],
        ]


@pytest.mark.slow
async def test_a_bot_that_never_came_is_withdrawn_and_shown_so(server: Any) -> None:
    async with welcomed(server.websocket_url, "ada"), welcomed(server.websocket_url, "bob"):
        pass
    result = await ask("tournament", "create", GAME, "ada", "bob", "--absence-timeout", "1", "--follow")
    assert "(withdrawn)" in result.out
    rows = await status_as_csv(1)
    assert {row["bot"] for row in rows} == {"ada", "bob"}
    assert [row["withdrawn"] for row in rows] == ["True", "True"]


async def test_a_large_crosstable_becomes_a_list_on_a_narrow_terminal() -> None:
    names = [f"Team number {number}" for number in range(12)]
    async with serving() as server, contextlib.AsyncExitStack() as stack:
        for name in names:
            await stack.enter_async_context(welcomed(server.websocket_url, name))
        await ask("tournament", "create", GAME, *names, "--no-start")
        result = await ask("tournament", "status", "1", columns=80)
        assert max(map(len, result.out.splitlines())) <= 80
        assert all(name in result.out for name in names)
        assert "left out on this narrow terminal: SB, 1, 2, 3" in result.err


@pytest.mark.slow
async def test_a_swiss_is_created_entered_rested_withdrawn_from_and_shown() -> None:
    async with serving() as server, three_players(server):
        made = await ask("tournament", "create", GAME, *NAMES[:2], "-f", "swiss", "--rounds", "2", "--no-start")
        assert made.out.endswith("is created: 2 games\n")
        entered = await ask("tournament", "enter", "1", NAMES[2])
        assert entered.out.endswith("has 3 bots and is created\n")
        assert "in the next round of tournament 1" in (await ask("tournament", "bye", "1", NAMES[2])).out
        assert (await ask("tournament", "change", "1")).sentence.startswith("name what to change, such as --name")
        changed = await ask("tournament", "change", "1", "--name", "Cup", "--rounds", "3", "--time", "10+0")
        assert changed.out == "tournament 1 (Cup) is changed\n"
        await ask("tournament", "start", "1")
        result = await ask("tournament", "status", "1", "--follow")
        assert result.out.splitlines()[0] == f"tournament 1: Cup, {GAME}, Swiss, 10+0"
        assert "Swiss" in result.out.splitlines()[0]
        assert {"BH-1", "BH", "SB"} <= set(result.out.split())
        headings = next(line for line in result.out.splitlines() if line.startswith("#"))
        assert headings.endswith("game points")
        assert headings.count("games") == 1
        assert f"byes: {NAMES[2]} in round 1" in result.out
        assert "the first seat: " in result.out
        assert {row["bot"] for row in await status_as_csv(1)} == set(NAMES)
        assert (await ask("tournament", "enter", "1", NAMES[2])).sentence == f"{NAMES[2]} has entered Cup already"


@pytest.mark.slow
async def test_every_format_is_created_by_command_and_a_bot_is_withdrawn() -> None:
    async with serving() as server, three_players(server):
        for words in (["knockout"], ["ladder", "--games", "8"], ["gauntlet"], ["sprt", "--games", "4"]):
            bots = NAMES[:2] if words[0] == "sprt" else NAMES
            result = await ask("tournament", "create", GAME, *bots, "--format", *words, "--follow")
            assert (result.status, "\nended, " in result.out) == (0, True)
            assert ("LLR" in result.out) == (words[0] == "sprt")
        await ask("tournament", "create", GAME, *NAMES, "--no-start", "--start-in", "3600", "--enter-all")
        assert "created, starts in 60 min, " in (await ask("tournament", "status", "5")).out
        assert "is withdrawn from tournament 5" in (await ask("tournament", "withdraw", "5", NAMES[0])).out
        assert (await ask("tournament", "create", GAME, *NAMES, "--format", "golf")).sentence.startswith("there is no")


@pytest.mark.slow
async def test_a_file_of_openings_gives_a_tournament_its_own(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    async with serving() as server, three_players(server):
        file.write_text("# two lines\n\nb2 ; the middle\na1 c3\n")
        await ask("tournament", "create", GAME, *NAMES, "--openings", str(file), "--follow")
        found = (await ask("tournament", "status", "1", "--format", "json")).rows
        assert found["settings"]["openings"] == ["b2", "a1 c3"]
        file.write_text("# nothing\n")
        assert "there is no opening in" in (await ask("tournament", "create", GAME, "--openings", str(file))).sentence
        result = await ask("tournament", "create", GAME, *NAMES, "--openings", str(tmp_path / "none"))
        assert "the openings cannot be read from" in result.sentence
        file.write_text("a1 a1\n")
        result = await ask("tournament", "create", GAME, *NAMES, "--openings", str(file))
        assert result.sentence.startswith(f"{file}: opening 1, 'a1 a1', is neither")
        file.write_text("b2\n" * 1_001)
        result = await ask("tournament", "create", GAME, *NAMES, "--openings", str(file))
        assert result.sentence.startswith(f"{file}: the request's body is wrong: openings is a list of 1001; ")


@pytest.mark.slow
async def test_a_graded_gauntlet_is_created_and_its_grades_are_told() -> None:
    async with serving() as server, three_players(server):
        words = ("--format", "gauntlet", "--name", "Friday", "--staff", "eve=4@25-75", "--follow")
        assert (await ask("tournament", "create", GAME, "ada", "bob", *words)).status == 0
        found = (await ask("tournament", "grades", "1", "--format", "json")).rows
        assert found["staff"] == [
            {"bot": "eve", "points": 4.0, "nothing_to": 25.0, "all_from": 75.0, "withdrawn": False}
        ]
        grades = {line["bot"]: line["grade"] for line in found["lines"]}
        assert grades.keys() == {"ada", "bob"}
        result = await ask("tournament", "grades", "1")
        assert result.out.startswith("tournament 1: Friday, ended, 4 of 4 games, at most 4 points\n")
        assert result.out.count("/2") == 2
        rows = csv.DictReader(io.StringIO((await ask("tournament", "grades", "1", "--format", "csv")).out))
        assert {row["bot"]: float(row["grade"]) for row in rows} == grades
        result = await ask("tournament", "grades", "1", "--grades-for", "moodle", "--assignment", "Bots & games")
        rows = csv.DictReader(io.StringIO(result.out))
        assert {row["Username"]: float(row["Bots & games"]) for row in rows} == grades


async def test_what_has_no_grades_says_so() -> None:
    async with serving() as server, ada_and_bob(server):
        await ask("tournament", "create", GAME, "ada", "bob", "--no-start")
        assert (await ask("tournament", "grades", "1")).sentence == "tournament 1 is not graded"
        result = await ask("tournament", "create", GAME, "bob", "--staff", "ada=much")
        assert "not 'ada=much'" in result.sentence
        result = await ask("tournament", "create", GAME, "bob", "--staff", "ada=4")
        assert "only a gauntlet is graded" in result.sentence


@pytest.mark.parametrize(
    ("number", "words"), [(1, "1 game repeats an earlier one"), (2, "2 games repeat an earlier one")]
)
def test_games_that_repeat_another_are_counted_under_the_table(number: int, words: str) -> None:
    found = {"settings": {}, "decision": "", "byes": [], "endings": {}, "first_mover": {"score": None}}
    assert _notes(found | {"duplicates": number})[0].startswith(words)
