"""A program that does not outlive its parent: `python -m tabiya.processes.die_with_parent PARENT COMMAND...`.

It ends even if the parent is killed and could stop nobody. Only Linux has this; elsewhere such a program goes on.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of Linux' prctl


def die_with_parent(parent: int) -> None:
    """Let this process be killed when its parent ends. Exits if the parent is gone already."""
    if sys.platform == "linux":
        # kept over exec. "Parent" is the thread that started us: it has to live as long as its process
        ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:  # it ended before the call above, so that no signal comes any more
            sys.exit(128 + signal.SIGKILL)


def exec_command(command: list[str]) -> int:
    """Run the command in place of this process; the exit status of a shell if it cannot be started."""
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"{command[0]} cannot be started: {error.strerror}\n")
    return 127


if __name__ == "__main__":
    die_with_parent(int(sys.argv[1]))
    sys.exit(exec_command(sys.argv[2:]))
