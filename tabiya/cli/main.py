"""Assembles the command line and turns known errors into one sentence.

The names of the commands are a promise (docs/reference/command-line.md).
"""

from __future__ import annotations

import errno
import importlib
import os
import re
import signal
import sys
import threading
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path

import typer
from typer.exceptions import TyperException

from tabiya import __version__
from tabiya.cli.rule_options import with_rules_joined
from tabiya.errors import INTERRUPTED, PIPE_CLOSED, UserError
from tabiya.protocol.printable import printable

# In the order of the help: command -> where its function is, or the typer.Typer of a group of commands.
COMMANDS: dict[str, str] = {
    "demo": "hosting.demo:demo",
    "serve": "hosting.serve:serve",
    "gateway": "hosting.gateway:gateway",
    "host": "hosting.host:host",
    "pages": "hosting.pages:pages",
    "worker": "hosting.worker:worker",
    "register": "remote.register:register",
    "bot": "players.bot:bot",
    "webhook": "players.webhook:webhook",
    "mcp": "players.mcp:mcp",
    "lichess": "players.lichess:lichess",
    "play": "players.play:play",
    "standings": "remote.standings:standings",
    "perft": "players.perft:perft",
    "uci": "players.uci:uci",
    "xboard": "players.uci:xboard",
    "gomocup": "players.uci:gomocup",
    "analyse": "players.analyse:analyse",
    "review": "players.review:review",
    "exercises": "players.exercises:exercises",
    "new": "players.new:new",
    "check": "players.check:check",
    "new-game": "players.new_game:new_game",
    "check-game": "players.check_game:check_game",
    "match": "players.match:match",
    "data": "players.data:data",
    "tune": "players.tune:tune",
    "export": "remote.export:export",
    "warmup": "hosting.warmup:warmup",
    "verify": "hosting.verify:verify",
    "account": "remote.account:app",
    "tournament": "remote.tournament:app",
    "season": "remote.season:app",
    "class": "hosting.classroom:app",
    "matches": "remote.matches:app",
    "db": "hosting.database:app",
    "bench": "hosting.bench:app",
}
# What the extras `engine` and `server` install, by the names that are imported.
OPTIONAL_PACKAGES = frozenset(
    {
        "numba",
        "numpy",
        "aiohttp",
        "aiohttp_jinja2",
        "alembic",
        "asyncpg",
        "confusable_homoglyphs",
        "jinja2",
        "markdown_it",
        "prometheus_client",
        "psutil",
        "py4swiss",
        "resvg_py",
        "sqlalchemy",
    }
)


HELP = r'def {}\(.*?"""(.*?)"""|^app = .*?help="(.*?)"'
"""What a command or a group of commands says of itself, in its source."""


def assemble(words: Sequence[str] | None = None) -> typer.Typer:
    """The command line. words: only the command that they begin with is loaded, of the others at most the help read."""
    app = typer.Typer(
        name="tabiya",
        add_completion=False,
        pretty_exceptions_enable=False,  # a bug shows the plain traceback that an issue needs
        rich_markup_mode=None,  # plain help, for which rich is not loaded
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    asked = None if words is None else next((word for word in words if word != "--"), "")
    for name, place in COMMANDS.items():
        module, _, found = place.partition(":")
        if asked in (None, name):
            command = getattr(importlib.import_module(f"tabiya.cli.{module}"), found)
            if isinstance(command, typer.Typer):
                app.add_typer(command, name=name)
            else:
                app.command(name)(command)
        elif asked not in COMMANDS:
            app.command(name, help=_help(module, found))(_options)
    return app


def _help(module: str, found: str) -> str:
    """The help of a command that is only listed: to load all of them would take several times as long."""
    source = Path(__file__).parent.joinpath(*module.split(".")).with_suffix(".py").read_text("utf-8")
    words = re.search(HELP.format(found), source, re.DOTALL | re.MULTILINE)
    assert words is not None
    return words[1] or words[2]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tabiya {__version__}")
        raise typer.Exit


def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """A game server for bots: host and play matches, run tournaments, see standings."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line. Raises SystemExit with the command's status; arguments: those of the process if None."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    _end_cleanly()
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that has no sign for a letter is no reason to fail
    try:
        status = run(words or ["--help"])
    except OSError as error:
        if error.errno != errno.EPIPE:
            raise
        # The reader (`| head`) has had enough. Python flushes at its end once more, which would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = PIPE_CLOSED
    raise SystemExit(status)


def _end_cleanly() -> None:
    """Let a terminated command clean up: SIGTERM, and SIGHUP of a terminal that is closed, raise SystemExit."""
    if threading.current_thread() is not threading.main_thread():  # others may not set handlers; tests run us in some
        return
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # handlers set by others stay: under nohup SIGHUP is ignored
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _terminated)


def _terminated(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


def run(words: Sequence[str]) -> int:
    """Run a command and return its exit status. An error that is not a bug is printed as one sentence."""
    try:
        command = typer.main.get_command(assemble(words))
        with command.make_context("tabiya", with_rules_joined(words)) as context:
            command.invoke(context)
        sys.stdout.flush()  # here, where a reader that has gone is still noticed (main)
    except typer.Exit as done:
        return done.exit_code
    except UserError as error:
        if error.failure is None:
            return _fail(str(error), error.status)
        sys.stdout.flush()
        sys.stderr.write(f"tabiya: {error.failure.text(sys.stderr.isatty())}\n")
        return error.status
    except TyperException as error:
        return _misused(error)
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] not in OPTIONAL_PACKAGES:
            raise
        return _fail(f'this command needs the package {error.name}; install it with: pip install "tabiya[all]"', 1)
    except KeyboardInterrupt:
        return _fail("stopped", INTERRUPTED)
    return 0


def _misused(error: TyperException) -> int:
    """The error of a command line, and where to look up the right words."""
    text = error.format_message().strip()
    context = getattr(error, "ctx", None)
    if text.startswith("Usage:"):  # a group of commands without a command
        sys.stderr.write(f"{text}\n")
        return error.exit_code
    path = context.command_path if context is not None else "tabiya"
    sentence = " ".join(text.replace("Input should be", "it should be").split()).rstrip(".")
    return _fail(f"{sentence[:1].lower()}{sentence[1:]} (see: {path} --help)", error.exit_code)


def _fail(sentence: str, status: int) -> int:
    sys.stdout.flush()  # earlier output must appear before the sentence
    sys.stderr.write(f"tabiya: {printable(sentence)}\n")
    return status
