"""What commands make of whatever answers at the address of a server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Iterator

import pytest

from tabiya.api_client.api import Api, NoAnswer
from tabiya.api_client.settings import ClientSettings
from tabiya.errors import UserError
from tests.live import live_server
from tests.tabiya.cli.command_runner import tabiya

ESCAPES = "\x1b]0;mine\x07\x9b31m\u202e"


@contextlib.contextmanager
def saying(words: bytes) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Something at an address that says these bytes to every request; the address, and the headers of the requests."""
    loop, asked = asyncio.new_event_loop(), list[dict[str, str]]()

    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines if line)
        await reader.readexactly(int(headers.get("Content-Length", 0)))
        asked.append(headers)
        writer.write(words)
        writer.close()

    server = loop.run_until_complete(asyncio.start_server(say, "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", asked
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        server.close()
        loop.run_until_complete(server.wait_closed())
        loop.close()


def answering(
    status: int, body: bytes, **headers: str
) -> contextlib.AbstractContextManager[tuple[str, list[dict[str, str]]]]:
    """A web server that says the same to everybody."""
    lines = [f"HTTP/1.0 {status} -", *(f"{name}: {value}" for name, value in headers.items())]
    return saying("\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode() + body)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, b"<html>It works!</html>"),
        (200, b""),
        (200, b"[1, 2]"),
        (200, b"null"),
        (200, b"[" * 100_000),
        (404, b"<html>Not found</html>"),
        (500, b""),
        (502, b'{"message": "bad gateway"}'),
        (200, b"\xff\xfe"),
    ],
)
@pytest.mark.parametrize("command", ["standings", "register ada", "tournament list"])
def test_another_web_server_is_recognised(status: int, body: bytes, command: str) -> None:
    with answering(status, body) as (address, _):
        result = tabiya(*command.split(), "--server", address)
    assert f"the program at {address} is not a Tabiya server" in result.sentence


@pytest.mark.parametrize("words", [b"SSH-2.0-OpenSSH_9.2\r\n", b""])
def test_what_is_no_web_server_is_recognised(words: bytes) -> None:
    with saying(words) as (address, _):
        result = tabiya("standings", "--server", address)
    assert address in result.sentence


@pytest.mark.parametrize("half", [b"", b'{"tournaments": ['])
def test_an_answer_that_breaks_off_is_no_answer_of_another_server(half: bytes) -> None:
    with saying(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" + half) as (address, _):
        with pytest.raises(NoAnswer, match="broke in the middle of its answer") as broken:
            Api(ClientSettings(address)).get("/tournaments")
        assert broken.value.was_asked  # so that an order with a key is given again


async def test_the_port_of_the_websockets_is_recognised() -> None:
    async with live_server() as server:
        text = await asyncio.to_thread(tabiya, "standings", "--server", f"127.0.0.1:{server.port}")
    assert "is not a Tabiya server" in text.sentence


def test_an_answer_without_what_a_tabiya_server_says_is_recognised() -> None:
    with answering(200, b'{"detail": "hello"}') as (address, _):
        for command in ("standings", "matches list", "matches show 1", "tournament status 1", "tournament list"):
            assert (
                f"the program at {address} is not a Tabiya server"
                in tabiya(*command.split(), "--server", address).sentence
            )


def test_answers_of_a_server_cannot_control_the_terminal() -> None:
    refusal = json.dumps({"error": f"no {ESCAPES}"}).encode()
    with answering(400, refusal) as (address, _):
        assert tabiya("standings", "--server", address).sentence == "no \\x1b]0;mine\\x07\\x9b31m\\u202e"
    line = {"id": 1, "name": ESCAPES, "format_title": ESCAPES, "leaders": [], "played": 0, "total": 1, ESCAPES: ESCAPES}
    answer = {"tournaments": [line]}
    with answering(200, json.dumps(answer).encode()) as (address, _):
        for form in ("table", "json", "csv"):
            result = tabiya("tournament", "list", "--server", address, "--format", form)
            assert result.status == 0
            assert result.out.replace("\n", "").isprintable()


def test_a_transcript_keeps_its_lines_and_nothing_else() -> None:
    with answering(200, f"[Event]\n\n1. e4 {ESCAPES}\n".encode()) as (address, _):
        result = tabiya("matches", "show", "1", "--transcript", "--server", address)
    assert result.out == "[Event]\n\n1. e4 \\x1b]0;mine\\x07\\x9b31m\\u202e\n"


def test_the_operators_token_is_sent_and_goes_no_further_than_its_server() -> None:
    with (
        answering(200, b'{"id": 1, "name": "Cup", "status": "paused"}') as (address, asked),
        answering(302, b"", Location=f"{address}/elsewhere") as (first, asked_first),
    ):
        assert tabiya("tournament", "pause", "1", "--server", address, "--operator-token", "secret").status == 0
        assert asked[-1]["Authorization"] == "Bearer secret"
        tabiya("tournament", "pause", "1", "--server", first, "--operator-token", "secret")
        assert asked_first[-1]["Authorization"] == "Bearer secret"
        assert all("Authorization" not in headers for headers in asked[1:])


def test_this_machine_is_never_asked_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with answering(200, b'{"tournaments": []}') as (address, _):
        assert Api(ClientSettings(address)).get("/tournaments") == {"tournaments": []}


def test_another_machine_is_asked_through_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(200, b'{"tournaments": []}') as (address, asked):
        monkeypatch.setenv("http_proxy", address)
        monkeypatch.setenv("no_proxy", "")
        assert Api(ClientSettings("http://tabiya.invalid")).get("/tournaments") == {"tournaments": []}
    assert asked[0]["Host"] == "tabiya.invalid"


def test_a_server_that_does_not_answer_in_time_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    monkeypatch.setattr("tabiya.api_client.api.TIMEOUT_S", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(UserError, match=r"no server answers at .* \(no answer in time\)"):
            Api(ClientSettings(address)).get("/server")


def dying(monkeypatch: pytest.MonkeyPatch, *errors: NoAnswer) -> tuple[Api, list[float]]:
    """A server that is gone so often, and then answers; and the pauses that were made."""
    left, pauses = list(errors), list[float]()

    def post(self: Api, path: str, body: dict[str, object]) -> dict[str, object]:
        if left:
            raise left.pop(0)
        return body

    monkeypatch.setattr(Api, "post", post)
    monkeypatch.setattr("tabiya.api_client.api.time.sleep", pauses.append)
    return Api(ClientSettings("http://127.0.0.1:1")), pauses


def test_an_order_with_a_key_is_given_again_when_its_answer_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    lost, away = NoAnswer("gone", was_asked=True), NoAnswer("nobody there", was_asked=False)
    api, pauses = dying(monkeypatch, lost, away, away)
    assert api.post_once("/tournaments", {"key": "k"}) == {"key": "k"}
    assert len(pauses) == 3


def test_a_server_that_was_never_there_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    api, pauses = dying(monkeypatch, NoAnswer("nobody there", was_asked=False))
    with pytest.raises(UserError, match="nobody there"):
        api.post_once("/tournaments", {"key": "k"})
    assert pauses == []


def test_a_hung_up_request_counts_as_sent_and_a_refused_connection_does_not() -> None:
    with saying(b"") as (address, _), pytest.raises(NoAnswer, match="closed the connection without an answer") as gone:
        Api(ClientSettings(address)).post("/tournaments", {})
    assert gone.value.was_asked
    with pytest.raises(NoAnswer, match="no server answers") as refused:
        Api(ClientSettings(address)).post("/tournaments", {})
    assert not refused.value.was_asked
