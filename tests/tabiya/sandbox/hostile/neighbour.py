"""Somebody else on the machine, whom hostile programs are after: files, servers, a process; and whether all is well."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psutil
import pyseccomp

from tabiya.sandbox import control_group
from tests.tabiya.sandbox.hostile.program import PRELUDE

CHECKOUT = Path(__file__).absolute().parents[4]
SECRET = "SECRET"
SYSTEM_CALL = re.compile(r"reaches\('(\w+)'")
FILES = ("SECRET-FILE", "class.json", "tabiya.db", "kernels", "other/bot.py", "submission/bot.py")
SLEEPER = "import time; print('up', flush=True); time.sleep(600)"
OPEN_FILES, ENDING_S = 100, 3.0
ANSWER = b"HTTP/1.0 200 OK\r\n\r\nTABIYA"


class Neighbour(NamedTuple):
    """root: its folder, in which the program's own lies.  words: what stands in the programs' code."""

    root: Path
    folder: Path
    process: subprocess.Popen[bytes]
    words: dict[str, object]

    def program(self, code: str) -> str:
        """The whole program: what all begin with, and this code, which is tried."""
        machine = pyseccomp.system_arch()
        numbers = {name: pyseccomp.resolve_syscall(machine, name) for name in SYSTEM_CALL.findall(code)}
        return f"{self.prelude()}\nNUMBERS = {numbers}\ntries(lambda: {code.format(**self.words)})\n"

    def prelude(self) -> str:
        """What all programs begin with; it holds the name of our folder, by which their processes are known."""
        return f"{self._mark()}\n{PRELUDE}"

    def _mark(self) -> str:
        return f"MARK = {str(self.root)!r}"

    def left_behind(self) -> list[int]:
        """Processes of the programs that do not end within a moment."""
        mark, until = self._mark(), time.monotonic() + ENDING_S
        while (left := [one.pid for one in psutil.process_iter() if mark in _words(one)]) and time.monotonic() < until:
            time.sleep(0.02)
        return left

    def state(self) -> object:
        """What a program must not change: equal before and after."""
        files = [((self.root / name).read_text(), *_stat(self.root / name)) for name in FILES]
        limits = resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE)
        one = psutil.Process(self.process.pid)
        names = sorted(str(path) for path in self.root.rglob("*"))
        return files, limits, self.process.poll(), one.status(), one.nice(), one.cpu_affinity(), names

    def answers(self) -> bool:
        """Whether its server still does."""
        with socket.create_connection(("127.0.0.1", int(str(self.words["port"]))), timeout=5) as one:
            one.send(b"x")
            return one.recv(10) == ANSWER[:10]


@contextlib.contextmanager
def neighbour() -> Iterator[Neighbour]:
    """One that lives as long as the block."""
    root = Path(tempfile.mkdtemp(prefix="tabiya-hostile-"))
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, root, ignore_errors=True)
        _write_files(root)
        process = subprocess.Popen([sys.executable, "-I", "-S", "-c", SLEEPER], cwd=root, stdout=subprocess.PIPE)
        stack.enter_context(process)
        stack.callback(process.kill)
        assert process.stdout is not None
        process.stdout.readline()
        while psutil.Process(process.pid).status() != psutil.STATUS_SLEEPING:
            time.sleep(0.001)
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
        memory, queue = _shared_with_others(stack)
        words: dict[str, object] = {
            "root": str(root),
            "own": str(root / "submission"),
            "secret": str(root / "SECRET-FILE"),
            "kernels": str(root / "kernels"),
            "checkout": str(CHECKOUT),
            "package": str(CHECKOUT / "tabiya" / "__init__.py"),
            "user": psutil.Process().username(),
            "disk": next(
                (f"/dev/{name}" for name in ("vda", "sda", "nvme0n1") if Path(f"/dev/{name}").exists()), "/dev/vda"
            ),
            "group": next(map(str, sorted(control_group.ROOT.glob("*/cgroup.procs"))), "/sys/fs/cgroup/cgroup.procs"),
            "parent": os.getpid(),
            "neighbour": process.pid,
            "memory": memory,
            "queue": queue,
            **_servers(root, stack),
        }
        yield Neighbour(root, root / "submission", process, words)


def _write_files(root: Path) -> None:
    root.chmod(0o755)
    for name in FILES:
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(SECRET)
    (root / "submission" / "link").symlink_to(root / "SECRET-FILE")


def _shared_with_others(stack: contextlib.ExitStack) -> tuple[int, int]:
    """Numbers of a piece of memory and of a message queue."""
    libc = ctypes.CDLL(None)
    memory, queue = libc.shmget(0, 4096, 0o1600), libc.msgget(0, 0o1600)
    stack.callback(libc.shmctl, memory, 0, None)
    stack.callback(libc.msgctl, queue, 0, None)
    return memory, queue


def _servers(root: Path, stack: contextlib.ExitStack) -> dict[str, object]:
    abstract = f"\0{root.name}"
    sockets = {
        "port": _bound(stack, socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
        "udp": _bound(stack, socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
        "socket": _bound(stack, socket.AF_UNIX, socket.SOCK_STREAM, str(root / "socket")),
        "datagrams": _bound(stack, socket.AF_UNIX, socket.SOCK_DGRAM, str(root / "datagrams")),
        "abstract": _bound(stack, socket.AF_UNIX, socket.SOCK_STREAM, abstract),
    }
    for name in ("socket", "datagrams"):
        (root / name).chmod(0o777)
    addresses = {name: one.getsockname() for name, one in sockets.items()}
    ports = {name: addresses[name][1] for name in ("port", "udp")}
    return {**addresses, **ports, "abstract": abstract}


def _bound(stack: contextlib.ExitStack, family: int, kind: int, address: tuple[str, int] | str) -> socket.socket:
    one = stack.enter_context(contextlib.closing(socket.socket(family, kind)))
    one.bind(address)
    if kind == socket.SOCK_STREAM:
        one.listen()
    threading.Thread(target=_serve, args=(one,), daemon=True).start()
    stack.callback(one.shutdown, socket.SHUT_RDWR) if kind == socket.SOCK_STREAM else stack.callback(_wake, one)
    return one


def _wake(one: socket.socket) -> None:
    with socket.socket(one.family, socket.SOCK_DGRAM) as other:
        other.sendto(b"", one.getsockname())


def _serve(one: socket.socket) -> None:
    """Answer anyone who comes until the socket is closed."""
    with contextlib.suppress(OSError):
        while True:
            if one.type == socket.SOCK_STREAM:
                with one.accept()[0] as connection:
                    connection.settimeout(1)
                    with contextlib.suppress(OSError):
                        connection.recv(1000)
                        connection.send(ANSWER)
                continue
            printed, address = one.recvfrom(100)
            if not printed:
                return
            if address:
                one.sendto(ANSWER, address)


def _stat(path: Path) -> tuple[int, ...]:
    found = path.stat()
    return found.st_mode, found.st_uid, found.st_nlink, found.st_mtime_ns


def _words(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:  # it has ended
        return ""
