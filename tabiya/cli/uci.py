"""`tabiya uci`: the playing engine as a UCI program."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator

import typer

from bots.players.catalogue import UCI_GAMES
from tabiya import __version__
from tabiya.cli.games import the_game

LONGEST_LINE = 1 << 20  # bytes; a game of several thousand moves fits


def uci(game: str = typer.Option(UCI_GAMES[0], "--game", "-g", help="Name of the game.")) -> None:
    """Speak UCI on standard input and output, for board programs and match runners; `quit` or their end ends it."""
    from bots.uci.program import UciProgram

    UciProgram(the_game(game), f"Tabiya {__version__}", Speaker().say).run(lines())


def lines() -> Iterator[str]:
    """The lines of standard input, whatever bytes they hold; none once it is closed."""
    with contextlib.suppress(OSError, ValueError):
        while line := sys.stdin.buffer.readline(LONGEST_LINE):
            yield line.decode("utf-8", "replace")


class Speaker:
    """Writes whole lines at once, from any thread; once nobody reads them any more, nothing."""

    def __init__(self) -> None:
        self._lock, self._is_heard = threading.Lock(), True

    def say(self, line: str) -> None:
        """Write a line and let it out."""
        with self._lock:
            if self._is_heard:
                try:
                    sys.stdout.write(line + "\n")
                    sys.stdout.flush()
                except (OSError, ValueError):
                    self._is_heard = False


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(uci)
