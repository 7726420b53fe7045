"""Options that several commands have."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from tabiya.sandbox.option import SandboxOption
    from tabiya.sandbox.sandbox import Sandbox


class OnFailure(StrEnum):
    """What happens in a match when a player's program fails or has no move in time."""

    FORFEIT = "forfeit"
    LEGAL_MOVE = "legal-move"


class LogLevel(StrEnum):
    """Lowest level to log."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


HOST_OPTION = typer.Option(None, "--host", help="Address to bind [127.0.0.1].")
PORT_OPTION = typer.Option(
    None, "--port", help="Port of the bots' websockets [8765]; 0: any free one.", min=0, max=65_535
)
PAGES_PORT_OPTION = typer.Option(
    None, "--pages-port", help="Port of pages and API [8080]; 0: any free one.", min=0, max=65_535
)
PUBLIC_URL_OPTION = typer.Option(
    None, "--public-url", help="Public address behind a proxy, such as https://games.example.org."
)
DATABASE_OPTION = typer.Option(
    None, "--database", "-d", help="Database: a file or postgresql://… [TABIYA_DATABASE_URL, else tabiya.db]."
)
LOG_LEVEL_OPTION = typer.Option(LogLevel.INFO, "--log-level", help="Lowest level to log.")
LOG_JSON_OPTION = typer.Option(False, "--log-json", help="Write the log as JSON lines.")
SERVER_OPTION = typer.Option(None, "--server", "-s", help="Address of the server, such as http://HOST:8080.")
PROCESSES_OPTION = typer.Option(0, "--processes", "-j", help="Number of processes; 0: one per core.", min=0)
OPERATOR_OPTION = typer.Option(None, "--operator-token", help="Operator token; needed for a server on another machine.")
TOKEN_OPTION = typer.Option(None, "--token", help="The bot's token [TABIYA_TOKEN, or the token saved on this machine].")
ON_FAILURE_OPTION = typer.Option(
    OnFailure.FORFEIT,
    "--on-failure",
    help=("If the program fails or is too slow: lose the game, or play a legal move for it and mark that move."),
)

SANDBOX_HELP = (
    "Sandbox for a PLAYER that is not built in: auto (the strongest available), bubblewrap, podman, landlock or none."
)
MEMORY_OPTION = typer.Option(1024, "--memory", help="Memory limit of the sandbox, in megabytes.", min=16)
FILE_SIZE_OPTION = typer.Option(
    64, "--file-size", help="Largest file that the sandboxed program may write, in megabytes.", min=1
)


def sandbox_from(wanted: SandboxOption | None, memory_mb: int, file_mb: int) -> Sandbox | None:
    """The requested sandbox, None for none; prints what it does. Raises UserError if it is not available."""
    if wanted is None:
        return None
    from tabiya.cli.output import note
    from tabiya.sandbox.choice import choose
    from tabiya.sandbox.limits import Limits

    return choose(wanted, Limits(memory_mb=memory_mb, file_mb=file_mb), note)


def available_sandbox(wanted: SandboxOption, memory_mb: int, file_mb: int) -> str:
    """The name of the sandbox to use. Raises UserError if the wanted one is not available here."""
    from tabiya.sandbox.option import SandboxOption

    sandbox = sandbox_from(wanted, memory_mb, file_mb)
    return SandboxOption.NONE.value if sandbox is None else sandbox.kind.value
