"""`tabiya worker`: run programs of bots for a server that keeps them."""

from __future__ import annotations

import os
import socket
import tempfile
from pathlib import Path

import typer

from tabiya.cli.games import COMPILING
from tabiya.cli.options import SANDBOX_HELP, SERVER_OPTION, available_sandbox
from tabiya.cli.output import note, note_if_slow
from tabiya.errors import UserError
from tabiya.hosting.limits import FILE_MB, MEMORY_MB
from tabiya.sandbox.option import SandboxOption

TOKEN = "TABIYA_WORKER_TOKEN"  # noqa: S105 - the name of the environment variable
MB = 2**20


def worker(
    server: str | None = SERVER_OPTION,
    token: str = typer.Option("", "--token", help=f"The server's worker token [{TOKEN}]."),
    at_once: int = typer.Option(
        2, "--at-once", help="Programs that play at once; as many again may be checked.", min=1
    ),
    sandbox: SandboxOption = typer.Option(SandboxOption.AUTO, "--sandbox", help=SANDBOX_HELP),
    name: str = typer.Option("", "--name", help="Name that the operator sees [this machine's name]."),
) -> None:
    """Run uploaded programs for a server with --hosted on this machine, until Ctrl-C. You may stop it at any time."""
    token = token or os.environ.get(TOKEN, "")
    if not token:
        raise UserError(
            f"a worker needs the worker's token, which `tabiya serve --hosted` prints: give --token or {TOKEN}"
        )
    kind = available_sandbox(sandbox, MEMORY_MB, FILE_MB)

    from psutil import virtual_memory

    from tabiya.api_client.api import with_token
    from tabiya.api_client.settings import client_settings
    from tabiya.bots.client.run import run_loop
    from tabiya.hosting.server_client import HttpServerClient
    from tabiya.hosting.worker import Worker, WorkerSettings
    from tabiya.processes.server_process import signals_end_at_once, warm_rules

    settings = client_settings(server)
    with note_if_slow(COMPILING), signals_end_at_once():
        warm_rules()  # an examination is no time to compile

    async def work() -> None:
        with tempfile.TemporaryDirectory(prefix="tabiya-worker-") as folder:
            given = WorkerSettings(
                name=name or f"{socket.gethostname()}-{os.getpid()}",
                server=settings.pages,
                folder=Path(folder),
                sandbox=kind,
                at_once=at_once,
                memory_mb=virtual_memory().available // MB,
            )
            await Worker(HttpServerClient(with_token(settings, token)), given, note).run()

    run_loop(work())
