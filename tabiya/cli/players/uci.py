"""`tabiya uci`: the playing engine as a UCI program."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
from collections.abc import Iterator

import typer

from tabiya import __version__
from tabiya.bots.players.catalogue import UCI_GAMES
from tabiya.errors import UserError, user_errors

STANDARD_INPUT = 0
LONGEST_LINE = 1 << 20  # bytes; a game of several thousand moves fits, and no line fills the memory


def uci(
    player: str = typer.Argument(
        "", metavar="[FILE.py:CLASS]", help="Your own evaluation in place of the game's, as my_eval.py:Mine?corner=200."
    ),
    game: str = typer.Option(
        "", "--game", "-g", help=f"Name of the game; without, what the class plays, or {UCI_GAMES[0]}."
    ),
) -> None:
    """Speak UCI on standard input and output, for board programs and match runners; `quit` or their end ends it."""
    from tabiya.bots.players.lazy_rules import HINT, have_rules
    from tabiya.bots.players.spec import PlayerError
    from tabiya.bots.uci.loop import UciProgram
    from tabiya.games.errors import UnknownGame
    from tabiya.games.registry import title

    game = game or ("" if player else UCI_GAMES[0])
    with user_errors(PlayerError, UnknownGame):
        if game:
            title(game)
        if not have_rules():
            raise UserError(HINT)
        custom, name = None, f"Tabiya {__version__}"
        if player:
            from tabiya.bots.uci.custom_evaluation import CustomEvaluation

            custom = CustomEvaluation(player, game)
            game, name = custom.game, f"{name} {custom.name}"
        program = UciProgram(game, name, LineWriter().say, custom)
        program.run(lines())
    if program.is_loading or program.is_stuck:
        os._exit(0)  # at once: otherwise the end of the interpreter waits for the compiler, and cuts into its work
    gc.freeze()  # otherwise Python looks for garbage in all of the compiler before it ends: 0.3 of 0.4 s


def lines() -> Iterator[str]:
    """The lines of standard input, whatever bytes they hold; none once it is closed.

    Through a reader of its own: a thread may be left waiting at the end of the process, which Python's does not allow.
    """
    with contextlib.suppress(OSError, ValueError), open(STANDARD_INPUT, "rb", closefd=False) as reader:
        while line := reader.readline(LONGEST_LINE):
            yield line.decode("utf-8", "replace")


class LineWriter:
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
