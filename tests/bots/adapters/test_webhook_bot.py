"""Turns posted to a real HTTP server, and what becomes of its answers."""

from __future__ import annotations

import base64
import contextlib
import hmac
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import pytest

from tabiya.bots.adapters.webhook_bot import WebhookBot, WebhookError
from tabiya.bots.client.choice import Choice
from tabiya.bots.client.turn import Turn
from tabiya.protocol.messages import MoveInfo
from tests.bots.client.fake_server import ended, turn

KEY = bytes(range(32))
SECRET = "whsec_" + base64.b64encode(KEY).decode()
MOVE = {"type": "move", "match": 1, "ply": 0, "move": "b2"}


class Asked(NamedTuple):
    """A request, and from which port it came."""

    headers: dict[str, str]
    body: bytes
    port: int


class Receiver:
    """Answers each request with the next of its answers: a message, bytes, a status, or None to say nothing."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.asked, self.url = list(answers), list[Asked](), ""

    def reply(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers["Content-Length"]))
        self.asked.append(Asked(dict(request.headers.items()), body, request.client_address[1]))
        answer = self.answers.pop(0)
        if answer is None:
            request.close_connection = True
            return
        status, printed = (answer, b"no") if isinstance(answer, int) else (200, answer)
        printed = printed if isinstance(printed, bytes) else json.dumps(printed).encode()
        request.send_response(status)
        request.send_header("Content-Length", str(len(printed)))
        request.send_header("Location", "/elsewhere")
        request.end_headers()
        request.wfile.write(printed)


@contextlib.contextmanager
def http_server(reply: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[str]:
    """A server on a free port that has `reply` answer its POSTs; its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            reply(self)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/move?key=1"
        server.shutdown()
        thread.join()


@contextlib.contextmanager
def receiving(*answers: Any, **options: Any) -> Iterator[tuple[WebhookBot, Receiver]]:
    """A bot with its receiver."""
    receiver = Receiver(*answers)
    with http_server(receiver.reply) as url:
        bot = WebhookBot(url, **options)
        try:
            yield bot, receiver
        finally:
            bot.close()


def asked(refused: str = "", **fields: Any) -> Turn:
    return Turn(turn(**fields), time.monotonic(), refused)


def test_a_turn_is_posted_as_the_protocol_has_it_and_the_answer_is_played() -> None:
    with receiving(MOVE | {"info": {"depth": 3}}) as (bot, receiver):
        assert bot.choose(asked()) == Choice("b2", info=MoveInfo(depth=3))
    (request,) = receiver.asked
    message = json.loads(request.body)
    assert (message["type"], message["match"], message["ply"]) == ("turn", 1, 0)
    assert message["legal_moves"] == ["a1", "b2", "c3"]
    assert (request.headers["Content-Type"], "refused" in message) == ("application/json", False)


def test_the_turns_of_a_match_have_one_connection_until_it_ends() -> None:
    with receiving(MOVE, MOVE, MOVE) as (bot, receiver):
        bot.choose(asked())
        bot.choose(asked())
        bot.match_ended(ended())
        bot.choose(asked())
    ports = [request.port for request in receiver.asked]
    assert ports[0] == ports[1] != ports[2]


def test_why_a_move_was_refused_is_posted_with_the_turn() -> None:
    with receiving(MOVE) as (bot, receiver):
        bot.choose(asked("b2 is taken"))
    assert json.loads(receiver.asked[0].body)["refused"] == "b2 is taken"


def test_requests_are_signed_with_the_secret() -> None:
    with receiving(MOVE, secret=SECRET) as (bot, receiver):
        bot.choose(asked())
    headers, body, _ = receiver.asked[0]
    text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    signature = "v1," + base64.b64encode(hmac.digest(KEY, text, "sha256")).decode()
    assert hmac.compare_digest(headers["webhook-signature"], signature)
    assert abs(int(headers["webhook-timestamp"]) - time.time()) < 600


def test_without_a_secret_nothing_is_signed() -> None:
    with receiving(MOVE) as (bot, receiver):
        bot.choose(asked())
    assert [name for name in receiver.asked[0].headers if name.startswith("webhook")] == []


@pytest.mark.slow
@pytest.mark.parametrize("failure", [None, 429, 502, 503, 504])
def test_the_same_question_is_put_again_when_no_answer_came(failure: int | None) -> None:
    with receiving(failure, MOVE, secret=SECRET) as (bot, receiver):
        assert bot.choose(asked()) == Choice("b2")
    first, second = receiver.asked
    assert first.body == second.body
    assert first.headers["webhook-id"] == second.headers["webhook-id"]


@pytest.mark.parametrize("status", [301, 302, 307, 400, 401, 404, 500])
def test_an_answer_of_another_status_is_final_and_no_redirection_is_followed(status: int) -> None:
    with (
        receiving(status, MOVE) as (bot, receiver),
        pytest.raises(WebhookError, match=f"answers with HTTP status {status}: 'no'"),
    ):
        bot.choose(asked())
    assert len(receiver.asked) == 1


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (b"b2", "answers with no message of the protocol: .*not JSON"),
        (b"\xff", "answers with no message of the protocol"),
        (b"", "answers with no message of the protocol"),
        (b" " * 20_000 + b"{}", "answers with no message of the protocol: .*at most 16384"),
        ({"move": "b2"}, "answers with no message of the protocol"),
        (MOVE | {"move": 7}, "answers with no message of the protocol"),
        (MOVE | {"ply": 1}, "answers for match 1, ply 1; it was asked for match 1, ply 0"),
        (MOVE | {"match": 2}, "answers for match 2, ply 0; it was asked for match 1, ply 0"),
        ({"type": "resign", "match": 2}, "answers for match 2; it was asked for match 1"),
        ({"type": "unseek", "game": "nim"}, "a `move` or a `resign` is the answer to a turn"),
    ],
)
def test_an_answer_that_is_none_to_this_turn_is_a_sentence_and_not_asked_for_again(answer: Any, text: str) -> None:
    with receiving(answer, MOVE) as (bot, receiver), pytest.raises(WebhookError, match=text):
        bot.choose(asked())
    assert len(receiver.asked) == 1


def test_a_move_with_a_bad_info_is_played_without_it() -> None:
    with receiving(MOVE | {"info": {"depth": "deep"}}) as (bot, _):
        assert bot.choose(asked()) == Choice("b2")


def test_the_receiver_may_resign() -> None:
    with receiving({"type": "resign", "match": 1, "failure": "no idea"}) as (bot, _):
        assert bot.choose(asked()) == Choice(resign=True, failure="no idea")


def test_no_receiver_at_the_address_gives_a_sentence_when_the_time_is_over() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    bot = WebhookBot(f"http://127.0.0.1:{port}/")
    with pytest.raises(WebhookError, match=rf"http://127.0.0.1:{port}/ does not answer: Connection refused"):
        bot.choose(asked(move_limit_ms=50))


def test_a_receiver_that_says_nothing_is_given_up_when_the_time_is_over() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        bot = WebhookBot(f"http://127.0.0.1:{silent.getsockname()[1]}/")
        with pytest.raises(WebhookError, match="does not answer: no answer in time"):
            bot.choose(asked(move_limit_ms=50))


@pytest.mark.parametrize(
    "url", ["", "example.org/move", "ftp://example.org", "https://", "http://a:99999/", "http://u:p@a/", "http://a/ b"]
)
def test_what_is_no_address_to_post_to_is_refused(url: str) -> None:
    with pytest.raises(WebhookError, match="is no address to post to"):
        WebhookBot(url)


@pytest.mark.parametrize("secret", ["hush", "whsec_", "whsec_c2hvcnQ=", "whsec_%%%", base64.b64encode(KEY).decode()])
def test_a_bad_secret_is_refused_without_showing_it(secret: str) -> None:
    with pytest.raises(WebhookError, match=r"24 to 64 bytes in base64; this one is not$"):
        WebhookBot("http://127.0.0.1/", secret=secret)
