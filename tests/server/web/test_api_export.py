"""A download of everything stored, for anybody, of any length."""

from __future__ import annotations

import asyncio
import json

import pytest
from aiohttp.web import Response

from tabiya.server.web.handlers import exports
from tabiya.storage.records import BotRecord
from tests.games.sgf_reader import read_sgf
from tests.server.local_bots import first_legal
from tests.server.web.pages.shown import page
from tests.server.web.web_server import WebServer
from tests.waiting import WITHIN_S


async def test_games_come_as_json_lines_or_transcripts_with_filters(web: WebServer) -> None:
    chess = await web.play("e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7", game="chess")
    other = await web.play("a1 a2 b1 b2 c1")
    answer = await web.get("/api/v1/export")
    assert answer.headers["Content-Type"].startswith("application/jsonl")
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert [line["match"]["id"] for line in lines] == [chess, other]
    assert [len(line["moves"]) for line in lines] == [7, 5]
    answer = await web.get("/api/v1/export?format=pgn&game=chess")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="games.pgn"'
    assert answer.text.count("[Event ") == 1
    assert "Qxf7#" in answer.text
    assert (await web.get("/api/v1/export?since=4e9")).text == ""


async def test_games_that_sgf_knows_come_as_sgf_one_by_one_and_together(web: WebServer) -> None:
    five = await web.play("h8 a1 i8 b1 j8 c1 k8 d1 l8", game="connect5", opening="h8")
    other = await web.play("a1 a2 b1 b2 c1")
    answer = await web.get("/api/v1/export?format=sgf")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="games.sgf"'
    (tree,) = read_sgf(answer.text)
    root, *moves = tree.nodes
    assert [root[name][0] for name in ("GM", "SZ", "PB", "PW", "RE", "TM", "GN")] == [
        *("4", "15", "ada", "bob", "B+", "60", f"match {five}"),
    ]
    assert [(node.get("B") or node["W"])[0] for node in moves][:3] == ["hh", "ao", "ih"]
    assert (moves[0]["C"], float(moves[1]["WL"][0]) > 50) == (["book"], True)
    one = await web.get(f"/api/v1/matches/{five}/game.sgf")
    assert one.headers["Content-Disposition"] == f'attachment; filename="match-{five}.sgf"'
    assert one.text + "\n" == answer.text
    assert f"/api/v1/matches/{five}/game.sgf" in (await page(web, f"/matches/{five}")).links
    assert "game.sgf" not in (await page(web, f"/matches/{other}")).text
    (await web.get(f"/api/v1/matches/{other}/game.sgf")).assert_refused(
        404, "games of Tic-tac-toe are not written as SGF"
    )


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("game=go", 404, "there is no game 'go'"),
        ("bot=nobody", 404, "there is no bot 'nobody'"),
        ("tournament=7", 404, "there is no tournament 7"),
        ("format=sgf&game=nim", 400, "games of Nim are not written as SGF, which does not know them"),
        ("format=xml", 400, "a value in the address is not allowed"),
        ("since=-1", 400, "a value in the address is not allowed"),
    ],
)
async def test_what_cannot_be_exported_is_said(web: WebServer, query: str, status: int, words: str) -> None:
    (await web.get(f"/api/v1/export?{query}")).assert_refused(status, words)


async def test_too_many_exports_at_once_wait(web: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    await web.bot("ada", first_legal)
    monkeypatch.setattr(exports, "MAX_CONCURRENT_EXPORTS", 1)
    others_refused = asyncio.Event()

    async def stream(*_: object) -> Response:
        await others_refused.wait()
        return Response(content_type="application/jsonl")

    monkeypatch.setattr(exports.ExportHandlers, "_stream", stream)
    look_up = web.store.bot_by_name

    async def slow_look_up(name: str) -> BotRecord | None:
        await asyncio.sleep(0.02)
        return await look_up(name)

    monkeypatch.setattr(web.store, "bot_by_name", slow_look_up)
    asked = [asyncio.ensure_future(web.get("/api/v1/export?bot=ada")) for _ in range(3)]
    async with asyncio.timeout(WITHIN_S):
        refused = [await answer for _, answer in zip(range(2), asyncio.as_completed(asked), strict=False)]
        others_refused.set()
        answers = await asyncio.gather(*asked)
    assert [(answer.status, answer.headers["Retry-After"]) for answer in refused] == [(503, "30")] * 2
    assert sorted(answer.status for answer in answers) == [200, 503, 503]
