"""`tabiya db`: look after a database that no server is using."""

from __future__ import annotations

import asyncio
from pathlib import Path

import typer

from tabiya.cli.options import DATABASE_OPTION
from tabiya.cli.output import note
from tabiya.cli.stores import database_url, on_store
from tabiya.errors import UserError, user_errors

app = typer.Typer(help="Database: upgrade, check, backup, restore, move.", no_args_is_help=True)

LARGE = 1_000
"""Tables with at least this many rows are reported when they have been moved."""


@app.command()
def upgrade(database: str | None = DATABASE_OPTION) -> None:
    """Upgrade the tables to this version of Tabiya."""
    from tabiya.storage.errors import StoreError
    from tabiya.storage.sql.upgrade import upgrade as upgrade_tables

    with user_errors(StoreError):
        note(f"the tables are at revision {asyncio.run(upgrade_tables(database_url(database)))}")


@app.command()
def check(database: str | None = DATABASE_OPTION) -> None:
    """Check the stored data; exit status 1 if there are faults."""
    faults = on_store(database_url(database), lambda store: store.check())
    for fault in faults:
        typer.echo(fault)
    if faults:
        raise UserError(f"faults found: {len(faults)}")
    note("no faults found")


@app.command()
def backup(
    target: Path = typer.Argument(help="File to write; it must not exist."), database: str | None = DATABASE_OPTION
) -> None:
    """Write a consistent copy, even while a server runs (SQLite; for PostgreSQL use pg_dump)."""
    on_store(database_url(database), lambda store: store.backup(target))
    note(f"written: {target}")


@app.command()
def restore(
    source: Path = typer.Argument(help="The backup."),
    database: str | None = DATABASE_OPTION,
    replace: bool = typer.Option(False, "--replace", help="Overwrite an existing database."),
) -> None:
    """Replace the database with a backup."""
    from tabiya.storage.errors import StoreError
    from tabiya.storage.sql.backup import restore as restore_copy

    with user_errors(StoreError):
        restore_copy(database_url(database), source, replace=replace)
    note("restored")


@app.command()
def move(
    source: str = typer.Argument(help="File or postgresql://…; no server may use it meanwhile."),
    target: str = typer.Argument(help="A new file, or an empty database postgresql://…"),
) -> None:
    """Copy everything into an empty database, SQLite or PostgreSQL; the source does not change."""
    from tabiya.storage.errors import StoreError
    from tabiya.storage.sql.move import move as move_rows

    counts: dict[str, int] = {}

    def moved(table: str, rows: int) -> None:
        counts[table] = rows
        if rows >= LARGE:
            note(f"{rows:,} rows of {table}")

    with user_errors(StoreError):
        faults = asyncio.run(move_rows(source, target, moved))
    for fault in faults:
        typer.echo(fault)
    summary = f"moved: {sum(counts.values()):,} rows of {len(counts)} tables"
    if faults:
        raise UserError(
            f"{summary}; faults found: {len(faults)}; `tabiya db check` says whether the source has them too"
        )
    note(f"{summary}; no faults found")
