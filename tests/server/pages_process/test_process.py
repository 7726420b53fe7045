"""Pages in a process of their own: they answer as the server does, follow it, come back to it, and cannot write."""

from __future__ import annotations

import asyncio
import contextlib
import re
import signal
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from scripts.docs.api_page import all_routes
from tabiya.protocol.messages import Move, Turn
from tabiya.server.config import ServerConfig
from tabiya.server.pages_process.process import PagesProcess
from tabiya.server.transport.listening import StartError
from tabiya.server.web.http.route import API, is_versioned
from tabiya.server.web.pages.pages import SERVER_PAGES
from tests.live import PATIENCE_S, eventually, served, welcomed
from tests.ports import free_port
from tests.present import present
from tests.server.pages_process.apart import READER, made, pages_of, serving
from tests.server.test_database_trouble import begun
from tests.server.web.live.event_reader import events_of
from tests.server.web.pages.tour import tour
from tests.server.web.web_server import WebServer
from tests.storage.postgres import Cluster

CHANGING = re.compile(
    r'data-live="\d+"|"(thinking_ms|uptime_s)":[\d.]+|data-(thinking|uptime)="[\d.]+"|127\.0\.0\.1:\d+'
)


async def answers(session: aiohttp.ClientSession, url: str, path: str) -> tuple[int, str, str]:
    """Status, type and body, without what changes from one second to the next, and without the address."""
    async with session.get(url + path, allow_redirects=False) as answer:
        body = (await answer.read()).decode(errors="replace")
        return answer.status, answer.headers.get("Content-Type", ""), CHANGING.sub("", body)


def reads(web: WebServer, ended: int, running: int, tournament: int) -> list[str]:
    """An address of every route of the API that a process of pages answers, but for streams."""
    places: dict[str, list[object]] = {
        "tournament": [tournament], "season": [1], "ply": [0, 3], "game": ["nim", "tictactoe"], "name:.+": ["ada"],
        "match": [ended, running, 10**6],
    }  # fmt: skip
    found = ["/healthz", "/readyz"]
    for route in all_routes():
        if route.needs_server or not route.has_etag or not is_versioned(route.path):
            continue
        paths = [route.path]
        for name, values in places.items():
            paths = [path.replace(f"{{{name}}}", str(value)) for path in paths for value in values]
        found += dict.fromkeys(paths)
    asked = {"head-to-head": "?first=ada&second=bob", "expected": "?bot=ada"}
    return [*(path + asked.get(path.rsplit("/", 1)[-1], "") for path in found), f"{API}/export?format=pgn"]


@pytest.mark.slow
@pytest.mark.timeout(200)
async def test_every_page_and_every_read_of_the_api_is_the_same_as_from_the_server(cluster: Cluster) -> None:
    database = made(cluster, "same")
    async with serving(database) as web, pages_of(cluster.url("same", READER), web.url) as pages:
        addresses = await tour(web)
        ended, running = await web.play(), await web.begin("a1 a2 b1")
        await web.at_ply(running, 3)
        addresses += reads(web, ended, running, 1)
        addresses[addresses.index("/projector")] += "?step=7"  # else by the clock
        here = web.server.web._view.counts
        await eventually(lambda: pages.mirror.counts() == here())
        different, well = {}, 0
        for path in addresses:
            if any(path == page or path.startswith(f"{page}/") for page in SERVER_PAGES):
                continue
            one, other = [await answers(web.session, url, path) for url in (web.url, pages.pages_url)]
            well += one[0] == 200
            if one != other:
                different[path] = one, other
        assert different == {}
        assert well > 80


@pytest.mark.slow
async def test_requests_that_need_the_server_are_sent_there(cluster: Cluster) -> None:
    database = made(cluster, "orders")
    async with serving(database) as web, pages_of(cluster.url("orders", READER), web.url) as pages:
        routes = [(route.method, re.sub(r"{[^}]*}", "1", route.path)) for route in all_routes() if route.needs_server]
        assert ("POST", "/api/v1/matches/1/abort") in routes
        assert ("GET", "/live") in routes
        for method, path in [*routes, *(("GET", page.replace("{part}", "bots")) for page in SERVER_PAGES)]:
            async with web.session.request(method, pages.pages_url + path, json={}) as answer:
                text = await answer.text()
                assert answer.status == 421, path
                assert f"for {path} use {web.url}" in text
                assert path not in SERVER_PAGES or f'<a href="{web.url}{path}">' in text
        async with web.session.get(f"{pages.pages_url}/play", headers={"Host": "localhost"}) as answer:
            assert f'"http://localhost:{web.server.pages_port}/play"' in await answer.text()


def ply_of(pages: PagesProcess, match: int) -> int | None:
    """Moves of a match as the process has heard of them."""
    state = pages.mirror.snapshot(match)
    return state.ply if state else None


async def followed(session: aiohttp.ClientSession, url: str, match: int, seen: list[dict[str, Any]]) -> None:
    """Add what a page is told of a match to a list, until the match has ended; each event leads on from the last."""
    ply = 0
    async with session.get(f"{url}/api/v1/matches/{match}/live?after=0") as answer:
        assert answer.status == 200, await answer.text()
        async for event in events_of(answer):
            seen.append({"name": event.name} | event.data)
            if event.name == "moves":
                assert event.data["after"] == ply
                assert [move["ply"] for move in event.data["moves"]] == [*range(ply + 1, event.data["ply"] + 1)]
                ply = event.data["ply"]


@pytest.mark.slow
async def test_a_match_is_followed_at_two_processes_at_once_with_every_move_and_the_end(cluster: Cluster) -> None:
    database = made(cluster, "two")
    reader = cluster.url("two", READER)
    async with serving(database) as web, pages_of(reader, web.url) as one, pages_of(reader, web.url) as other:
        match = await web.begin("a1 a2 b1 b2")
        await web.at_ply(match, 4)
        await eventually(lambda: all(ply_of(each, match) == 4 for each in (one, other)))
        seen: list[list[dict[str, Any]]] = [[], [], []]
        urls = [one.pages_url, other.pages_url, web.url]
        async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as group:
            for url, events in zip(urls, seen, strict=True):
                group.create_task(followed(web.session, url, match, events))
            await eventually(lambda: all(seen))
            web.bots["ada"].say(Move(match=match, ply=4, move="c1"))
        ends = [
            {key: last[key] for key in ("ply", "status", "result", "moves", "html", "clock_ms")} for *_, last in seen
        ]
        assert ends[0] == ends[1] == ends[2]
        assert (ends[0]["ply"], ends[0]["status"]) == (5, "ended")
        states = [await answers(web.session, url, f"/api/v1/matches/{match}/live") for url in urls]
        assert states[0] == states[1] == states[2]
        assert one.mirror.spectators.watchers(match) == 0


@pytest.mark.slow
@pytest.mark.timeout(400)
async def test_a_viewer_misses_no_move_when_the_server_is_killed_and_comes_back(cluster: Cluster) -> None:
    database, seen = made(cluster, "killed"), list[dict[str, Any]]()
    async with contextlib.AsyncExitStack() as stack:
        first = await stack.enter_async_context(served(database))
        nobody = f"http://127.0.0.1:{free_port()}"
        pages = await stack.enter_async_context(pages_of(cluster.url("killed", READER), nobody, first.pages_url))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        async with welcomed(first.url, "ada") as ada, welcomed(first.url, "bob") as bob:
            white, black, turn = await begun(ada, bob)
            await white.say(Move(match=turn.match, ply=turn.ply, move=present(turn.legal_moves)[0]))
            await black.receives(Turn)
            await eventually(lambda: ply_of(pages, turn.match) == turn.ply + 1)
            following = asyncio.create_task(followed(session, pages.pages_url, turn.match, seen))
            await eventually(lambda: bool(seen))
            await first.end(signal.SIGKILL)
        await eventually(lambda: seen[-1]["name"] == "stale")
        for path in ("/", f"/matches/{turn.match}", f"/api/v1/matches/{turn.match}", "/standings/nim"):
            status, _, text = await answers(session, pages.pages_url, path)
            assert status == 200
            assert path.startswith("/api") or "the server does not answer" in text
        assert (await answers(session, pages.pages_url, "/readyz"))[::2] == (200, '{"status":"server unreachable"}')
        port = first.pages_url.rpartition(":")[2]
        second = await stack.enter_async_context(served(database, "--pages-port", port))
        await eventually(lambda: not pages.mirror.trouble)
        async with welcomed(second.url, "ada") as ada, welcomed(second.url, "bob") as bob:
            ending = await asyncio.gather(ada.plays(), bob.plays())
        async with asyncio.timeout(PATIENCE_S):
            await following
        assert (seen[-1]["status"], seen[-1]["result"]["result"]) == ("ended", ending[0].result)
        assert "the server does not answer" not in (await answers(session, pages.pages_url, "/"))[2]


@pytest.mark.slow
async def test_without_its_server_pages_show_what_is_saved(cluster: Cluster) -> None:
    database = made(cluster, "alone")
    async with serving(database) as web:
        ended, running = await web.play(), await web.begin("a1 a2 b1")
        await web.at_ply(running, 3)
    nobody = f"http://127.0.0.1:{free_port()}"
    async with (
        pages_of(cluster.url("alone", READER), nobody, until_reported=False) as pages,
        aiohttp.ClientSession() as session,
    ):
        for path in ("/", f"/matches/{ended}", f"/matches/{running}", "/bots/ada", "/standings/tictactoe"):
            status, _, text = await answers(session, pages.pages_url, path)
            assert (status, "the server does not answer" in text) == (200, True), path
        for path in (f"/api/v1/matches/{running}/live", f"/api/v1/matches/{running}/live?after=0"):
            status, _, text = await answers(session, pages.pages_url, path)
            assert (status, f"no news of match {running}" in text) == (503, True), path


@pytest.mark.slow
async def test_they_work_on_a_file_of_the_same_machine(tmp_path: Path) -> None:
    database = str(tmp_path / "games.db")
    async with serving(database) as web, pages_of(database, web.url) as pages:
        match = await web.play()
        shown = [await answers(web.session, url, f"/api/v1/matches/{match}") for url in (web.url, pages.pages_url)]
        assert shown[0] == shown[1]
        assert '"ended"' in shown[0][2]


@pytest.mark.slow
async def test_a_failed_start_is_one_sentence(cluster: Cluster, tmp_path: Path) -> None:
    empty, missing = cluster.create("empty"), f"{cluster.url('nowhere')}"
    for database, words in (
        (empty, "holds no data of Tabiya yet"),
        (missing, 'database "nowhere" does not exist'),
        (str(tmp_path / "none.db"), "there is no database at"),
    ):
        with pytest.raises(StartError, match=words) as failed:
            await PagesProcess(ServerConfig(database_url=database, pages_port=0), ["http://127.0.0.1:9"]).start()
        assert "\n" not in str(failed.value)
    assert not (tmp_path / "none.db").exists()
    made(cluster, "taken")
    async with serving(cluster.url("taken")) as web:
        port = web.server.pages_port
        config = ServerConfig(database_url=cluster.url("taken", READER), pages_port=port)
        with pytest.raises(StartError, match=f"cannot listen on 127.0.0.1 port {port}: another program"):
            await PagesProcess(config, [web.url]).start()
