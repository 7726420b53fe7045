"""The server, its games, bots and standings by the API; health, numbers, and how errors are told."""

from __future__ import annotations

import asyncio
from pathlib import Path

import aiohttp
import pytest

from tabiya.api_client.api import Api
from tabiya.api_client.settings import ClientSettings
from tabiya.games.registry import load_game, names
from tabiya.server.web.app import CONTENT_SECURITY_POLICY
from tabiya.storage.errors import SaveFailed
from tabiya.storage.memory import MemoryStore
from tests.server.local_bots import first_legal, silent
from tests.server.web.web_server import DRAW, GAME, LINE, WebServer, web_server


async def test_the_server_says_who_it_is_and_where_bots_connect(web: WebServer) -> None:
    match = await web.begin("a1")
    await web.at_ply(match, 1)
    answer = await web.json("/api/v1/server")
    assert answer["name"].startswith("Tabiya ")
    assert answer["websocket"] == f"ws://127.0.0.1:{web.server.port}"
    assert answer["games"] == list(names())
    assert answer["open_registration"] is True
    assert answer["uptime_s"] >= 0
    assert answer["counts"]["bots"] == 2
    assert answer["counts"]["matches_running"] == 1
    assert answer["counts"]["moves_saved"] == 1


@pytest.mark.parametrize(
    ("asked_as", "shown"),
    [
        ("lab-3.school.example:8080", "ws://lab-3.school.example:{port}"),
        ("192.168.1.20", "ws://192.168.1.20:{port}"),
        ("[fd00::7]:8080", "ws://[fd00::7]:{port}"),
        ("localhost:8080", "ws://localhost:{port}"),
        ("", "ws://127.0.0.1:{port}"),
    ],
)
async def test_a_server_on_all_addresses_names_the_one_it_was_asked_by(asked_as: str, shown: str) -> None:
    async with web_server(host="0.0.0.0", allowed_hosts="lab-3.school.example") as web:
        answer = (await web.get("/api/v1/server", Host=asked_as)).json
        assert answer["websocket"] == shown.format(port=web.server.port)
        assert answer["open_registration"] is False


async def test_a_server_on_one_address_names_that_one_however_it_is_asked() -> None:
    async with web_server(allowed_hosts="somewhere.example") as web:
        answer = (await web.get("/api/v1/server", Host="somewhere.example")).json
        assert answer["websocket"] == f"ws://127.0.0.1:{web.server.port}"


async def test_the_games_are_told_with_options_seats_and_notation(web: WebServer) -> None:
    answer = (await web.json("/api/v1/games"))["games"]
    assert [game["name"] for game in answer] == list(names())
    for game in answer:
        rules = load_game(game["name"])
        assert (game["title"], game["seats"]) == (rules.title, list(rules.seat_names))
        assert rules.parse(game["start"]).ply == 0
        assert [option["name"] for option in game["options"]] == [option.name for option in rules.options]


async def test_the_standings_of_a_game_say_how_games_were_lost(web: WebServer) -> None:
    await web.play(LINE)
    await web.play(DRAW)
    answer = await web.json(f"/api/v1/standings/{GAME}")
    assert (answer["game"], answer["games"]) == (GAME, 2)
    ada, bob = answer["rows"]
    shown = [ada[field] for field in ("rank", "bot", "version", "wins", "draws", "losses")]
    assert shown == [1, "ada", "1.0", 1, 1, 0]
    assert (bob["bot"], bob["lost_by"]) == ("bob", {"line": 1})
    assert ada["rating"] > bob["rating"]


async def test_bots_are_told_with_who_is_here(web: WebServer) -> None:
    ada = await web.bot("ada", first_legal)
    await web.bot("bob", first_legal)
    await web.store.create_bot("eve", token_hash="x" * 64, created_at=1.0)
    ada.client.cut()
    answer = (await web.json("/api/v1/bots"))["bots"]
    assert [(bot["name"], bot["connected"], bot["guest"]) for bot in answer] == [
        ("ada", False, True),
        ("bob", True, True),
        ("eve", False, False),
    ]


async def test_one_bot_is_told_with_its_record_endings_and_times_whatever_the_case_of_its_name(web: WebServer) -> None:
    await web.play(LINE, bots=("Ada/7 (x)", "bob"))
    answer = await web.json("/api/v1/bots/ada%2F7%20(X)")
    assert (answer["name"], answer["connected"]) == ("Ada/7 (x)", True)
    (game,) = answer["games"]
    assert (game["game"], game["rows"][0]["wins"], game["rows"][0]["won_by"]) == (GAME, 1, {"line": 1})
    (thinking,) = game["thinking"]
    assert (thinking["version"], thinking["moves"]) == ("1.0", 3)
    assert 0 <= thinking["mean_ms"] <= thinking["max_ms"]


async def test_lists_of_bots_and_tournaments_come_in_parts_and_each_says_where_the_next_is(web: WebServer) -> None:
    def listed(name: str) -> list[str]:
        return [each["name"] for each in Api(ClientSettings(web.url)).listed(name, limit=2)]

    names = ["ada", "bob", "eve"]
    for name in names:
        await web.bot(name, silent)
    for number in range(3):
        plan = {"name": f"cup {number}", "game": "nim", "bots": names, "start": False, "key": str(number)}
        assert (await web.post("/api/v1/tournaments", plan)).status == 201
    for name, order in (("bots", names), ("tournaments", ["cup 2", "cup 1", "cup 0"])):
        path = f"/api/v1/{name}?limit=2"
        first = await web.get(path)
        assert first.headers["Link"] == f'<{first.json["next"]}>; rel="next"'
        second = await web.get(first.json["next"])
        assert (second.json["next"], "Link" in second.headers) == (None, False)
        found = [each["name"] for part in (first, second) for each in part.json[name]]
        assert found == order
        assert await asyncio.to_thread(listed, name) == order
        (await web.get(f"/api/v1/{name}?limit=0")).assert_refused(400, 'limit is "0"')


async def test_a_server_that_is_not_ready_says_why_and_lives_all_the_same(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def reported(status: int, why: str) -> None:
        answer = await web.get("/readyz")
        assert (answer.status, answer.json) == (status, {"status": why})
        answer = await web.get("/healthz")
        assert (answer.status, answer.json) == (200, {"status": "ok"})

    async def away(store: MemoryStore) -> str:
        raise SaveFailed("the database is away")

    await reported(200, "ok")
    assert [(await web.ask("HEAD", path)).status for path in ("/healthz", "/readyz")] == [200, 200]
    monkeypatch.setattr(MemoryStore, "schema_version", away)
    await reported(503, "no database")
    web.dispatcher.matchmaker.closing = True
    await reported(503, "closing")


async def test_the_numbers_for_prometheus_are_those_of_this_server_and_its_own_parser_reads_them(
    web: WebServer,
) -> None:
    from prometheus_client.parser import text_string_to_metric_families

    await web.play(LINE)
    await web.get("/no/such/page")
    answer = await web.get("/metrics")
    numbers = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }
    assert numbers["tabiya_moves_saved_total",] == 5
    assert numbers["tabiya_bots",] == 2
    assert numbers["tabiya_matches_running",] == 0
    assert numbers["tabiya_matches_frozen_total",] == 0
    assert numbers["tabiya_requests_total", "404"] == 1
    assert ("tabiya_wire_unreadable_total",) in numbers
    async with web_server() as other:
        assert "tabiya_moves_saved_total 0.0" in (await other.get("/metrics")).text


async def test_how_likely_one_is_better_is_a_matrix_and_two_bots_can_be_compared(web: WebServer) -> None:
    await web.play(LINE)
    await web.play(LINE, bots=("bob", "eve"))
    answer = await web.json(f"/api/v1/standings/{GAME}/superiority?limit=2")
    assert [bot["bot"] for bot in answer["bots"]] == ["ada", "bob"]
    assert answer["matrix"][0][0] is None
    assert answer["matrix"][0][1] > 0.5 > answer["matrix"][1][0]
    pair = await web.json(f"/api/v1/standings/{GAME}/head-to-head?first=ADA&second=eve")
    assert (pair["first"], pair["second"], pair["wins"], pair["losses"]) == ("ada", "eve", 0, 0)
    assert pair["difference"] > 0
    assert (await web.get(f"/api/v1/standings/{GAME}/head-to-head?first=ada&second=zoe")).status == 404


async def test_standings_can_be_asked_for_with_anchors_and_with_versions_as_one(web: WebServer) -> None:
    await web.play(LINE)
    answer = await web.json(f"/api/v1/standings/{GAME}?anchors=bob%3D1000&pooled=true")
    bob = next(row for row in answer["rows"] if row["bot"] == "bob")
    assert (bob["rating"], bob["plus_minus"], bob["anchor"], bob["version"]) == (1000.0, 0.0, True, "")
    assert (answer["pooled"], answer["anchors"]) == (True, {"bob": 1000.0})
    for wrong, sentence in (
        ("anchors=bob", "an anchor is NAME=RATING with a rating between -10,000 and 10,000, not 'bob'"),
        ("pooled=perhaps", 'pooled is "perhaps"; it must be true or false'),
        ("version=1", 'this address has only pooled, time, anchors, since, until, among and options, not "version"'),
    ):
        (await web.get(f"/api/v1/standings/{GAME}?{wrong}")).assert_refused(400, sentence)


async def test_standings_can_be_asked_for_by_days_bots_and_rules(web: WebServer) -> None:
    await web.play(LINE)
    await web.play(LINE, bots=("ada", "eve"))
    for asked, games in (
        ("since=2001-01-01", 2), ("until=2001-01-01", 0), ("among=ada,EVE", 1), ("options=", 2),
    ):  # fmt: skip
        assert (await web.json(f"/api/v1/standings/{GAME}?{asked}"))["games"] == games, asked
    matrix = await web.json(f"/api/v1/standings/{GAME}/superiority?among=ada,bob")
    assert {each["bot"] for each in matrix["bots"]} == {"ada", "bob"}
    (await web.get(f"/api/v1/standings/{GAME}?since=soon")).assert_refused(400, "'soon' is no time")


async def test_standings_can_be_asked_for_by_time_control(web: WebServer) -> None:
    await web.play(LINE)
    await web.play(LINE, bots=("bob", "eve"), control="2/move")
    await web.play(LINE, bots=("bob", "eve"), control="2/move")
    for asked in ("60%2B0.5", "60+0.5", "60.0%2B0.500"):
        table = await web.json(f"/api/v1/standings/{GAME}?time={asked}")
        assert (table["time"], table["games"], {row["bot"] for row in table["rows"]}) == ("60+0.5", 1, {"ada", "bob"})
        assert table["times"] == [{"time": "2/move", "games": 2}, {"time": "60+0.5", "games": 1}]
    matrix = await web.json(f"/api/v1/standings/{GAME}/superiority?time=2/move")
    assert {bot["bot"] for bot in matrix["bots"]} == {"bob", "eve"}
    nobody = await web.json(f"/api/v1/standings/{GAME}?time=7")
    assert (nobody["time"], nobody["games"], nobody["rows"], len(nobody["times"])) == ("7+0", 0, [], 2)
    wrong = await web.get(f"/api/v1/standings/{GAME}?time=fast")
    wrong.assert_refused(400, "time control 'fast' was not understood; allowed are '60+0.5'")


async def test_the_anchors_of_the_server_hold_where_nobody_asks_for_others() -> None:
    async with web_server(anchors="bob=1000") as web:
        await web.play(LINE)
        assert (await web.json(f"/api/v1/standings/{GAME}"))["anchors"] == {"bob": 1000.0}
        assert (await web.json(f"/api/v1/standings/{GAME}?anchors=ada%3D2"))["anchors"] == {"ada": 2.0}


@pytest.mark.parametrize(
    "path", ["/api/v1/nothing", "/api/v1/standings/halma", "/api/v1/bots/nobody", "/api/v1/matches/1/2/3"]
)
async def test_what_does_not_exist_is_a_404_with_a_sentence(web: WebServer, path: str) -> None:
    answer = await web.get(path)
    assert answer.status == 404
    assert answer.error.startswith("there is no")


@pytest.mark.parametrize(
    ("method", "path"), [("DELETE", "/api/v1/matches/1"), ("POST", "/api/v1/server"), ("PUT", "/")]
)
async def test_a_method_that_is_not_allowed_is_a_405_that_names_the_allowed_ones(
    web: WebServer, method: str, path: str
) -> None:
    answer = await web.ask(method, path)
    assert answer.status == 405
    assert "GET" in answer.headers["Allow"]
    assert "allowed: GET" in answer.text


@pytest.mark.parametrize(
    "path", ["/", "/api/v1/server", "/api/v1/nothing", "/nothing", "/healthz", "/readyz", "/metrics", "/matches/9"]
)
async def test_every_answer_carries_a_strict_policy(web: WebServer, path: str) -> None:
    headers = (await web.get(path)).headers
    assert headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
    assert headers["Server"] == "Tabiya"
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "Access-Control-Allow-Origin" not in headers


async def test_a_database_that_is_away_is_a_503_with_a_sentence(
    web: WebServer, monkeypatch: pytest.MonkeyPatch, errors_expected: None
) -> None:
    async def away(store: MemoryStore, wanted: object = None) -> tuple[()]:
        raise SaveFailed("no route to 10.0.0.7")

    monkeypatch.setattr(MemoryStore, "list_matches", away)
    answer = await web.get("/api/v1/matches")
    assert answer.status == 503
    assert answer.headers["Retry-After"] == "5"
    assert "database" in answer.error
    assert "10.0.0.7" not in answer.text
    page = await web.get("/")
    assert page.status == 503
    assert "The server cannot reach its database" in page.text


async def test_an_error_of_ours_is_a_500_that_tells_nothing_but_is_in_the_log(
    web: WebServer, monkeypatch: pytest.MonkeyPatch, errors_expected: None, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(store: MemoryStore, wanted: object = None) -> tuple[()]:
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr(MemoryStore, "list_matches", broken)
    answer = await web.get("/api/v1/matches")
    assert answer.status == 500
    assert "a secret" not in answer.text
    assert "a secret" in caplog.text


async def test_the_pages_end_with_the_server_and_the_port_is_free_again() -> None:
    async with web_server() as web:
        port = web.server.pages_port
        await web.json("/api/v1/server")
    with pytest.raises(aiohttp.ClientConnectionError):
        async with aiohttp.ClientSession() as session:
            await session.get(f"http://127.0.0.1:{port}/")
    listener = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", port)
    listener.close()
    await listener.wait_closed()


def test_every_template_and_file_belongs_to_the_package() -> None:
    from tabiya.server.web.pages import pages

    assert {file.suffix for file in (pages.FOLDER / "static").iterdir()} <= set(pages.TYPES)
    assert (pages.FOLDER / "templates" / "base.html").is_file()
    assert Path(pages.__file__).parent == pages.FOLDER


async def test_a_board_is_told_by_position_with_an_etag_and_what_is_wrong_by_field(web: WebServer) -> None:
    path = f"/api/v1/games/{GAME}/board"
    first = await web.get(f"{path}?moves=b2+a1&setup=1")
    assert first.json["position"] == "3x3x3 O---X---- X"
    assert (await web.get(f"{path}?moves=b2+a1&setup=1", If_None_Match=first.headers["ETag"])).status == 304
    assert (await web.json(f"{path}?moves=b2&empty=1&mover=0"))["position"] == "3x3x3 --------- X"
    for query, field in (
        ("position=x", "position"),
        ("options=k%3D4", "options"),
        ("moves=b2+b2", "moves"),
        ("place=d4", "place"),
        ("mover=2", "mover"),
        (f"position={'9' * 1001}", "position"),
        (f"moves={'9' * 6001}", "moves"),
        ("empty=perhaps", "empty"),
        ("square=a1", "square"),
    ):
        answer = await web.get(f"{path}?{query}")
        answer.assert_refused(400, "")
        assert answer.json["field"] == field
    (await web.get("/api/v1/games/halma/board")).assert_refused(404, "no game 'halma'")
