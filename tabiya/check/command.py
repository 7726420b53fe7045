"""The argument of `tabiya check` as the program to start: a PLAYER, or a command line."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

from tabiya.bots.players.spec import ADDRESS, URL, PlayerError, PlayerKind, parse_player
from tabiya.check.launcher import CommandLauncher
from tabiya.processes.programs import environment

AT_ONCE = 4  # as many as one scenario plays (turn_order.MOST_AT_ONCE)


def launcher_for(text: str, games: tuple[str, ...] = ()) -> CommandLauncher:
    """What starts the bot that `text` names. Raises PlayerError: neither a PLAYER nor a program.

    games: those the PLAYER shall play; a command line says so itself.
    """
    try:
        spec = parse_player(text)
    except PlayerError as error:
        return CommandLauncher(_command(text, error), environment())
    # `python bot.py:Bot` reads as a PLAYER whose file has a space in its name; without that file it is a command line
    if spec.kind is PlayerKind.FILE and not Path(spec.path).exists():
        if (found := _words(text)) and shutil.which(found[0]):
            return CommandLauncher(found, environment())
        raise PlayerError(f"there is no file {str(Path(spec.path).absolute())!r}")
    return CommandLauncher(_player_command(text, games), environment() | {"TABIYA_CONFIG": os.devnull})


def _player_command(player: str, games: tuple[str, ...]) -> tuple[str, ...]:
    """`tabiya bot` in the interpreter that runs us; without games it plays all that the player can."""
    player = player.replace(URL, ADDRESS)  # of a program's own websocket; ours is the server's
    start = (sys.executable, "-m", "tabiya", "bot", player, "--concurrency", str(AT_ONCE), "--connect-timeout", "10")
    return (*start, *(part for game in games for part in ("--game", game)), "--server", "{url}")


def _command(text: str, error: PlayerError) -> tuple[str, ...]:
    """The words of a command line whose program exists. Raises the error about the PLAYER otherwise."""
    words = _words(text)
    if not words or (shutil.which(words[0]) is None and len(words) == 1):
        raise PlayerError(
            f"{error}; it is not a program either: write a command line as 'node bot.mjs' or './bot'"
        ) from None
    if shutil.which(words[0]) is None:
        raise PlayerError(
            f"there is no program {words[0]!r}; write the command line as in a terminal: 'node bot.mjs', './bot'"
        ) from None
    return words


def _words(text: str) -> tuple[str, ...]:
    try:
        words = shlex.split(text, posix=os.name != "nt")  # else \ in paths of Windows would be taken for escapes
    except ValueError:
        return ()
    return tuple(words)
