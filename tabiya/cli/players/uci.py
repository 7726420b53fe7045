"""`tabiya uci`, `tabiya xboard` and `tabiya gomocup`: the playing engine as a program of these protocols."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import typer

from tabiya import __version__
from tabiya.bots.players.catalogue import ENGINE_GAMES, UCI_GAMES
from tabiya.errors import UserError, user_errors

STANDARD_INPUT = 0
LONGEST_LINE = 1 << 20  # bytes; a game of several thousand moves fits, and no line fills the memory


class Translator(Protocol):
    """Translates between another protocol and the UCI program."""

    def commands(self, lines: Iterable[str]) -> Iterator[str]:
        """UCI commands for the lines that come."""

    def say(self, line: str) -> None:
        """Translate and print a line of the UCI program."""


PLAYER = typer.Argument(
    "",
    metavar="[FILE.py:CLASS]",
    help="Your own evaluation instead of the built-in one, such as my_eval.py:Mine?corner=200.",
)


def uci(
    player: str = PLAYER,
    game: str = typer.Option("", "--game", "-g", help=f"Name of the game [the game of the class, or {UCI_GAMES[0]}]."),
) -> None:
    """Speak UCI on standard input and output, for board programs and match runners, until `quit` or end of input."""
    _speak(player, game or ("" if player else UCI_GAMES[0]), None)


def xboard(player: str = PLAYER) -> None:
    """Speak xboard's protocol (CECP, version 2) on standard input and output, until `quit` or the end of input."""
    from tabiya.bots.uci.xboard import XboardTranslator

    _speak(player, ENGINE_GAMES["xboard"][0], XboardTranslator)


def gomocup(player: str = PLAYER) -> None:
    """Speak Gomocup's protocol (freestyle) on standard input and output, until `END` or the end of input."""
    from tabiya.bots.uci.gomocup import GomocupTranslator

    _speak(player, ENGINE_GAMES["gomocup"][0], lambda say: GomocupTranslator("Tabiya", __version__, say))


def _speak(player: str, game: str, translator_to: Callable[[Callable[[str], None]], Translator] | None) -> None:
    """Play `game`, or what the class plays if it is "".  translator_to: from where lines are written; UCI without."""
    from tabiya.bots.players.lazy_rules import HINT, have_rules
    from tabiya.bots.players.spec import PlayerError
    from tabiya.bots.uci.loop import UciProgram
    from tabiya.games.errors import UnknownGame
    from tabiya.games.registry import title

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
        say = LineWriter().say
        translator = None if translator_to is None else translator_to(say)
        program = UciProgram(game, name, say if translator is None else translator.say, custom)
        program.run(lines() if translator is None else translator.commands(lines()))
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
    """Writes whole lines at once, from any thread. After the reader has closed the pipe it writes nothing."""

    def __init__(self) -> None:
        self._lock, self._is_open = threading.Lock(), True

    def say(self, line: str) -> None:
        """Write a line and let it out."""
        with self._lock:
            if self._is_open:
                try:
                    sys.stdout.write(line + "\n")
                    sys.stdout.flush()
                except (OSError, ValueError):
                    self._is_open = False
