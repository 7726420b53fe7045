"""Programs of others as processes: command line, environment, process group, and how a process ended in words."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from typing import Any

# TABIYA_CONFIG names a file with tokens in it; a password stands in the address of a PostgreSQL database, or beside it.
SECRETS = frozenset(
    {
        "TABIYA_TOKEN",
        "TABIYA_INVITE_SECRET",
        "TABIYA_OPERATOR_TOKEN",
        "TABIYA_WORKER_TOKEN",
        "TABIYA_CONFIG",
        "TABIYA_DATABASE_URL",
        "TABIYA_DATABASE_PASSWORD",
        "PGPASSWORD",
    }
)


def environment() -> dict[str, str]:
    """Our environment variables without secrets, for the program of somebody else."""
    return {name: value for name, value in os.environ.items() if name not in SECRETS}


def with_address(command: tuple[str, ...], url: str) -> tuple[str, ...]:
    """The command line with the address in place of `{url}`, as its last argument if it has none."""
    if any("{url}" in word for word in command):
        return tuple(word.replace("{url}", url) for word in command)
    return (*command, url)


def own_group() -> dict[str, Any]:
    """Arguments of Popen: a group of its own, so that what it starts ends with it and Ctrl-C reaches it by us alone."""
    if os.name == "nt":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}  # type: ignore[attr-defined,unused-ignore]
    return {"start_new_session": True}


def signal_group(pid: int, *, hard: bool) -> None:
    """Ask the process that leads a group, and those it has started, to end; or end them."""
    with contextlib.suppress(OSError):  # the group may be empty
        if os.name == "nt":
            # nothing there asks a whole tree of processes politely: it is ended, hard or not
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(pid)], capture_output=True, check=False)
        else:
            os.killpg(pid, signal.SIGKILL if hard else signal.SIGTERM)


def exit_text(status: int) -> str:
    """An exit status in words: `exit status 3`, `signal SIGKILL`."""
    if status >= 0:
        return f"exit status {status}"
    with contextlib.suppress(ValueError):
        return f"signal {signal.Signals(-status).name}"
    return f"signal {-status}"
