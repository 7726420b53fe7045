"""Every page: complete without a script, safe whatever bots are called, and fresh."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections import deque
from typing import Any
from urllib.parse import quote

import pytest
from aiohttp.web import Request

from tabiya.explorer.explorer import Explorer
from tabiya.games.registry import names
from tabiya.protocol.messages import Move, MoveInfo
from tabiya.server.web.pages import pages, tournaments
from tabiya.storage.records import (
    BotId,
    MatchId,
    NewTournament,
    ResultRecord,
    SeatRecord,
    TournamentEntry,
    TournamentStatus,
)
from tests.server.local_bots import first_legal, silent
from tests.server.web.page_reader import Page
from tests.server.web.pages.shown import page
from tests.server.web.stored_tournaments import stored_tournament
from tests.server.web.web_server import LINE, WebServer
from tests.storage.samples import NOON, move, new_match

PLAN = {"name": "class cup", "game": "nim", "bots": ["ada", "bob", "eve"], "seed": 4}
HOSTILE = "\"'><script src=//evil.example>alert(1)</script><img src=x onerror=alert(1)>{{7*7}}&amp;"


async def test_an_empty_server_shows_every_page(web: WebServer) -> None:
    for path in (
        "/",
        "/tournaments",
        "/matches",
        "/bots",
        "/play",
        "/projector",
        "/about",
        *(f"/standings/{game}" for game in names()),
    ):
        await page(web, path)
    home = await page(web, "/")
    assert "0 matches running" in home.words
    for command in ("bot greedy --game reversi", "tournament create reversi --enter-all"):
        assert f"tabiya {command} --server {web.url}" in home.words
    assert (await web.get("/standings")).headers["Location"] == f"/standings/{names()[0]}"
    await web.play(LINE)
    assert "tabiya bot greedy" not in (await page(web, "/")).words


async def test_the_first_page_shows_the_tournaments_that_go_on_and_then_the_newest_that_have_ended(
    web: WebServer,
) -> None:
    bots = ("ada", "bob")
    await stored_tournament(web.store, "round_robin", bots, name="now", share=0.5)
    for number in range(8):
        status: TournamentStatus = "ended" if number % 2 else "cancelled"
        await stored_tournament(web.store, "round_robin", bots, name=f"over {number}", status=status, share=0)
    shown = re.findall(r"now|over \d", (await page(web, "/")).words.split("Tournaments")[-1])
    assert shown == ["now", "over 7", "over 5", "over 3", "over 1"]


SHEETS = "/explore/exercises"


@pytest.mark.slow  # the explorer's process makes a sheet
async def test_every_link_of_every_page_leads_somewhere(web: WebServer) -> None:
    web.server.explorer = Explorer(processes=1)
    await web.play(LINE, bots=("ada", "a/../b?&#"[:6] + " (x)"))
    await web.begin("a1 a2")
    for name in ("ada", "bob", "eve"):
        await web.bot(name, first_legal, max_matches=5)
    assert (await web.post("/api/v1/tournaments", PLAN)).status == 201
    seen, waiting = {"/"}, deque(["/"])
    while waiting:
        path = waiting.popleft()
        answer = await web.get(path)
        assert answer.status in (200, 302), path
        if answer.headers.get("Content-Type", "").startswith("text/html"):
            for address in Page(answer.text).addresses(path):
                endless = path.startswith(SHEETS) and address.startswith(SHEETS)  # each leads to another one
                if address not in seen and not endless:
                    seen.add(address)
                    waiting.append(address)
    assert len(seen) > 30
    assert {f"/standings/{game}" for game in names()} <= seen


async def test_what_goes_on_shows_boards_tournaments_standings_and_results_and_can_be_followed(web: WebServer) -> None:
    ended = await web.play(LINE)
    running = await web.begin("a1 a2", bots=("ada", "eve"))
    await web.at_ply(running, 2)
    read = await page(web, "/")
    assert "1 match running" in read.words
    assert f"/matches/{running}" in read.links
    assert any(link.startswith(f"/api/v1/matches/{running}/picture/2.svg?v=") for link in read.links)
    assert f"/matches/{ended}" in read.links
    assert web.server.websocket_url in read.words
    assert "/standings/tictactoe" in read.links
    assert 'data-live="yes"' in (await web.get(f"/matches/{running}")).text
    assert "ada is thinking" in (await page(web, f"/matches/{running}")).words


async def test_a_tournament_refreshes_itself_until_it_is_over_and_shows_a_long_list_on_demand(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ada", "bob", "eve"):
        await web.bot(name, silent)
    made = (await web.post("/api/v1/tournaments", PLAN | {"start": False})).json
    path = f"/tournaments/{made['id']}"
    assert "<body data-live" in (await web.get(path)).text
    assert "0 of 6 games" in (await page(web, path)).words
    for bot in web.bots.values():
        bot.choose = first_legal
    await web.post(f"/api{path}/start", {})
    await web.tournament_ends()
    read = await page(web, path)
    for words in ("class cup", "ended", "6 of 6 games", "Crosstable", "SB", "last object", "How games ended"):
        assert words in read.words
    assert {f"/matches/{number}" for number in range(1, 7)} <= set(read.links)
    assert "<body data-live" not in (await web.get(path)).text
    monkeypatch.setattr(tournaments, "GAMES_SHOWN", 2)
    assert "Show 4 more" in (await page(web, path)).words
    assert "more" not in (await page(web, f"{path}?games=all")).words


async def test_a_match_shows_why_it_ended_and_every_move_with_its_time(web: WebServer) -> None:
    match = await web.play(LINE)
    answer = await web.get(f"/matches/{match}")
    read = await page(web, f"/matches/{match}")
    assert "1-0" in read.words
    assert "ada completed a line against bob" in read.words
    for ply, text in enumerate(LINE.split(), 1):
        assert f"?ply={ply}" in read.links
        assert f">{text}</a>" in answer.text
    assert " ms" in read.words
    assert 'data-live="no"' in answer.text
    assert any(link.startswith(f"/api/v1/matches/{match}/picture/5.svg") for link in read.links)


async def test_a_match_can_be_opened_at_any_move(web: WebServer) -> None:
    match = await web.play(LINE)
    for asked, shown in (("2", 2), ("0", 0), ("99", 5), ("x", 5), ("-1", 5), ("9" * 50, 5)):
        read = await page(web, f"/matches/{match}?ply={asked}")
        assert any(link.startswith(f"/api/v1/matches/{match}/picture/{shown}.svg") for link in read.links)
        assert f"{shown} / 5" in read.words


async def test_a_frozen_match_says_whose_fault_it_was(web: WebServer, errors_expected: None) -> None:
    match = await web.begin("a1 a2")
    await web.freeze(match)
    words = (await page(web, f"/matches/{match}")).words
    assert "A server error stopped this match" in words


async def test_what_a_bot_said_of_its_thinking_is_shown(web: WebServer) -> None:
    match = await web.begin("")
    info = MoveInfo(depth=9, score=125, nodes=1_204_000, pv=("b2", "c3"), text="hm <b>")
    web.bots["ada"].say(Move(match=match, ply=0, move="a1", info=info))
    await web.at_ply(match, 1)
    assert "depth 9, +1.25, 1,204,000 nodes, b2 c3, hm <b>" in (await page(web, f"/matches/{match}")).words


async def test_matches_can_be_filtered_by_a_form_with_empty_fields_and_older_ones_are_a_link_away(
    web: WebServer,
) -> None:
    first = await web.play(LINE)
    second = await web.begin("", game="nim", bots=("ada", "eve"))
    read = await page(web, "/matches?game=nim&bot=&status=")
    assert f"/matches/{second}" in read.links
    assert f"/matches/{first}" not in read.links
    await page(web, "/matches?bot=nobody", 404)
    await page(web, "/matches?status=asleep", 400)
    await web.play(LINE)
    [older] = [link for link in (await page(web, "/matches?bot=bob&limit=1")).links if "before=" in link]
    links = (await page(web, older)).links
    assert (f"/matches/{first}" in links, f"/matches/{second}" in links) == (True, False)


async def test_what_does_not_exist_is_a_page_that_says_so(web: WebServer) -> None:
    missing = ("nothing", "matches/7", "matches/x", "tournaments/7", "bots/nobody", "standings/halma", "static/x")
    for path in missing:
        assert "There is no" in (await page(web, f"/{path}", 404)).words


async def test_texts_of_strangers_are_shown_as_text_and_never_run(web: WebServer) -> None:
    ada, bob = [await web.store.create_bot(f"{HOSTILE}{n}", created_at=NOON, guest=True) for n in range(2)]
    seats = tuple(SeatRecord(bot_id=bot.id, bot=bot.name, version=HOSTILE) for bot in (ada, bob))
    number = itertools.count()
    tournament = await web.store.create_tournament(
        NewTournament(
            name=HOSTILE,
            game="reversi",
            format="round_robin",
            settings={"time_control": "60+0.5"},
            seed=1,
            state={"marks": "1."},
            entries=tuple(
                TournamentEntry(number=next(number), bot_id=BotId(bot.id), bot=bot.name, version=HOSTILE)
                for bot in (ada, bob)
            ),
            created_at=NOON,
        )
    )
    match = await web.store.create_match(
        new_match(
            (ada, bob), seats=seats, options={HOSTILE: HOSTILE}, tournament_id=tournament, pairing=0, game_index=0
        )
    )
    await web.store.append_move(move(match, 2, "c4", info={"text": HOSTILE, "pv": [HOSTILE]}))
    result = ResultRecord(match_id=match, winner=0, ending="time", reason=HOSTILE, remaining_us=(1, 1), ended_at=NOON)
    await web.store.finish_match(result)
    name = HOSTILE.replace("/", "%2F").replace("?", "%3F").replace("#", "%23").replace("&", "%26") + "0"
    paths = ["/", "/bots", "/standings/reversi", "/tournaments", f"/tournaments/{tournament}", "/matches", "/projector"]
    paths.append(f"/head-to-head?game=reversi&first={quote(ada.name)}&second={quote(bob.name)}")
    for path in (*paths, f"/matches/{match}", f"/bots/{name}"):
        read = await page(web, path)
        assert HOSTILE in read.words, path
        assert not [link for link in read.links if "evil" in link.split("?")[0] and not link.startswith("/bots/")]
    echoed = await page(web, f"/bots/{HOSTILE.replace('/', '%2F').replace('#', '')}", 404)
    assert "script" in echoed.words
    assert (await web.record(MatchId(match))).status == "ended"


async def test_a_page_that_has_not_changed_is_not_sent_again(web: WebServer) -> None:
    await web.play(LINE)
    first = await web.get("/standings/tictactoe")
    again = await web.get("/standings/tictactoe", If_None_Match=first.headers["ETag"])
    assert (again.status, again.body) == (304, b"")
    await web.play(LINE)
    assert (await web.get("/standings/tictactoe", If_None_Match=first.headers["ETag"])).status == 200


async def test_those_who_ask_at_the_same_time_share_one_page_and_few_are_kept(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "PAGE_CACHE_S", 60.0)
    monkeypatch.setattr(pages, "MAX_CACHED_PAGES", 2)
    made = []
    render = pages.Pages._render

    def counted(shown: pages.Pages, request: Request, template: str, context: dict[str, Any]) -> str:
        made.append(template)
        return render(shown, request, template, context)

    monkeypatch.setattr(pages.Pages, "_render", counted)
    answers = await asyncio.gather(*(web.get("/bots") for _ in range(5)))
    assert {answer.text for answer in answers} == {answers[0].text}
    assert made == ["bots.html"]
    for number in (1, 2, 3, 1, 2, 3):
        assert (await web.get(f"/bots?{number}")).status == 200
    assert len(made) == 1 + 3 + 2  # there was room for number 1 alone; the others are made again


async def test_files_are_kept_by_browsers_under_the_name_of_their_content(web: WebServer) -> None:
    read = await page(web, "/")
    files = [link for link in read.links if link.startswith("/static/")]
    assert {link.partition("?")[0] for link in files} == {
        f"/static/{name}" for name in ("tabiya.css", "tabiya.js", "seats.css", "icon.svg")
    }
    for link in files:
        assert "immutable" in (await web.get(link)).headers["Cache-Control"]
        assert (await web.get(link.partition("?")[0])).headers["Cache-Control"] == "no-cache"
