"""The page of a tournament and the list of them, from stored tournaments."""

from __future__ import annotations

import html
import re

import pytest

from tabiya.server.web.pages import paging, rounds, tournaments
from tests.server.web.page_reader import Page
from tests.server.web.stored_tournaments import stored_tournament
from tests.server.web.web_server import WebServer

NAMES = tuple(f"bot{number}" for number in range(13))


async def page_of(web: WebServer, path: str) -> str:
    answer = await web.get(path)
    assert answer.status == 200, answer.text
    read = Page(answer.text)
    assert read.faults == []
    return re.sub(r"\s+", " ", html.unescape(read.words))


@pytest.mark.parametrize("status", ["running", "paused", "cancelled", "ended"])
@pytest.mark.parametrize("form", ["round_robin", "swiss", "knockout", "gauntlet"])
async def test_every_format_has_a_whole_page_in_every_state(web: WebServer, form: str, status: str) -> None:
    share = 1.0 if status == "ended" else 0.5
    tournament = await stored_tournament(web.store, form, NAMES[:6], share=share, status=status)  # type: ignore[arg-type]
    words = await page_of(web, f"/tournaments/{tournament}")
    assert status in words
    assert ("Champion" in words) == (form == "knockout")
    assert ("R1, R2" in words) == (form == "swiss")


async def test_a_gauntlet_has_columns_for_its_challengers_alone(web: WebServer) -> None:
    number = await stored_tournament(web.store, "gauntlet", NAMES[:6], challengers=2)
    text = (await web.get(f"/tournaments/{number}")).text
    lines = (await web.json(f"/api/v1/tournaments/{number}"))["lines"]
    challengers = [(at, line["bot"]) for at, line in enumerate(lines, 1) if line["note"] == "challenger"]
    assert re.findall(r'<th class="cell" title="([^"]+)">(\d+)</th>', text) == [
        (name, str(at)) for at, name in challengers
    ]
    assert text.count('class="cell self"') == 2


async def test_one_that_does_not_go_on_says_why_and_stays_live_while_a_game_is_under_way(web: WebServer) -> None:
    pages = {}
    for status in ("created", "paused", "cancelled", "ended"):
        share = 0.0 if status == "created" else 1.0 if status == "ended" else 0.5
        number = await stored_tournament(web.store, "knockout", NAMES[:6], share=share, name=status, status=status)
        pages[status] = (await web.get(f"/tournaments/{number}")).text
        assert ("data-live=" in pages[status]) == (status != "ended")
        assert (f"tabiya tournament start {number}<" in pages[status]) == (status in ("created", "paused"))
    assert "Cancelled; results so far count, running games are played to the end." in pages["cancelled"]
    assert "undecided" in pages["cancelled"]


async def test_a_cell_leads_to_the_games_of_its_two_and_marks_the_one_that_runs(web: WebServer) -> None:
    tournament = await stored_tournament(web.store, "round_robin", NAMES[:6], share=0.5)
    answer = await web.json(f"/api/v1/tournaments/{tournament}")
    running = next(game for game in answer["games"] if game["state"] == "running")
    one, two = running["players"]
    text = (await web.get(f"/tournaments/{tournament}")).text
    cell = next(cell for cell in text.split("<td ") if f'href="?of={one}-{two}#games"' in cell)
    assert 'class="cell' in cell
    assert "runs" in cell.split(">")[0]
    assert text.count(" runs") == 2 * answer["running"]
    words = await page_of(web, f"/tournaments/{tournament}?of={one}-{two}")
    games = [game for game in answer["games"] if set(game["players"]) == {one, two} and game["match"]]
    assert f"Games of {running['bots'][0]} and {running['bots'][1]}" in words
    assert words.count(" line ") + words.count("full board ") + words.count(" running ") >= len(games)


async def test_a_large_table_comes_in_parts_and_can_be_searched(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "ROWS_SHOWN", 10)
    tournament = await stored_tournament(web.store, "swiss", NAMES, share=0.1, rounds=2)
    path = f"/tournaments/{tournament}"
    first, second = [(await web.get(f"{path}?page={number}")).text for number in (1, 2)]
    assert [text.count('scope="row" class="who"') for text in (first, second)] == [10, 3]
    found = (await web.get(f"{path}?search=BOT1")).text
    assert found.count('scope="row" class="who"') == 4
    assert "No bot name contains" in await page_of(web, f"{path}?search=nobody")


async def test_a_link_to_another_part_keeps_what_else_was_asked_for(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "ROWS_SHOWN", 10)
    monkeypatch.setattr(tournaments, "GAMES_SHOWN", 3)
    monkeypatch.setattr(rounds, "MAX_PAIRINGS", 3)
    tournament = await stored_tournament(web.store, "swiss", NAMES, share=0.9, rounds=4)
    path = f"/tournaments/{tournament}"

    async def links(query: str) -> list[str]:
        return Page((await web.get(f"{path}?{query}")).text).links

    plain = await links("search=bot")
    assert {"?search=bot&page=2", "?search=bot&rounds=all", "?search=bot&games=all#games"} <= set(plain)
    assert "?search=bot&page=2&rounds=all" in await links("search=bot&page=2")
    onwards = await links("search=bot&games=all&rounds=all&of=1-2&page=2")
    assert "?search=bot&games=all&rounds=all&of=1-2" in onwards  # the part before
    assert "?search=bot&games=all&rounds=all&page=2#games" in onwards  # the games of all
    cells = [link for link in onwards if "&of=" in link and link.endswith("#games")]
    assert cells
    assert all(link.startswith("?search=bot&games=all&rounds=all&page=2&of=") for link in cells)


async def test_the_sum_behind_a_tie_break_stands_in_its_row(web: WebServer) -> None:
    tournament = await stored_tournament(web.store, "swiss", NAMES[:6])
    answer = await web.json(f"/api/v1/tournaments/{tournament}")
    words = await page_of(web, f"/tournaments/{tournament}")
    line = answer["lines"][0]
    bots = {each["number"]: each["bot"] for each in answer["lines"]}
    for name, sums in line["sums"].items():
        assert sum(term["times"] * term["points"] for term in sums) == line["tie_breaks"][name]
    summed = re.search(r"BH ([0-9.]+) = ([^A-Z]*)", words)
    assert summed
    assert float(summed[1]) == line["tie_breaks"]["buchholz"]
    assert all(f"({bots[term['opponent']]})" in summed[2] for term in line["sums"]["buchholz"])


async def test_the_list_has_what_runs_first_then_what_comes_then_what_is_over_then_what_was_cancelled(
    web: WebServer,
) -> None:
    for name, status in (("old", "ended"), ("soon", "created"), ("now", "running"), ("gone", "cancelled")):
        await stored_tournament(web.store, "round_robin", NAMES[:3], name=name, status=status, share=0)  # type: ignore[arg-type]
    words = await page_of(web, "/tournaments")
    parts = ("Running now", "Coming soon", "Over old ended", "Cancelled gone cancelled")
    order = [words.index(part) for part in parts]
    assert order == sorted(order)


async def test_a_long_list_comes_in_parts_and_is_searched_by_name_or_game(web: WebServer) -> None:
    for number in range(26):
        await stored_tournament(web.store, "round_robin", NAMES[:2], name=f"cup {number:02}", status="ended", share=0)
    assert "1 to 24 of 26 tournaments" in await page_of(web, "/tournaments")
    assert "cup 00" in await page_of(web, "/tournaments?page=2")
    words = await page_of(web, "/tournaments?search=CUP+07")
    assert ("cup 07" in words, "cup 08" in words) == (True, False)
    assert "cup 25" in await page_of(web, "/tournaments?search=tic-tac")
    assert "Show all 26" in await page_of(web, "/tournaments?search=nothing")


async def test_an_empty_list_says_what_to_type(web: WebServer) -> None:
    assert "tabiya tournament create" in await page_of(web, "/tournaments")
    for name in ("ada", "Team 7"):
        await web.bot(name, lambda turn: None)
    await web.store.put_setting("after", "the page that was kept")
    words = await page_of(web, "/tournaments?search=")
    assert "ada 'Team 7' --name \"Friday cup\" --format swiss" in words
