"""The page of a bot, and that of two bots."""

from __future__ import annotations

import pytest

from tabiya.games.registry import title
from tabiya.protocol.messages import Resign
from tabiya.server.archive.reviews import encoded
from tabiya.server.web.pages import records
from tabiya.storage.records import MatchId
from tests.server.archive.test_reviews import judged_move
from tests.server.web.pages.shown import page
from tests.server.web.web_server import DRAW, LINE, WebServer

TWO = "/head-to-head?game=tictactoe&first=ada&second=bob"


async def test_a_bot_shows_its_record_by_opponent_seat_ending_opening_version_and_move(web: WebServer) -> None:
    won = await web.play(LINE)
    drawn = await web.play(DRAW)
    read = await page(web, "/bots/bob")
    assert {f"/matches/{won}", f"/matches/{drawn}"} <= set(read.links)
    assert "/play?opponent=bob&game=tictactoe" in read.links
    assert "/head-to-head?game=tictactoe&first=bob&second=ada" in read.links
    words = (
        title("tictactoe"),
        "connected",
        "0 won, 1 drawn, 1 lost",
        "By seat",
        "line",
        "full board",
        "a1 a2",
        "a1 b1",
    )
    assert [each for each in (*words, "Mean time", "1.0", "Time per move", "move 4") if each not in read.words] == []
    lost = read.text[read.text.index("Lost last") : read.text.index("Last matches")]
    assert (f"/matches/{won}" in lost, f"/matches/{drawn}" in lost) == (True, False)


async def test_reviewed_lost_matches_show_their_costliest_move(web: WebServer) -> None:
    blunder, flawless, open_ = [await web.play(LINE) for _ in range(3)]
    for match, cost in ((blunder, 0.8), (flawless, 0.0)):
        judged = [judged_move(ply, ply % 2, cost if ply else 0.9, best="b3") for ply in range(5)]
        await web.store.keep_review(MatchId(match), "an engine", encoded(judged))
    empty = await web.begin("")
    web.bots["bob"].say(Resign(match=empty))
    await web.ends(empty)
    read = await page(web, "/bots/bob")
    rows = read.text[read.text.index("Lost last") : read.text.index("Last matches")].split("<tr>")[2:]
    sentences = ("cost 0.80", "nothing that", "not reviewed", "")
    assert [next(words for words in sentences if words in row) for row in rows] == [*reversed(sentences)]
    assert f'<a href="/matches/{blunder}?ply=2">move 2, </a>: cost 0.80, better b3' in rows[3]
    assert f'data-review="{open_}" data-seat="1"' in rows[1]


async def test_a_bot_of_several_games_shows_one_at_a_time(web: WebServer) -> None:
    await web.play(LINE)
    await web.play(LINE)
    await web.play("a1", game="nim", options={"heaps": "1"})
    usual = await page(web, "/bots/ada")
    assert 'href="?game=tictactoe" aria-current="page"' in usual.text
    other = await page(web, "/bots/ada?game=nim")
    endings = other.words.split("How its rated games ended")[1].split("Versions")[0]
    assert ("last object" in endings, "line" in endings) == (True, False)
    await page(web, "/bots/ada?game=halma", 404)


async def test_a_bot_without_a_game_says_so(web: WebServer) -> None:
    await web.store.create_bot("new", created_at=0.0)
    assert "No finished games yet" in (await page(web, "/bots/new")).words


async def test_after_some_games_the_rating_history_is_a_line_with_its_numbers_beneath(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for game in range(8):
        await web.play(LINE, bots=("ada", "bob") if game % 2 else ("bob", "ada"))
    read = await page(web, "/bots/ada")
    assert "in 2 windows of up to 4 games" in read.words
    assert read.text.count('class="dot"') == 2
    monkeypatch.setattr(records, "OPPONENTS_SHOWN", 0)
    assert "?game=tictactoe&opponents=all" in (await page(web, "/bots/ada")).links


async def test_two_bots_are_compared_by_their_games_and_by_all(web: WebServer) -> None:
    asked = await page(web, "/head-to-head")
    assert "Choose a game and two bots" in asked.words
    won = await web.play(LINE)
    drawn = await web.play(DRAW, bots=("bob", "ada"))
    read = await page(web, TWO)
    assert {f"/matches/{won}", f"/matches/{drawn}", "/bots/ada"} <= set(read.links)
    for words in (
        "won 1, drew 1 and lost 0 of 2 rated games",
        "Score of the first75",
        "full board",
        "Games still needed",
    ):
        assert words in read.words.replace("\n", ""), words
    assert "1½" in read.words
    await page(web, TWO.replace("bob", "nobody"), 404)
    await page(web, TWO.replace("tictactoe", "halma"), 404)


async def test_two_bots_that_have_not_met_are_compared_by_what_they_did_against_others(web: WebServer) -> None:
    await web.play(LINE)
    await web.play(LINE, bots=("bob", "eve"))
    words = (await page(web, TWO.replace("bob", "eve"))).words
    assert "no rated games of Tic-tac-toe against each other yet. The numbers below" in words
    assert "Difference of ratings" in words


async def test_what_these_pages_show_is_in_the_api(web: WebServer) -> None:
    won = await web.play(LINE)
    await web.play(LINE, bots=("bob", "ada"))
    bot = await web.json("/api/v1/bots/bob/games/tictactoe")
    assert bot["lost"] == [won]
    [ada] = bot["opponents"]
    assert (ada["bot"], ada["wins"], ada["losses"], ada["score"]) == ("ada", 1, 1, 0.5)
    assert [(seat["name"], seat["games"]) for seat in bot["seats"]] == [("X", 1), ("O", 1)]
    assert bot["openings"] == [
        {"start": "", "moves": ["a1", "a2"], "readable": "a1 a2", "score": 0.5}
        | {"games": 2, "wins": 1, "draws": 0, "losses": 1}
    ]
    assert [line["move"] for line in bot["thinking"]] == [1, 2, 3]
    met = await web.json("/api/v1/standings/tictactoe/head-to-head?first=ada&second=bob")
    assert met["endings"] == [{"ending": "line", "wins": 1, "draws": 0, "losses": 1}]
    assert met["score_low"] < met["score"] == 0.5 < met["score_high"]
    assert met["seats"][0]["expected"] > met["seats"][1]["expected"]  # who moves first has won both
