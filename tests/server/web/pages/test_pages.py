"""Every page: complete without a script, safe whatever bots are called, and fresh."""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from typing import Any

import pytest
from aiohttp import web

from tabiya.games.registry import names, title
from tabiya.protocol.messages import Move, MoveInfo, Notice
from tabiya.server.web.pages import pages
from tabiya.storage.records import BotId, MatchId, NewTournament, ResultRecord, SeatRecord, TournamentEntry
from tests.server.local_bots import first_legal, silent
from tests.server.web.house import DRAW, LINE, House
from tests.server.web.page_reader import Page
from tests.storage.samples import NOON, move, new_match

PLAN = {"name": "class cup", "game": "nim", "bots": ["ada", "bob", "eve"], "seed": 4}
HOSTILE = "\"'><script src=//evil.example>alert(1)</script><img src=x onerror=alert(1)>{{7*7}}&amp;"


@pytest.fixture(autouse=True)
def always_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """No page is shared, so that every one shows this very moment."""
    monkeypatch.setattr(pages, "PAGE_CACHE_S", 0.0)


async def page(there: House, path: str, status: int = 200) -> Page:
    answer = await there.get(path)
    assert answer.status == status, answer.text
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    read = Page(answer.text)
    read.addresses(path)
    assert read.faults == [], path
    return read


async def test_an_empty_server_shows_every_page(there: House) -> None:
    for path in ("/", "/tournaments", "/matches", "/bots", "/about", *(f"/standings/{game}" for game in names())):
        await page(there, path)
    assert "0 matches running" in (await page(there, "/")).words


async def test_every_link_of_every_page_leads_somewhere(there: House) -> None:
    await there.play(LINE, bots=("ada", "a/../b?&#"[:6] + " (x)"))
    await there.begin("a1 a2")
    for name in ("ada", "bob", "eve"):
        await there.bot(name, first_legal, max_matches=5)
    assert (await there.post("/api/tournaments", PLAN)).status == 201
    seen, waiting = {"/"}, deque(["/"])
    while waiting:
        path = waiting.popleft()
        answer = await there.get(path)
        assert answer.status in (200, 302), path
        if answer.headers.get("Content-Type", "").startswith("text/html"):
            for address in Page(answer.text).addresses(path):
                if address not in seen:
                    seen.add(address)
                    waiting.append(address)
    assert len(seen) > 30
    assert {f"/standings/{game}" for game in names()} <= seen


async def test_what_goes_on_shows_boards_tournaments_standings_and_results(there: House) -> None:
    ended = await there.play(LINE)
    running = await there.begin("a1 a2", bots=("ada", "eve"))
    await there.at_ply(running, 2)
    read = await page(there, "/")
    assert "1 match running" in read.words
    assert f"/matches/{running}" in read.links
    assert any(link.startswith(f"/api/matches/{running}/picture/2.svg?v=") for link in read.links)
    assert f"/matches/{ended}" in read.links
    assert there.server.websocket_url in read.words
    assert "/standings/tictactoe" in read.links


async def test_the_standings_show_rating_interval_and_how_games_were_lost(there: House) -> None:
    await there.play(LINE)
    read = await page(there, "/standings/tictactoe")
    for words in ("ada", "bob", "1.0", "±", "100\u202f%", "line 1"):
        assert words in " ".join(read.words.split(" ")), words
    moved = await there.get("/standings")
    assert (moved.status, moved.headers["Location"]) == (302, "/standings/tictactoe")


async def test_the_standings_show_the_game_itself_pools_anchors_and_how_likely_one_is_better(there: House) -> None:
    await there.play(LINE)
    await there.play(LINE, bots=("eve", "tim"))
    read = await page(there, "/standings/tictactoe?anchors=ada%3D2000")
    for words in ("2 pools that no game connects", "Pool 2", "anchor", "2000", "To move first is worth", "Over next"):
        assert words in read.words, words
    assert "2 won by the first seat, 0 drawn, 0 won by the second" in read.words
    assert "/standings/tictactoe?pooled=true&anchors=ada%3D2000" in read.links
    assert "All versions as one" in read.words
    assert (await there.get("/standings/tictactoe?anchors=ada")).status == 400


async def test_a_bot_shows_how_its_games_ended_and_how_long_it_thinks(there: House) -> None:
    await there.play(LINE)
    read = await page(there, "/bots/ada")
    for words in ("How its rated games ended", "won", "line", "Time for a move", "mean", "longest", "(3 moves)"):
        assert words in read.words, words


async def test_the_first_standings_of_an_empty_server_are_those_of_the_first_game(there: House) -> None:
    assert (await there.get("/standings")).headers["Location"] == f"/standings/{names()[0]}"


async def test_a_tournament_refreshes_itself_until_it_is_over(there: House) -> None:
    for name in ("ada", "bob", "eve"):
        await there.bot(name, silent)
    made = (await there.post("/api/tournaments", PLAN | {"start": False})).json
    path = f"/tournaments/{made['id']}"
    assert "data-refresh-ms" in (await there.get(path)).text
    assert "0 of 6 games" in (await page(there, path)).words
    for bot in there.bots.values():
        bot.choose = first_legal
    await there.post(f"/api{path}/start", {})
    ada = there.bots["ada"]
    await ada.until(lambda: any(notice.kind == "tournament_ended" for notice in ada.heard(Notice)))
    read = await page(there, path)
    for words in ("class cup", "ended", "6 of 6 games", "Crosstable", "SB", "last object", "How games ended"):
        assert words in read.words
    assert {f"/matches/{number}" for number in range(1, 7)} <= set(read.links)
    assert "data-refresh-ms" not in (await there.get(path)).text


async def test_a_long_list_of_games_is_shown_on_demand(there: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "GAMES_SHOWN", 2)
    for name in ("ada", "bob", "eve"):
        await there.bot(name, first_legal, max_matches=5)
    made = (await there.post("/api/tournaments", PLAN)).json
    ada = there.bots["ada"]
    await ada.until(lambda: any(notice.kind == "tournament_ended" for notice in ada.heard(Notice)))
    assert "Show 4 more" in (await page(there, f"/tournaments/{made['id']}")).words
    assert "more" not in (await page(there, f"/tournaments/{made['id']}?games=all")).words


async def test_a_match_shows_why_it_ended_and_every_move_with_its_time(there: House) -> None:
    match = await there.play(LINE)
    answer = await there.get(f"/matches/{match}")
    read = await page(there, f"/matches/{match}")
    assert "1-0" in read.words
    assert "ada completed a line against bob" in read.words
    for ply, text in enumerate(LINE.split(), 1):
        assert f"?ply={ply}" in read.links
        assert f">{text}</a>" in answer.text
    assert " ms" in read.words
    assert 'data-live="no"' in answer.text
    assert any(link.startswith(f"/api/matches/{match}/picture/5.svg") for link in read.links)


@pytest.mark.parametrize(("asked", "shown"), [("2", 2), ("0", 0), ("99", 5), ("x", 5), ("-1", 5), ("9" * 50, 5)])
async def test_a_match_can_be_opened_at_any_move(there: House, asked: str, shown: int) -> None:
    match = await there.play(LINE)
    read = await page(there, f"/matches/{match}?ply={asked}")
    assert any(link.startswith(f"/api/matches/{match}/picture/{shown}.svg") for link in read.links)
    assert f"{shown} / 5" in read.words


async def test_a_running_match_is_marked_to_be_followed(there: House) -> None:
    match = await there.begin("a1 a2")
    await there.at_ply(match, 2)
    assert 'data-live="yes"' in (await there.get(f"/matches/{match}")).text
    assert "ada is thinking" in (await page(there, f"/matches/{match}")).words


async def test_a_frozen_match_says_whose_fault_it_was(there: House, errors_expected: None) -> None:
    match = await there.begin("a1 a2")
    await there.freeze(match)
    words = (await page(there, f"/matches/{match}")).words
    assert "because of an error of its own" in words


async def test_what_a_bot_said_of_its_thinking_is_shown(there: House) -> None:
    match = await there.begin("")
    info = MoveInfo(depth=9, score=125, nodes=1_204_000, pv=("b2", "c3"), text="hm <b>")
    there.bots["ada"].say(Move(match=match, ply=0, move="a1", info=info))
    await there.at_ply(match, 1)
    assert "depth 9, +1.25, 1,204,000 nodes, b2 c3, hm <b>" in (await page(there, f"/matches/{match}")).words


async def test_a_bot_shows_its_record_and_its_last_matches(there: House) -> None:
    match = await there.play(LINE)
    await there.play(DRAW)
    read = await page(there, "/bots/bob")
    assert title("tictactoe") in read.words
    assert "0 1 1" in read.words
    assert "line 1" in read.words
    assert f"/matches/{match}" in read.links
    assert "connected" in read.words


async def test_matches_can_be_filtered_by_a_form_with_empty_fields(there: House) -> None:
    first = await there.play(LINE)
    second = await there.begin("", game="nim", bots=("ada", "eve"))
    read = await page(there, "/matches?game=nim&bot=&status=")
    assert f"/matches/{second}" in read.links
    assert f"/matches/{first}" not in read.links
    await page(there, "/matches?bot=nobody", 404)
    await page(there, "/matches?status=asleep", 400)


async def test_older_matches_are_a_link_away_with_the_same_filter(there: House) -> None:
    matches = [await there.play(LINE) for _ in range(3)]
    read = await page(there, "/matches?bot=ada&limit=2")
    [older] = [link for link in read.links if "before=" in link]
    assert f"/matches/{matches[0]}" in (await page(there, older)).links


@pytest.mark.parametrize(
    "path", ["/nothing", "/matches/7", "/matches/x", "/tournaments/7", "/bots/nobody", "/standings/halma", "/static/x"]
)
async def test_what_does_not_exist_is_a_page_that_says_so(there: House, path: str) -> None:
    assert "There is no" in (await page(there, path, 404)).words


async def test_texts_of_strangers_are_shown_as_they_are_and_run_nowhere(there: House) -> None:
    ada, bob = [await there.store.create_bot(f"{HOSTILE}{n}", created_at=NOON, guest=True) for n in range(2)]
    seats = tuple(SeatRecord(bot_id=bot.id, bot=bot.name, version=HOSTILE) for bot in (ada, bob))
    number = itertools.count()
    tournament = await there.store.create_tournament(
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
    match = await there.store.create_match(
        new_match(
            (ada, bob), seats=seats, options={HOSTILE: HOSTILE}, tournament_id=tournament, pairing=0, game_index=0
        )
    )
    await there.store.append_move(move(match, 2, "c4", info={"text": HOSTILE, "pv": [HOSTILE]}))
    result = ResultRecord(match_id=match, winner=0, ending="time", reason=HOSTILE, remaining_us=(1, 1), ended_at=NOON)
    await there.store.finish_match(result)
    name = HOSTILE.replace("/", "%2F").replace("?", "%3F").replace("#", "%23").replace("&", "%26") + "0"
    paths = ["/", "/bots", "/standings/reversi", "/tournaments", f"/tournaments/{tournament}", "/matches"]
    for path in (*paths, f"/matches/{match}", f"/bots/{name}"):
        read = await page(there, path)
        assert HOSTILE in read.words, path
        assert not [link for link in read.links if "evil" in link.split("?")[0] and not link.startswith("/bots/")]
    echoed = await page(there, f"/bots/{HOSTILE.replace('/', '%2F').replace('#', '')}", 404)
    assert "script" in echoed.words
    assert (await there.record(MatchId(match))).status == "ended"


async def test_a_page_that_has_not_changed_is_not_sent_again(there: House) -> None:
    await there.play(LINE)
    first = await there.get("/standings/tictactoe")
    again = await there.get("/standings/tictactoe", If_None_Match=first.headers["ETag"])
    assert (again.status, again.body) == (304, b"")
    await there.play(LINE)
    assert (await there.get("/standings/tictactoe", If_None_Match=first.headers["ETag"])).status == 200


async def test_those_who_ask_at_the_same_time_share_one_page(there: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PAGE_CACHE_S", 60.0)
    made = []
    render = pages.Pages._render

    def counted(shown: pages.Pages, request: web.Request, template: str, context: dict[str, Any]) -> str:
        made.append(template)
        return render(shown, request, template, context)

    monkeypatch.setattr(pages.Pages, "_render", counted)
    answers = await asyncio.gather(*(there.get("/bots") for _ in range(5)))
    assert {answer.text for answer in answers} == {answers[0].text}
    assert made == ["bots.html"]


async def test_pages_shared_are_bounded_in_number(there: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PAGE_CACHE_S", 60.0)
    monkeypatch.setattr(pages, "MAX_CACHED_PAGES", 2)
    for number in range(5):
        assert (await there.get(f"/bots?{number}")).status == 200


async def test_files_are_kept_by_browsers_under_the_name_of_their_content(there: House) -> None:
    read = await page(there, "/")
    files = [link for link in read.links if link.startswith("/static/")]
    assert {link.partition("?")[0] for link in files} == {"/static/tabiya.css", "/static/tabiya.js", "/static/icon.svg"}
    for link in files:
        assert "immutable" in (await there.get(link)).headers["Cache-Control"]
        assert (await there.get(link.partition("?")[0])).headers["Cache-Control"] == "no-cache"
