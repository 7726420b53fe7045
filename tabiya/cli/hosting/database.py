"""`tabiya db`: look after a database that no server is using."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import typer

from tabiya.cli.output import note
from tabiya.errors import UserError

T = TypeVar("T")

app = typer.Typer(help="Look after a database: upgrade, check, backup, restore.", no_args_is_help=True)

DATABASE_OPTION = typer.Option(None, "--database", "-d", help="File, or postgresql://… [TABIYA_DATABASE_URL].")


def database_url(given: str | None) -> str:
    """The database meant: flag, environment, or the server's usual file."""
    return given or os.environ.get("TABIYA_DATABASE_URL") or "tabiya.db"


def run_on_store(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine about a store; its errors are sentences already."""
    from tabiya.storage.errors import StoreError

    try:
        return asyncio.run(work)
    except StoreError as error:
        raise UserError(str(error)) from None


@app.command()
def upgrade(database: str | None = DATABASE_OPTION) -> None:
    """Bring the tables to this version of Tabiya."""
    from tabiya.storage.sql.upgrade import upgrade as upgrade_tables

    note(f"the tables are at revision {run_on_store(upgrade_tables(database_url(database)))}")


@app.command()
def check(database: str | None = DATABASE_OPTION) -> None:
    """Look for faults in the stored data; exit status 1 if there are any."""
    from tabiya.storage.open import open_store

    async def work() -> list[str]:
        store = await open_store(database_url(database), create=False)
        try:
            return list(await store.check())
        finally:
            await store.close()

    faults = run_on_store(work())
    for fault in faults:
        typer.echo(fault)
    if faults:
        raise UserError(f"{len(faults)} faults found")
    note("no faults found")


@app.command()
def backup(
    target: Path = typer.Argument(help="File to write; it must not exist."), database: str | None = DATABASE_OPTION
) -> None:
    """Write a consistent copy, also while a server runs (SQLite; for PostgreSQL use pg_dump)."""
    from tabiya.storage.open import open_store

    async def work() -> None:
        store = await open_store(database_url(database), create=False)
        try:
            await store.backup(target)
        finally:
            await store.close()

    run_on_store(work())
    note(f"written: {target}")


@app.command()
def restore(
    source: Path = typer.Argument(help="A backup."),
    database: str | None = DATABASE_OPTION,
    replace: bool = typer.Option(False, "--replace", help="Replace the database if there is one."),
) -> None:
    """Put a backup in the place of the database."""
    from tabiya.storage.address import parse_address
    from tabiya.storage.sql.backup import restore_database

    async def work() -> None:
        address = parse_address(database_url(database))
        if address.kind != "sqlite":
            raise UserError("only SQLite files are restored here; for PostgreSQL use pg_restore or psql")
        await asyncio.to_thread(restore_database, source, Path(address.path), replace=replace)

    run_on_store(work())
    note("restored")
