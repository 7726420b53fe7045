"""Assembles the command line and turns known errors into one sentence.

The names of the commands are a promise (docs/reference/command-line.md).
"""

from __future__ import annotations

import os
import sys

import typer

from tabiya import __version__
from tabiya.cli import (
    analyse,
    bot,
    database,
    demo,
    matches,
    perft,
    play,
    register,
    serve,
    standings,
    tournament,
    warmup,
)
from tabiya.cli.errors import UserError
from tabiya.hidden import HiddenPackage, check_packages

app = typer.Typer(
    name="tabiya",
    help="A game server for bots: host matches, play them, run tournaments, see standings.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

for part in (demo, serve, register, bot, play, standings, perft, analyse, warmup):
    part.add_to(app)
app.add_typer(tournament.app, name="tournament")
app.add_typer(matches.app, name="matches")
app.add_typer(database.app, name="db")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tabiya {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """A game server for bots: host matches, play them, run tournaments, see standings."""


def main() -> None:
    """Run the command line; exits with the command's status."""
    try:
        check_packages()
        app()
    except HiddenPackage as error:
        _fail(str(error), 1)
    except UserError as error:
        _fail(str(error), error.status)
    except ModuleNotFoundError as error:
        _fail(f"this command needs the package {error.name}; install it with: pip install 'tabiya[all]'", 1)
    except BrokenPipeError:  # the reader of our output (`| head`) has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(141) from None
    except KeyboardInterrupt:
        _fail("stopped", 130)


def _fail(sentence: str, status: int) -> None:
    sys.stdout.flush()
    sys.stderr.write(f"tabiya: {sentence}\n")
    raise SystemExit(status)
