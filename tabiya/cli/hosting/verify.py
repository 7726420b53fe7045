"""`tabiya verify`: replay every stored game by the rules, and find results and standings again from the moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabiya.cli.options import DATABASE_OPTION, PROCESSES_OPTION
from tabiya.cli.output import FORMAT_OPTION, Format, counted, note, show, show_json
from tabiya.cli.progress import bars
from tabiya.cli.stores import database_url, on_store, other_processes
from tabiya.errors import UserError

if TYPE_CHECKING:
    from tabiya.server.archive.pages import OtherProcesses
    from tabiya.server.archive.verify import VerificationReport
    from tabiya.storage.store import Store

COLUMNS = {"what": "in", "number": "number", "fault": "fault"}


def verify(
    database: str | None = DATABASE_OPTION,
    form: Format = FORMAT_OPTION,
    processes: int = PROCESSES_OPTION,
) -> None:
    """Replay every stored game and check all results, clocks and standings; exit status 1 if something differs.

    A server may use the database meanwhile.
    """
    url = database_url(database)
    with other_processes(processes, url) as others:
        found = on_store(url, lambda store: _verified(store, others))
    if form is Format.JSON:
        show_json(found)
    elif found.faults or form is Format.CSV:
        show([{"what": one.what, "number": one.number, "fault": one.fault} for one in found.faults], COLUMNS, form)
    looked_at = f"{counted(found.matches, 'match', 'es')}, {counted(found.moves, 'move')}, "
    looked_at += f"{counted(found.results, 'result')} and {counted(found.tournaments, 'tournament')}"
    if found.other_rules:
        note(f"{counted(found.other_rules, 'match', 'es')} under rules of an earlier version could not be replayed")
    if found.faults:
        raise UserError(f"{counted(len(found.faults), 'fault')} in {looked_at}")
    note(f"no faults in {looked_at}")


async def _verified(store: Store, others: OtherProcesses | None) -> VerificationReport:
    from tabiya.server.archive.verify import verify as verify_store

    with bars() as shown:
        return await verify_store(store, lambda done, total: shown.set("matches", "verified", done, total), others)
