"""Starts a container and removes it when its starter ends, however that ends.

    python -I -S container_supervisor.py SETTINGS

SETTINGS is a JSON object of `ContainerSettings`. Neither podman nor a container ends with us or with our process group.
So the process that is started here, which does, has another one apart from all of ours, which sees it end. It imports
nothing of ours but restricted_exec.py beside it.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TypedDict

RETRY_S = 0.02
PIPES = (3, 4, 5)  # where podman hands them on


class ContainerSettings(TypedDict):
    """What is to be done.

    parent: to end with.  run, remove: commands of podman.  thaw: a file, and what is written into it so that nothing of
    the container is frozen; None for nothing.  folders: of control groups, to be taken away.  folder: the container's.
    """

    parent: int
    run: list[str]
    remove: list[str]
    thaw: tuple[str, str] | None
    folders: list[str]
    folder: str


def main(settings: ContainerSettings) -> int:
    """The exit status of the program."""
    sys.path.insert(0, str(Path(__file__).parent))
    from restricted_exec import die_with  # type: ignore[import-not-found,unused-ignore]

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    die_with(settings["parent"])
    for number, kept in enumerate(PIPES):
        os.dup2(number, kept)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):
        os.dup2(nothing, number)
    alive, ours = os.pipe()
    status, theirs = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.close(ours)
            _keep(settings, alive, theirs)
        os._exit(0)
    os.close(theirs)
    for kept in PIPES:
        os.close(kept)
    return int(os.read(status, 9) or 1)


def _keep(settings: ContainerSettings, alive: int, status: int) -> None:
    """Run the container until it ends, or `alive` does. Our pipes stay open until then."""
    podman = subprocess.Popen(settings["run"], pass_fds=PIPES)
    os.close(PIPES[0])
    ready, _, _ = select.select([alive, os.pidfd_open(podman.pid)], [], [])
    if alive not in ready:
        os.write(status, b"%d" % podman.wait())
        return
    # Podman is left to go on: one that is killed while it starts a container leaves it half made, out of its own reach.
    while podman.poll() is None:
        if settings["thaw"] is not None:  # what is frozen does not end everywhere
            file, word = settings["thaw"]
            with contextlib.suppress(OSError):
                Path(file).write_text(word)
        subprocess.run(settings["remove"], stderr=subprocess.DEVNULL, check=False)
        time.sleep(RETRY_S)
    for folder in settings["folders"]:
        for below in (*Path(folder).glob("*/"), Path(folder)):
            with contextlib.suppress(OSError):
                below.rmdir()
    shutil.rmtree(settings["folder"], ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
