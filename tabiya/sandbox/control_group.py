"""A Linux control group around a sandbox: limits all its processes together, and freezes them.

Version 2 where we may make groups, version 1 where root finds it. Where neither can be had, there are none: limits hold
for each process alone then, and a program is stopped by signals.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import secrets
import signal
import subprocess
import time
from pathlib import Path

from tabiya.sandbox.limits import MEGABYTE, Limits

ROOT = Path("/sys/fs/cgroup")
PERIOD_US = 100_000
EMPTY_S, POLL_S = 2.0, 0.01
FREEZERS = {"cgroup.freeze": ("0", "1"), "freezer.state": ("THAWED", "FROZEN")}  # of version 2 and 1
KINDS = ("memory", "pids", "cpu", "freezer")
_numbers = itertools.count(1)
_PREFIX = f"tabiya-{os.getpid()}-{secrets.token_hex(4)}"


class ControlGroup:
    """One group, made by `new_group`. folders: one, or in version 1 one for each kind."""

    def __init__(self, folders: tuple[Path, ...], held: frozenset[str]) -> None:
        """held: of KINDS."""
        self.folders, self.held = folders, held

    @property
    def name(self) -> str:
        """The same in all of its folders."""
        return self.folders[0].name

    def entering(self, command: tuple[str, ...]) -> tuple[str, ...]:
        """The command, started in the group. It is in it before its own first step."""
        enter = "".join(f'echo $$ > "{folder}/cgroup.procs" && ' for folder in self.folders)
        return ("/bin/sh", "-c", f'{enter}exec "$@"', "sh", *command)

    @property
    def thawing(self) -> tuple[str, str] | None:
        """A file, and what lets its processes go on when it is written there; None if they cannot be frozen."""
        file, words = self._freezer
        return None if file is None else (str(file), words[0])

    def freeze(self) -> None:
        """Stop all of its processes. Raises nothing."""
        self._set_frozen(True)

    def thaw(self) -> None:
        """Continue them. Raises nothing."""
        self._set_frozen(False)

    def _set_frozen(self, frozen: bool) -> None:
        file, words = self._freezer
        if file is not None:
            with contextlib.suppress(OSError):
                file.write_text(words[frozen])

    @functools.cached_property  # looked for once and not with every move
    def _freezer(self) -> tuple[Path | None, tuple[str, str]]:
        """The file that freezes, and what thaws and freezes when it is written there."""
        for name, words in FREEZERS.items():
            for folder in self.folders:
                if (folder / name).exists():
                    return folder / name, words
        return None, ("", "")

    @property
    def memory_exceeded(self) -> bool:
        """Whether the system has ended one of its processes because of the memory that all use."""
        for folder in self.folders:
            for file in ("memory.events", "memory.oom_control"):
                with contextlib.suppress(OSError):
                    words = (folder / file).read_text().split()
                    if "oom_kill" in words and words[words.index("oom_kill") + 1] != "0":
                        return True
        return False

    def remove(self) -> None:
        """End what is left in it and take it away; it may take a moment. Raises nothing."""
        until = time.monotonic() + EMPTY_S
        while self._pids():
            self.freeze()  # otherwise a program that forks faster than we poll escapes
            for pid in self._pids():
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            self.thaw()  # what is frozen cannot end in version 1
            if time.monotonic() > until:
                return
            time.sleep(POLL_S)
        for folder in self.folders:
            while not _is_removed(folder) and time.monotonic() < until:
                time.sleep(POLL_S)

    def _pids(self) -> set[int]:
        found: set[int] = set()
        for folder in self.folders:
            for below, _, _ in os.walk(folder):  # a container's group is below ours, and may go away meanwhile
                with contextlib.suppress(OSError):
                    found.update(map(int, Path(below, "cgroup.procs").read_text().split()))
        return found


def _is_removed(folder: Path) -> bool:
    """Try to remove it. The system says for a moment that it is busy after its last process has left the list."""
    with contextlib.suppress(OSError):
        for below in sorted(folder.glob("**/"), reverse=True):  # it comes last
            below.rmdir()
    return not folder.exists()


def new_group(limits: Limits, *, at_the_top: bool = False) -> ControlGroup | None:
    """A group with these limits, as far as they can be set here; None where no group can be made.

    at_the_top: not beneath the group that we are in, and of every kind, so that its name says where it is.
    """
    name = f"{_PREFIX}-{next(_numbers)}"
    for parents in _top() if at_the_top else _places():
        made = []
        try:
            for parent in parents:
                folder = parent / name
                folder.mkdir()
                made.append(folder)
            return ControlGroup(tuple(made), _limited(made, limits))
        except OSError:
            for folder in made:
                folder.rmdir()
    return None


@functools.cache
def _places() -> tuple[tuple[Path, ...], ...]:
    """Where groups can be made and entered, the best first: one folder each of version 2, several of version 1."""
    own = dict(_own_groups())
    version_1 = tuple(ROOT / kind / own[kind].lstrip("/") for kind in KINDS if kind in own)
    version_2 = []
    if (ROOT / "cgroup.controllers").exists():
        version_2 = [ROOT] if os.geteuid() == 0 else []
        user = Path(f"user.slice/user-{os.getuid()}.slice/user@{os.getuid()}.service")
        version_2 += [ROOT / own.get("", "/").lstrip("/"), ROOT / user]
    elif (ROOT / "unified").exists() and not version_1:
        version_2 = [ROOT / "unified"]
    return tuple(place for place in (*((one,) for one in version_2), version_1) if place and _can_enter(place))


@functools.cache
def _top() -> tuple[tuple[Path, ...], ...]:
    """Like _places, for root alone."""
    if os.geteuid() != 0:
        return ()
    if (ROOT / "cgroup.controllers").exists():
        found = {ROOT}
    else:
        found = {file.parent.resolve() for file in ROOT.glob("*/cgroup.procs")}
    _prepare(tuple(found))
    return (tuple(sorted(found)),) if found else ()


def _own_groups() -> list[tuple[str, str]]:
    """Controller and path of the groups that this process is in; version 2 has none but the path."""
    found = []
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, kinds, path = line.split(":", 2)
            found += [(kind, path) for kind in kinds.split(",")]
    return found


def _can_enter(parents: tuple[Path, ...]) -> bool:
    """Tried with a process that does nothing."""
    group = ControlGroup(tuple(parent / f"{_PREFIX}-try" for parent in parents), frozenset())
    _prepare(parents)
    try:
        for folder in group.folders:
            folder.mkdir()
        return subprocess.run(group.entering(("true",)), capture_output=True, check=False).returncode == 0
    except OSError:
        return False
    finally:
        group.remove()


def _prepare(parents: tuple[Path, ...]) -> None:
    _remove_stale(parents)
    for parent in parents:
        for kind in KINDS:  # of version 2: what its groups can be given
            with contextlib.suppress(OSError):
                if (parent / "cgroup.subtree_control").exists():
                    (parent / "cgroup.subtree_control").write_text(f"+{kind}")


def _remove_stale(parents: tuple[Path, ...]) -> None:
    """Remove the groups of a killed Tabiya process; frozen programs in them would wait forever."""
    stale: dict[str, list[Path]] = {}
    for folder in (folder for parent in parents for folder in parent.glob("tabiya-*-*-*")):
        if not Path(f"/proc/{folder.name.split('-')[1]}").exists():
            stale.setdefault(folder.name, []).append(folder)
    for folders in stale.values():  # all of a group together: in version 1 only one of them can thaw its processes
        ControlGroup(tuple(folders), frozenset()).remove()


def _limited(folders: list[Path], limits: Limits) -> frozenset[str]:
    """Set what can be set; of KINDS, what holds now."""
    memory, processes = limits.memory_mb * MEGABYTE, limits.processes
    quota = int(limits.cores * PERIOD_US)
    settings = (
        ("memory", "memory.max", memory),
        ("memory", "memory.limit_in_bytes", memory),
        ("", "memory.swap.max", 0),
        ("", "memory.memsw.limit_in_bytes", memory),
        ("pids", "pids.max", processes),
        ("cpu", "cpu.max", f"{quota} {PERIOD_US}"),
        ("cpu", "cpu.cfs_quota_us", quota),
    )
    held = set()
    for folder in folders:
        for kind, file, value in settings:
            with contextlib.suppress(OSError):
                if (folder / file).exists():
                    (folder / file).write_text(str(value))
                    held.add(kind)
        if any((folder / name).exists() for name in FREEZERS):
            held.add("freezer")
    return frozenset(held - {""})
