"""Podman: a container without an image; the allowed files are mounted into an empty root.

The program gets our pipes themselves, past podman, which starts and ends it and has no part in a move.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tabiya.sandbox.bubblewrap import KEPT_CAPABILITIES
from tabiya.sandbox.control_group import ROOT as CONTROL_GROUPS
from tabiya.sandbox.control_group import ControlGroup
from tabiya.sandbox.limits import MEGABYTE, Limits
from tabiya.sandbox.places import readable

if TYPE_CHECKING:
    from tabiya.sandbox.container_supervisor import ContainerSettings

PROGRAM = "podman"
REMOVAL_S = 20.0
KEPT_VARIABLES = ("HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")
CONTAINER_SUPERVISOR = Path(__file__).with_name("container_supervisor.py")
WITH_ITS_PIPES = 'exec "$@" <&3 >&4 2>&5 3<&- 4>&- 5>&-'


class Container:
    """One container, from before it starts until it is removed."""

    def __init__(self, limits: Limits, group: ControlGroup | None) -> None:
        """group: of control_group.new_group(at_the_top=True); the container's own is made beneath it."""
        self._limits, self._group = limits, group
        self._folder = Path(tempfile.mkdtemp(prefix="tabiya-"))

    def command(self, seen: Path | None, environment: dict[str, str], inside: tuple[str, ...]) -> tuple[str, ...]:
        """What starts `inside`, the last step before the program. seen: the program's folder, to be read."""
        run = (*_podman(), "run", "--rm", *self._options(), *self._files(seen))
        variables = (f"{name}={value}" for name, value in environment.items())  # podman adds some of its own
        run += ("--rootfs", str(self._folder / "root"), "/bin/sh", "-c", WITH_ITS_PIPES, "sh", "env", "-i", *variables)
        settings: ContainerSettings = {
            "parent": os.getpid(),
            "run": [*run, *inside],
            "remove": list(self._removal()),
            "thaw": None if self._group is None else self._group.thawing,
            "folders": [] if self._group is None else list(map(str, self._group.folders)),
            "folder": str(self._folder),
        }
        return (sys.executable, "-I", "-S", str(CONTAINER_SUPERVISOR), json.dumps(settings))

    def _options(self) -> tuple[str, ...]:
        rights = KEPT_CAPABILITIES if os.geteuid() == 0 else ()
        limits, memory = self._limits, f"{self._limits.memory_mb}m"
        words = ["--name", self._folder.name, "--pidfile", str(self._folder / "pid"), "--log-driver", "none"]
        words += ["--preserve-fds", "3", "--network", "none", "--ipc", "private", "--hostname", "tabiya", "--no-hosts"]
        # label: otherwise SELinux hides the mounts.  mask: no program needs it, and it shows details of the machine
        words += ["--security-opt", "no-new-privileges", "--security-opt", "label=disable"]
        words += ["--security-opt", "mask=/sys"]
        words += ["--cap-drop", "all", *(word for right in rights for word in ("--cap-add", right))]
        for name, most in (("nofile", limits.open_files), ("nproc", limits.processes)):
            words += ["--ulimit", f"{name}={most}:{most}"]  # its default is more than some machines allow
        if self._group is not None:
            words += ["--cgroups", "no-conmon", "--cgroup-parent", f"/{self._group.name}", "--pids-limit", "-1"]
        elif _is_version_2():  # what systemd lets a user bound
            words += ["--memory", memory, "--memory-swap", memory, "--pids-limit", str(limits.processes)]
        return tuple(words)

    def _files(self, seen: Path | None) -> tuple[str, ...]:
        """An empty file system, and in it what may be seen."""
        root, scratch = self._folder / "root", self._limits.scratch_mb * MEGABYTE
        words = ["--read-only", "--read-only-tmpfs=false"]
        words += ["--shm-size", str(scratch), "--tmpfs", f"/tmp:size={scratch}"]
        root.mkdir()
        (root / "tmp").mkdir()
        for path in (root, root / "tmp"):
            path.chmod(0o1777 if path.name == "tmp" else 0o755)  # what is mounted there has the same mode
        is_within = seen is not None and any(seen.is_relative_to(path) for path in readable())
        for path in (*readable(), *(() if seen is None or is_within else (str(seen),))):
            at = root / path.lstrip("/")
            _make_folders(at.parent, root)
            if Path(path).is_symlink() and path != str(seen):
                at.symlink_to(Path(path).readlink())
            else:
                words += ["--volume", f"{path}:{path}:ro,bind"]  # bind: not what is mounted below; it is not read only
        return (*words, "--workdir", "/" if seen is None else str(seen))

    @property
    def pid(self) -> int | None:
        """Of the container's first process; None before it runs."""
        with contextlib.suppress(OSError, ValueError):
            return int((self._folder / "pid").read_text())
        return None

    def remove(self) -> None:
        """End it if it still runs and take it away. Raises nothing."""
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(
                self._removal(), stdin=subprocess.DEVNULL, capture_output=True, timeout=REMOVAL_S, check=False
            )
        shutil.rmtree(self._folder, ignore_errors=True)

    def _removal(self) -> tuple[str, ...]:
        return (*_podman(), "rm", "--force", "--ignore", "--time", "0", self._folder.name)


def _make_folders(folder: Path, root: Path) -> None:
    """The folder below the root, which every user may enter."""
    for one in reversed((folder, *folder.parents)):
        if one.is_relative_to(root) and not one.exists():
            one.mkdir()
            one.chmod(0o755)


def _podman() -> tuple[str, ...]:
    """The program, with the options that all of its commands have."""
    found = tuple(f"{name}={os.environ[name]}" for name in KEPT_VARIABLES if name in os.environ)
    words = ("env", *found, PROGRAM, "--log-level", "fatal", "--events-backend", "none")
    if os.geteuid() == 0:
        words += ("--cgroup-manager", "cgroupfs")  # the group above the container's is ours
    # its first choice, crun, refuses where both versions of control groups are mounted
    return words if _is_version_2() or shutil.which("runc") is None else (*words, "--runtime", "runc")


def _is_version_2() -> bool:
    """Whether control groups are of version 2 alone."""
    return (CONTROL_GROUPS / "cgroup.controllers").exists()
