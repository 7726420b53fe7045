"""`tabiya uci`: the playing engine as a UCI program."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
from collections.abc import Iterator

import typer

from bots.players.catalogue import UCI_GAMES
from tabiya import __version__
from tabiya.cli.errors import UserError

STANDARD_INPUT = 0
LONGEST_LINE = 1 << 20  # bytes; a game of several thousand moves fits


def uci(game: str = typer.Option(UCI_GAMES[0], "--game", "-g", help="Name of the game.")) -> None:
    """Speak UCI on standard input and output, for board programs and match runners; `quit` or their end ends it."""
    from bots.rules import HINT, have_rules
    from bots.uci.program import UciProgram
    from games.errors import UnknownGame
    from games.registry import title

    try:
        title(game)
    except UnknownGame as error:
        raise UserError(str(error)) from None
    if not have_rules():
        raise UserError(HINT)
    program = UciProgram(game, f"Tabiya {__version__}", Speaker().say)
    program.run(lines())
    if program.is_loading:
        os._exit(0)  # at once: otherwise the end of the interpreter waits for the compiler, and cuts into its work
    gc.freeze()  # otherwise Python looks for garbage in all of the compiler before it ends: 0.3 of 0.4 s


def lines() -> Iterator[str]:
    """The lines of standard input, whatever bytes they hold; none once it is closed.

    Through a reader of its own: a thread may be left waiting at the end of the process, which Python's does not allow.
    """
    with contextlib.suppress(OSError, ValueError), open(STANDARD_INPUT, "rb", closefd=False) as reader:
        while line := reader.readline(LONGEST_LINE):
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
