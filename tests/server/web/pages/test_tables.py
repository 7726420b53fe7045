"""The pages of standings and bots: shown a part at a time, sorted, searched, and every two compared."""

from __future__ import annotations

import pytest

from tabiya.server.web.pages import paging
from tests.server.local_bots import silent
from tests.server.web.pages.shown import page
from tests.server.web.web_server import LINE, WebServer

STANDINGS = "/standings/tictactoe"


async def test_the_standings_show_rating_interval_and_how_games_were_lost(web: WebServer) -> None:
    await web.play(LINE)
    read = await page(web, STANDINGS)
    for words in ("ada", "bob", "1.0", "±", "100\u202f%", "line 1"):
        assert words in " ".join(read.words.split(" ")), words
    moved = await web.get("/standings")
    assert (moved.status, moved.headers["Location"]) == (302, "/standings/tictactoe")


async def test_long_standings_come_in_parts_or_all_at_once_and_keep_what_else_was_asked_for(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "ROWS_SHOWN", 1)
    await web.play(LINE)
    first = await page(web, f"{STANDINGS}?pooled=true&sort=games")
    assert (first.text.count('class="interval"'), "1 to 1 of 2 rows" in first.words) == (1, True)
    [onwards] = [link for link in first.links if "page=2" in link]
    assert {"pooled=true", "sort=games"} < set(onwards.lstrip("?").split("&"))
    second = await page(web, STANDINGS + onwards)
    assert (second.text.count('class="interval"'), "2 to 2 of 2 rows" in second.words) == (1, True)
    assert (await page(web, f"{STANDINGS}?page=99")).words.count("2 to 2 of 2 rows") == 1
    every = await page(web, f"{STANDINGS}?rows=all&pooled=true")
    assert (every.text.count('class="interval"'), "of 2 rows" in every.words) == (2, False)


async def test_a_click_on_a_heading_sorts_by_it_and_another_turns_the_order_round(web: WebServer) -> None:
    await web.play(LINE, bots=("bob", "ada"))
    await web.play(LINE, bots=("bob", "eve"))

    async def order(asked: str) -> list[str]:
        text = (await page(web, STANDINGS + asked)).text
        return sorted(("ada", "bob", "eve"), key=lambda name: text.index(f'data-key="{name} '))

    assert (await order(""))[0] == "bob"
    assert await order("?sort=bot") == ["ada", "bob", "eve"]
    assert await order("?sort=bot&order=turned") == ["eve", "bob", "ada"]
    assert (await order("?sort=games"))[0] == "bob"
    read = await page(web, f"{STANDINGS}?sort=bot")
    assert "?sort=bot&order=turned" in read.links
    assert read.text.count("aria-sort") == read.text.count('aria-sort="ascending"') == 1
    assert (await web.get(f"{STANDINGS}?sort=nonsense")).status == 400


async def test_games_of_some_bots_or_days_are_chosen_in_a_form_that_keeps_what_was_chosen(web: WebServer) -> None:
    await web.play(LINE)
    await web.play(LINE, bots=("ada", "eve"))
    read = await page(web, f"{STANDINGS}?among=ada,bob&since=2001-01-01")
    assert read.text.count('data-key="eve ') == 0
    assert ('name="among" value="ada,bob"' in read.text, 'value="2001-01-01"' in read.text) == (True, True)
    assert '/expected?since=2001-01-01&amp;among=ada%2Cbob"' in read.text
    assert "<details open>" in read.text
    nothing = await page(web, f"{STANDINGS}?until=2001-01-01")
    assert "No rated games of Tic-tac-toe match. All games" in nothing.words
    assert "<details>" in (await page(web, STANDINGS)).text


async def test_names_are_searched_whatever_their_case(web: WebServer) -> None:
    await web.play(LINE)
    read = await page(web, f"{STANDINGS}?search=AD")
    assert ("/bots/ada" in read.links, "/bots/bob" in read.text.split("<tbody")[1]) == (True, False)
    assert "No rows match" in (await page(web, f"{STANDINGS}?search=zzz")).words


async def test_the_rows_show_what_they_are_expected_to_score_against_a_marked_one(web: WebServer) -> None:
    await web.play(LINE)
    unmarked = await page(web, f"{STANDINGS}?pooled=true")
    assert "?pooled=true&against=ada" in unmarked.links
    read = await page(web, f"{STANDINGS}?pooled=true&against=ada")
    [row] = (await web.json("/api/v1/standings/tictactoe/expected?bot=ada&pooled=true"))["rows"]
    assert row["bot"] == "bob"
    assert row["low"] < row["score"] < 0.5 < row["high"]
    assert f"{100 * row['score']:.0f}\u202f% {100 * row['low']:.0f} to {100 * row['high']:.0f}" in read.words
    assert "the others" in read.words
    assert (await web.get(f"{STANDINGS}?against=nobody")).status == 404
    assert (await web.json("/api/v1/standings/tictactoe/expected?bot=ada"))["version"] == "1.0"


async def test_of_several_pools_one_can_be_shown_alone(web: WebServer) -> None:
    await web.play(LINE)
    await web.play(LINE, bots=("eve", "tim"))
    read = await page(web, f"{STANDINGS}?pool=2")
    assert "?pool=1" in read.links
    assert sum(f'data-key="{name} ' in read.text for name in ("ada", "bob", "eve", "tim")) == 2


async def test_the_standings_can_be_of_one_time_control_and_say_which_there_are(web: WebServer) -> None:
    await web.play(LINE)
    assert 'name="time"' not in (await page(web, STANDINGS)).text
    await web.play(LINE)
    await web.play(LINE, bots=("bob", "eve"), control="none")
    read = await page(web, f"{STANDINGS}?pooled=true&pool=1")
    assert "All time controls 60+0.5 (2 games) no clock (1 game) Show" in " ".join(read.words.split())
    form = read.text.split('<form class="filters" method="get">')[1].split("</form>")[0]
    assert ('name="pooled"' in form, 'name="pool"' in form) == (True, False)
    quick = await page(web, f"{STANDINGS}?time=60%2B0.5&against=ada&version=1.0")
    assert "2 rated games with 60+0.5" in quick.words
    assert '<option value="60+0.5" selected>' in quick.text
    assert ('data-key="ada ' in quick.text, 'data-key="eve ' in quick.text) == (True, False)
    assert f"{STANDINGS}?time=60%2B0.5&pooled=true" in quick.links
    [row] = (await web.json(f"/api/v1{STANDINGS}/expected?time=60%2B0.5&bot=ada"))["rows"]
    assert f"{100 * row['score']:.0f}\u202f% {100 * row['low']:.0f} to {100 * row['high']:.0f}" in quick.words
    nobody = await page(web, f"{STANDINGS}?time=7&pooled=true")
    assert "No rated games of Tic-tac-toe with 7+0 yet. All time controls" in nobody.words
    assert f"{STANDINGS}?pooled=true" in nobody.links
    assert '<option value="7+0" selected>7+0</option>' in nobody.text


async def test_the_standings_show_the_game_itself_pools_anchors_and_how_likely_one_is_better(web: WebServer) -> None:
    await web.play(LINE)
    await web.play(LINE, bots=("eve", "tim"))
    read = await page(web, "/standings/tictactoe?anchors=ada%3D2000")
    for words in ("2 pools that no game connects", "Pool 2", "anchor", "2000", "First-mover advantage", "Over next"):
        assert words in read.words, words
    assert "2 won by the first seat, 0 drawn, 0 won by the second" in read.words
    assert "/standings/tictactoe?anchors=ada%3D2000&pooled=true" in read.links
    assert "All versions together" in read.words
    assert (await web.get("/standings/tictactoe?anchors=ada")).status == 400


async def test_bots_with_numbers_are_listed_by_them(web: WebServer) -> None:
    for name in ("Team 10", "Team 9", "team", "7 up"):
        await web.store.create_bot(name, created_at=0.0)
    found = (await page(web, "/bots")).text
    listed = ("7 up", "team", "Team 9", "Team 10")
    assert [found.index(f'data-key="{name}"') for name in listed] == sorted(
        found.index(f'data-key="{name}"') for name in listed
    )


async def test_bots_are_listed_in_parts_the_connected_first_and_can_be_searched(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await web.store.create_bot("aaa", created_at=0.0)
    await web.bot("zoe", silent, games=("nim",))
    read = await page(web, "/bots")
    assert read.text.index('data-key="zoe"') < read.text.index('data-key="aaa"')
    assert "2 bots, 1 connected" in read.words
    assert "/play?opponent=zoe&game=nim" in read.links
    assert "aaa" not in (await page(web, "/bots?here=true")).words
    assert "zoe" not in (await page(web, "/bots?search=A")).words
    monkeypatch.setattr(paging, "ROWS_SHOWN", 1)
    assert "/bots/aaa" in (await page(web, "/bots?page=2")).links
