"""The bot printed on the reference page runs as it stands there."""

import json
import re
import sys
import threading
from collections.abc import Iterator

import pytest
from websockets.sync.server import Server, ServerConnection, serve

from scripts.docs.protocol_page import PAGE_PATH
from scripts.docs.protocol_vectors import ROOT, read_vectors
from tabiya.protocol.codec import Encoding, decode_client, negotiate
from tabiya.protocol.messages import Hello, Message, Move
from tests.waiting import WITHIN_S

SERVER_LINES = {vector.name: vector.json for vector in read_vectors().messages if vector.sender == "server"}
SCRIPT = (
    "welcome, nothing running",
    "match_started",
    "turn, the first of a match",
    "turn, later, with the account of the previous move",
    "match_ended, won",
)


def bot_on_the_page() -> str:
    page = (ROOT / PAGE_PATH).read_text("utf-8")
    found = re.search(r"```python\n(.+?)```", page, re.DOTALL)
    assert found
    return found[1]


class ScriptedServer:
    """Plays one short match by the book and keeps what the bot has sent."""

    def __init__(self) -> None:
        self.received: list[Message] = []

    def __call__(self, connection: ServerConnection) -> None:
        offered = [connection.subprotocol] if connection.subprotocol else []
        assert negotiate(offered) is Encoding.JSON
        self.hear(connection)
        for name in SCRIPT:
            connection.send(SERVER_LINES[name])
            if name.startswith("turn"):
                self.hear(connection)

    def hear(self, connection: ServerConnection) -> None:
        self.received.append(decode_client(connection.recv(timeout=WITHIN_S), Encoding.JSON))


@pytest.fixture
def scripted() -> Iterator[tuple[ScriptedServer, str]]:
    script = ScriptedServer()
    with serve(script, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield script, address(server)
        finally:
            server.shutdown()
            thread.join(5)


def address(server: Server) -> str:
    return f"127.0.0.1:{server.socket.getsockname()[1]}"


@pytest.mark.slow
def test_the_bot_on_the_page_says_hello_and_answers_every_turn(
    scripted: tuple[ScriptedServer, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    script, where = scripted
    monkeypatch.setattr(sys, "argv", ["bot.py", f"ws://{where}"])  # as `tabiya check` starts it
    exec(compile(bot_on_the_page(), "bot.py", "exec"), {})  # noqa: S102
    hello, *moves = script.received
    assert hello == Hello(name="ada", seek=("tictactoe",))
    turns = [json.loads(SERVER_LINES[name]) for name in SCRIPT if name.startswith("turn")]
    assert len(moves) == len(turns)
    for move, turn in zip(moves, turns, strict=True):
        assert isinstance(move, Move)
        assert (move.match, move.ply) == (turn["match"], turn["ply"])
        assert move.move in turn["legal_moves"]
    assert "match_ended" in capsys.readouterr().out
