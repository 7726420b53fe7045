"""The receiver of docs/how-to/webhook-bot.md, asked by the command on a real server."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from typing import Any

import pytest

from tabiya.bots.client import Bot, Turn, run_async
from tabiya.bots.client.events import silent
from tests.live import live_server
from tests.source_rules.sources import ROOT

PAGE = ROOT / "docs" / "how-to" / "webhook-bot.md"
SECRET = "whsec_" + base64.b64encode(bytes(32)).decode()

pytestmark = pytest.mark.slow


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The page's receiver on a free port; its address."""
    monkeypatch.setenv("TABIYA_WEBHOOK_SECRET", SECRET)
    program, _, start = PAGE.read_text("utf-8").partition("```python\n")[2].partition("```")[0].strip().rpartition("\n")
    assert start == 'ThreadingHTTPServer(("", 8000), Receiver).serve_forever()'
    names: dict[str, Any] = {}
    exec(compile(program, str(PAGE), "exec"), names)  # noqa: S102  # our own page
    names["Receiver"].log_message = lambda *_: None
    with ThreadingHTTPServer(("127.0.0.1", 0), names["Receiver"]) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


class First(Bot):
    needs_rules = False

    async def choose(self, turn: Turn) -> str:
        return turn.legal_moves[0]


async def test_the_receiver_of_the_page_plays_whole_games_by_the_command(receiver: str) -> None:
    async with live_server() as server:
        words = ("webhook", receiver, "--game", "reversi", "--name", "ada", "--server", server.websocket_url, "-n", "2")
        command = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tabiya", *words, cwd=ROOT, env=dict(os.environ), stderr=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        async with asyncio.timeout(100):
            summary = await run_async(First(), server.websocket_url, seek="reversi", matches=2, listener=silent)
            output, reported = await command.communicate()
    assert (summary.played, summary.without_score, command.returncode) == (2, 0, 0), reported.decode()
    assert output.decode().startswith("ada: ")
    assert "refused" not in reported.decode()


def test_the_receiver_of_the_page_answers_nobody_who_does_not_know_the_secret(receiver: str) -> None:
    request = urllib.request.Request(receiver, json.dumps({"type": "turn"}).encode())
    with pytest.raises(urllib.error.HTTPError, match="not signed with our secret") as refused:
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request)
    refused.value.close()
    assert refused.value.code == 401


async def test_a_bad_secret_and_a_bad_address_are_one_sentence() -> None:
    for url, secret, sentence in (
        ("http://127.0.0.1:1/", "hush", "a secret is whsec_ and 24 to 64 bytes in base64"),
        ("example.org", SECRET, "'example.org' is no address to post to"),
    ):
        command = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tabiya", "webhook", url, cwd=ROOT, stderr=asyncio.subprocess.PIPE,
            env=os.environ | {"TABIYA_WEBHOOK_SECRET": secret},
        )  # fmt: skip
        _, output = await command.communicate()
        assert command.returncode == 1
        assert output.decode().startswith(f"tabiya: {sentence}")
        assert output.decode().count("\n") == 1
