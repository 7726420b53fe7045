"""Answers are not sent again to who has them, and texts are compressed for who can read that."""

from __future__ import annotations

import gzip
from typing import Any

import pytest

from tabiya.server.web.downloads.client_wheel import client_wheel
from tests.server.web.web_server import Answer, WebServer


async def raw(web: WebServer, path: str, **headers: str) -> Answer:
    """An answer as it is sent, not unpacked."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    async with web.session.get(web.url + path, headers=given, auto_decompress=False) as answer:
        return Answer(answer.status, answer.headers, await answer.read())


@pytest.fixture
def plain(web: WebServer) -> WebServer:
    """A visitor that asks for nothing compressed by itself."""
    web.session.headers["Accept-Encoding"] = "identity"
    return web


@pytest.mark.parametrize("path", ["/", "/api/v1/games", "/api/games", "/static/tabiya.css"])
async def test_a_long_text_is_compressed_for_who_can_read_it(plain: WebServer, path: str) -> None:
    whole = await raw(plain, path)
    assert len(whole.body) > 1_024
    assert "Content-Encoding" not in whole.headers
    packed = await raw(plain, path, Accept_Encoding="br, gzip;q=0.5")
    assert packed.headers["Content-Encoding"] == "gzip"
    assert int(packed.headers["Content-Length"]) == len(packed.body) < len(whole.body) / 1.5
    assert gzip.decompress(packed.body) == whole.body
    assert "Accept-Encoding" in whole.headers.getall("Vary")
    assert "Accept-Encoding" in packed.headers.getall("Vary")


@pytest.mark.parametrize("accepted", ["", "identity", "gzip;q=0", "gzip; q=0.0", "xgzip", "br"])
async def test_for_nobody_else(plain: WebServer, accepted: str) -> None:
    assert "Content-Encoding" not in (await raw(plain, "/api/v1/games", Accept_Encoding=accepted)).headers


async def test_short_texts_and_what_is_no_text_are_sent_as_they_are(plain: WebServer) -> None:
    wheel = f"/client/{client_wheel().name}"
    for path in ("/healthz", "/api/v1/tournaments", wheel):
        answer = await raw(plain, path, Accept_Encoding="gzip")
        assert answer.status == 200
        assert "Content-Encoding" not in answer.headers


async def test_a_stream_of_events_is_never_compressed_and_an_export_is(plain: WebServer) -> None:
    match = await plain.play()
    live = await raw(plain, f"/api/v1/matches/{match}/live", Accept_Encoding="gzip")
    assert live.body.startswith(b"retry: ")
    assert "Content-Encoding" not in live.headers
    whole, packed = await raw(plain, "/api/v1/export"), await raw(plain, "/api/v1/export", Accept_Encoding="gzip")
    assert gzip.decompress(packed.body) == whole.body != b""


@pytest.mark.parametrize(
    "path", ["/", "/api/v1/matches", "/api/v1/matches/1", "/api/v1/matches/1/picture/2.svg", "/static/match.js"]
)
@pytest.mark.parametrize("accepted", ["gzip", "identity"])
async def test_an_unchanged_answer_is_304(plain: WebServer, path: str, accepted: str) -> None:
    await plain.play()
    first = await raw(plain, path)
    assert first.headers["ETag"].startswith('W/"')
    for known in (first.headers["ETag"], f'"other", {first.headers["ETag"]}', "*"):
        again = await raw(plain, path, If_None_Match=known, Accept_Encoding=accepted)
        assert (again.status, again.body, again.headers["ETag"]) == (304, b"", first.headers["ETag"])
        for name in ("Cache-Control", "Vary"):
            assert again.headers.getall(name, []) == first.headers.getall(name, [])
        assert again.headers["Server"] == "Tabiya"
    assert (await raw(plain, path, If_None_Match='"other"')).status == 200


async def test_another_match_is_another_answer(web: WebServer) -> None:
    first = (await web.get("/api/v1/matches")).headers["ETag"]
    await web.play()
    answer = await web.get("/api/v1/matches", If_None_Match=first)
    assert (answer.status, answer.headers["ETag"] != first) == (200, True)


async def test_an_order_or_an_error_is_always_answered(web: WebServer) -> None:
    for answer in (
        await web.post("/api/v1/matches/7/abort", {}, If_None_Match="*"),
        await web.get("/api/v1/matches/7", If_None_Match="*"),
    ):
        assert answer.status == 404
        assert "ETag" not in answer.headers


@pytest.mark.parametrize("address", ["/static/tabiya.css", "/static/tabiya.js"])
async def test_a_file_is_kept_for_ever_by_its_digest_and_asked_for_again_without(web: WebServer, address: str) -> None:
    page: Any = (await web.get("/")).text
    named = next(part for part in page.split('"') if part.startswith(f"{address}?v="))
    assert "immutable" in (await web.get(named)).headers["Cache-Control"]
    assert (await web.get(address)).headers["Cache-Control"] == "no-cache"
