"""`tabiya export`: every game that has ended, for other programs, from a running server or out of a database."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import typer

from tabiya.api_client.api import Api
from tabiya.api_client.settings import client_settings
from tabiya.cli.options import PROCESSES_OPTION, SERVER_OPTION
from tabiya.cli.output import counted, note
from tabiya.cli.stores import on_store, other_processes
from tabiya.cli.whole_file import whole_file
from tabiya.errors import UserError, user_errors
from tabiya.games.errors import shown
from tabiya.protocol.printable import printable

if TYPE_CHECKING:
    from tabiya.server.archive.exports import ExportFilter, WrittenGame
    from tabiya.server.archive.pages import OtherProcesses
    from tabiya.storage.store import Store

Query = Mapping[str, object]


# That of the server (server/archive/exports.py) again: for a command's options no server is loaded.
class ServerFormat(StrEnum):
    """How a server writes games."""

    PGN = "pgn"
    SGF = "sgf"
    JSONL = "jsonl"


class ExportFormat(StrEnum):
    """How games are written out of a database."""

    PGN = "pgn"
    SGF = "sgf"
    JSONL = "jsonl"
    PARQUET = "parquet"


FORMS = "pgn: transcripts (PGN for chess); sgf: games that SGF defines; jsonl: everything, one JSON line per game"
SERVER_FORM_OPTION = typer.Option(ServerFormat.PGN, "--format", help=f"{FORMS}.")
FORM_OPTION = typer.Option(
    ExportFormat.PGN,
    "--format",
    help=f"{FORMS}; parquet: a data set with its card, from a --database into a folder.",
)
FILE_OPTION = typer.Option(None, "--to", help="File to write [standard output].")
TO_OPTION = typer.Option(None, "--to", help="File or folder to write [standard output].")
DATABASE_OPTION = typer.Option(None, "--database", "-d", help="Read this database instead of asking a server.")


def export(
    form: ExportFormat = FORM_OPTION,
    to: Path | None = TO_OPTION,
    game: str | None = typer.Option(None, "--game", "-g", help="Only this game."),
    bot: str | None = typer.Option(None, "--bot", "-b", help="Only games of this bot, in either seat."),
    tournament: int | None = typer.Option(None, "--tournament", help="Only this tournament.", min=1),
    since: str = typer.Option(
        "", "--since", help="Only games that began at this time or later: YYYY-MM-DD, or with HH:MM."
    ),
    database: str | None = DATABASE_OPTION,
    processes: int = PROCESSES_OPTION,
    server: str | None = SERVER_OPTION,
) -> None:
    """Write games that are over, oldest first, the two games of a pair together; aborted ones have no result."""
    query = {"format": form.value, "game": game, "bot": bot, "tournament": tournament, "since": _instant(since)}
    if database is not None:
        if server is not None:
            raise UserError("games come from a server or from a database, not from both")
        _check_target(database, to, form)
        copy = _copy_dataset if form is ExportFormat.PARQUET else _copy
        with other_processes(processes, database) as others:
            on_store(database, lambda store: copy(store, to, query, others))
    else:
        _from_server(server, to, query)


def export_tournament(
    tournament: int = typer.Argument(help="Number of the tournament.", min=1),
    form: ServerFormat = SERVER_FORM_OPTION,
    to: Path | None = FILE_OPTION,
    server: str | None = SERVER_OPTION,
) -> None:
    """Write a tournament's games that are over, the two games of a pair together; aborted ones have no result."""
    _from_server(server, to, {"format": form.value, "tournament": tournament})


def _check_target(database: str, to: Path | None, form: ExportFormat) -> None:
    """Raises UserError if the games would replace the database that they are read from, or need a folder."""
    from tabiya.storage.address import parse_address
    from tabiya.storage.errors import CannotOpen

    with user_errors(CannotOpen):
        address = parse_address(database)
    if to is not None and address.kind == "sqlite" and to.is_file() and to.resolve() == address.path.resolve():
        raise UserError(f"{to} is the database that is read; name another file")
    if to is not None and form is ExportFormat.PARQUET and to.exists() and not to.is_dir():
        raise UserError(f"{to} is no folder, which a data set needs")


def _instant(text: str) -> float | None:
    """Seconds since 1970 of a day or minute of this machine's calendar."""
    if not text:
        return None
    try:
        return datetime.fromisoformat(text).astimezone().timestamp()  # without a zone it is this machine's
    except (ValueError, OverflowError, OSError):
        raise UserError(f"--since is a day such as 2026-11-20, or 2026-11-20T14:30, not {text!r}") from None


def _from_server(server: str | None, to: Path | None, query: Query) -> None:
    if query["format"] == ExportFormat.PARQUET:
        raise UserError(
            "a running server cannot write data sets; give its database, or a backup of it, with --database"
        )
    api = Api(client_settings(server))
    with _written(to) as file:
        for piece in api.stream("/export", **query):
            file.write(piece)


async def _copy(store: Store, to: Path | None, query: Query, others: OtherProcesses | None) -> None:
    kinds = Counter[str]()
    with _written(to) as file:
        async for game in _games(store, query, others):
            file.write(game.text)
            kinds[game.kind] += 1
    _say(kinds["played"], kinds["aborted"], kinds["left out"], kinds["without SGF"])


async def _copy_dataset(store: Store, to: Path | None, query: Query, others: OtherProcesses | None) -> None:
    try:
        from tabiya.research.dataset import write_dataset
    except ImportError:
        raise UserError('data sets need a package that is not installed: pip install "tabiya[parquet]"') from None
    if to is None:
        raise UserError("name the folder of the data set: --to FOLDER")
    wanted = await _wanted(store, query)
    with _can_write(to):
        written = await write_dataset(store, to, wanted.matches(), others)
    aborted = written.endings["aborted"]
    _say(written.games.total() - aborted, aborted, written.left_out)


def _say(played: int, aborted: int, left_out: int, without_sgf: int = 0) -> None:
    parts = [counted(played, "game")]
    parts += [f"{counted(aborted, 'game')} that had been aborted, without a result"] if aborted else []
    parts += [f"left out {counted(left_out, 'game')} that cannot be read or replayed"] if left_out else []
    parts += [f"left out {counted(without_sgf, 'game')} that SGF does not define"] if without_sgf else []
    note("; ".join(parts))


async def _wanted(store: Store, query: Query) -> ExportFilter:
    from tabiya.server.archive.exports import ExportFilter

    wanted = ExportFilter(*(query[name] for name in ("game", "bot", "tournament", "since")))  # type: ignore[arg-type]
    await _check(store, wanted)
    return wanted


async def _games(store: Store, query: Query, others: OtherProcesses | None) -> AsyncIterator[WrittenGame]:
    from tabiya.server.archive.exports import ExportFormat as Written
    from tabiya.server.archive.exports import exported_games, has_sgf, without_sgf

    wanted = await _wanted(store, query)
    form = Written(str(query["format"]))
    if form is Written.SGF and wanted.game is not None and not has_sgf(wanted.game):
        raise UserError(without_sgf(wanted.game))
    async for game in exported_games(store, wanted, form, others):
        yield game


async def _check(store: Store, wanted: ExportFilter) -> None:
    """A name that is misspelled is said, as a server would."""
    from tabiya.games.registry import names
    from tabiya.storage.records import MatchFilter, TournamentId

    game, bot, tournament = wanted.game, wanted.bot, wanted.tournament
    # games of a package are there without it
    if game is not None and game not in names() and not await store.list_matches(MatchFilter(game=game, limit=1)):
        raise UserError(f"there is no game {shown(game)} in {store.address}")
    if bot is not None and await store.bot_by_name(bot) is None:
        raise UserError(f"there is no bot {shown(bot)} in {store.address}")
    if tournament is not None and await store.tournament(TournamentId(tournament)) is None:
        raise UserError(f"there is no tournament {tournament} in {store.address}")


@contextmanager
def _written(to: Path | None) -> Iterator[BinaryIO]:
    """The file to write to, which replaces one of this name only when it is whole.

    A terminal gets nothing that could command it.
    """
    if to is None:
        yield TerminalWriter() if sys.stdout.isatty() else sys.stdout.buffer  # type: ignore[misc]
        sys.stdout.flush()
        return
    with _can_write(to), whole_file(to) as file:
        yield file


@contextmanager
def _can_write(to: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(f"{to} cannot be written: {error.strerror}") from None


class TerminalWriter:
    """Takes bytes; shows whole lines, with control characters as escapes."""

    def __init__(self) -> None:
        self._rest = b""

    def write(self, data: bytes) -> None:
        """Show what is complete."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            typer.echo(printable(line.decode("utf-8", "replace")))
