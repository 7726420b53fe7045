"""A websocket in front of a program that wants one: frames from it become lines of ours, lines become frames.

Runs where the program runs, in its sandbox, where nothing else can be reached. Its standard input and output are
those of program_bot.py; `{url}` in the command line stands for the address, which is in TABIYA_SERVER, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

from websockets.exceptions import ConnectionClosed, NegotiationError
from websockets.sync.server import serve
from websockets.typing import Subprotocol

from tabiya.bots.players.spec import ADDRESS, URL
from tabiya.protocol.encodings import Encoding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from websockets.sync.server import ServerConnection


class Shim:
    """Connects standard input and output with the newest connection of the program."""

    def __init__(self) -> None:
        self._lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
        self._connection: ServerConnection | None = None
        self._lock = threading.Lock()

    def handle(self, connection: ServerConnection) -> None:
        """Pass on every message of this connection, until it ends."""
        with self._lock:
            self._connection = connection
        for frame in connection:
            if isinstance(frame, str):
                with self._lock:
                    self._lines.write(frame.replace("\n", " ") + "\n")
                    self._lines.flush()

    def pass_on(self) -> None:
        """Pass on every line of standard input; returns at its end."""
        for line in sys.stdin:
            connection = self._connection
            if connection is not None:
                try:
                    connection.send(line.rstrip("\n"))
                except ConnectionClosed:
                    continue  # a program that reconnects gets it again


def main() -> None:
    """Serve the program of the command line until it ends, or our input does."""
    shim = Shim()
    server = serve(
        shim.handle,
        "127.0.0.1",
        0,
        select_subprotocol=_json_if_named,
        compression=None,
        ping_interval=None,
    )
    url = f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
    command = [word.replace(URL, url).replace(ADDRESS, url) for word in sys.argv[1:]]
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=2, env=os.environ | {"TABIYA_SERVER": url})
    except OSError as error:
        sys.stderr.write(f"{command[0]} cannot be started: {error.strerror}\n")
        os._exit(127)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    threading.Thread(target=_until_input_ends, args=(shim, process), daemon=True).start()
    os._exit(process.wait() & 0xFF)


def _json_if_named(connection: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """A client that names no subprotocol speaks JSON, as with a server."""
    ours = Subprotocol(Encoding.JSON.subprotocol)
    if offered and ours not in offered:
        raise NegotiationError(f"only {ours} is supported")
    return ours if offered else None


def _until_input_ends(shim: Shim, process: subprocess.Popen[bytes]) -> None:
    shim.pass_on()
    process.kill()
