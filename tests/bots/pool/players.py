"""Tiny players for the worker processes of the tests, built by `build`; each misbehaves in its own way."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from tabiya.bots.players.api import MatchInfo, MoveReply, MoveRequest

FACTORY = "tests.bots.pool.players:build"


class Lot:
    """A legal move by lot; the base of the others. `rest` is what follows the colon in the player's text."""

    def __init__(self, rest: str, threads: int) -> None:
        self.rest, self.threads = rest, threads
        self.match: MatchInfo | None = None
        self.stopped = threading.Event()

    def new_match(self, match: MatchInfo) -> None:
        self.match = match

    def choose(self, request: MoveRequest) -> MoveReply:
        assert request.legal_moves is not None
        move = Random(request.seed).choice(request.legal_moves)
        return MoveReply(move=move, text=f"pid {os.getpid()} threads {self.threads}")

    def stop(self) -> None:
        self.stopped.set()


class Remembers(Lot):
    """Tells how many questions of this match it was asked, and the match's own facts."""

    def new_match(self, match: MatchInfo) -> None:
        super().new_match(match)
        self.asked = 0

    def choose(self, request: MoveRequest) -> MoveReply:
        self.asked += 1
        assert self.match is not None
        return MoveReply(move=f"{self.match.match}.{self.asked}", text=f"{self.match.options} {id(self)}")


class Dies(Lot):
    """Kills its own process in the middle of a thought: always, or once if a file is named to remember it in."""

    def choose(self, request: MoveRequest) -> MoveReply:
        if not self.rest or not Path(self.rest).exists():
            if self.rest:
                Path(self.rest).touch()
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
        return super().choose(request)


class Forks(Lot):
    """Starts a process of itself, writes its id into a file, and kills its own; in the first thought."""

    def choose(self, request: MoveRequest) -> MoveReply:
        file = Path(self.rest)
        if not file.exists():
            child = os.fork()
            if not child:
                time.sleep(1000)
            file.write_text(str(child))
            os.kill(os.getpid(), signal.SIGKILL)
        return super().choose(request)


class Hangs(Lot):
    """Hears no stop: always, or once if a file is named to remember it in."""

    def choose(self, request: MoveRequest) -> MoveReply:
        if not self.rest or not Path(self.rest).exists():
            if self.rest:
                Path(self.rest).touch()
            time.sleep(1000)
        return super().choose(request)


class Late(Lot):
    """Hears no stop, and answers when the file is there."""

    def choose(self, request: MoveRequest) -> MoveReply:
        while not Path(self.rest).exists():
            time.sleep(0.005)
        return super().choose(request)


class Held(Lot):
    """Leaves a file of its process's id in a folder with each thought, and answers when `go on` is there, too."""

    def choose(self, request: MoveRequest) -> MoveReply:
        folder = Path(self.rest)
        (folder / str(os.getpid())).touch()
        while not (folder / "go on").exists():
            time.sleep(0.005)
        return MoveReply(move="a1", text=f"pid {os.getpid()} left {request.remaining_ms}")


class HangsInNativeCode(Lot):
    """Holds the interpreter lock in C forever: even the reading thread of its worker stands still."""

    def choose(self, request: MoveRequest) -> MoveReply:
        ctypes.PyDLL(None).pause()
        return super().choose(request)


class ListensToStop(Lot):
    """Thinks until it is stopped, and says how long that was allowed to be."""

    def choose(self, request: MoveRequest) -> MoveReply:
        self.stopped.clear()
        was_stopped = self.stopped.wait(1000)
        return MoveReply(move="a1", text=f"stopped {was_stopped} budget {request.budget_s}")


class BeginsLate(ListensToStop):
    """The same, but its thought begins only when its time is over."""

    def new_match(self, match: MatchInfo) -> None:
        time.sleep(0.2)
        super().new_match(match)


class Fails(Lot):
    """Divides by zero."""

    def choose(self, request: MoveRequest) -> MoveReply:
        return MoveReply(move=str(1 // 0))


class Exits(Lot):
    """Calls sys.exit()."""

    def choose(self, request: MoveRequest) -> MoveReply:
        sys.exit(3)


class Forgets(Lot):
    """Returns nothing."""

    def choose(self, request: MoveRequest) -> MoveReply:
        return None  # type: ignore[return-value]  # the fault under test


class Misjudges(Lot):
    """Says of its depth what is no whole number."""

    def choose(self, request: MoveRequest) -> MoveReply:
        return MoveReply(move="a1", depth=1.5)  # type: ignore[arg-type]  # the fault under test


class Talks(Lot):
    """Prints, reads from standard input, where the frames once were, and counts in NumPy's numbers."""

    def choose(self, request: MoveRequest) -> MoveReply:
        import numpy as np

        print("thinking aloud " * 1000)  # noqa: T201
        depth, score = np.int64(7), np.int32(-5)
        return MoveReply(move="a1", text=repr(sys.stdin.read()), depth=depth, score=score)  # type: ignore[arg-type]


class Program(Lot):
    """Has another program running, and ends it when told to."""

    def __init__(self, rest: str, threads: int) -> None:
        super().__init__(rest, threads)
        self.program = subprocess.Popen(
            [sys.executable, "-c", "import time; time.sleep(1000)"], start_new_session=os.name == "posix"
        )

    def choose(self, request: MoveRequest) -> MoveReply:
        return MoveReply(move="a1", text=str(self.program.pid))

    def kill(self) -> None:
        self.program.kill()
        self.program.wait()


class Echo(Lot):
    """Says what it was asked."""

    def choose(self, request: MoveRequest) -> MoveReply:
        return MoveReply(move="a1", text=f"{request.remaining_ms} {request.move_limit_ms} {request.budget_s:.3f}")


class Options(Lot):
    """Tells its options and how many questions it was asked."""

    asked = 0

    def choose(self, request: MoveRequest) -> MoveReply:
        self.asked += 1
        return MoveReply(move="a1", text=f"{self.rest} asked {self.asked}")


KINDS = {
    "lot": Lot,
    "remembers": Remembers,
    "dies": Dies,
    "forks": Forks,
    "hangs": Hangs,
    "late": Late,
    "held": Held,
    "native": HangsInNativeCode,
    "listens": ListensToStop,
    "begins-late": BeginsLate,
    "fails": Fails,
    "exits": Exits,
    "forgets": Forgets,
    "misjudges": Misjudges,
    "talks": Talks,
    "echo": Echo,
    "program": Program,
    "options": Options,
}


def as_numba(function: Callable[[float], None]) -> Callable[[float], None]:
    """The function, called from code that seems to be the compiler's."""
    space: dict[str, Any] = {"function": function}
    source = "def compiles(seconds):\n    function(seconds)\n"
    exec(compile(source, "/site/numba/core/compiler.py", "exec"), space)  # noqa: S102 (its file is what matters)
    found: Callable[[float], None] = space["compiles"]
    return found


def build(player: str, threads: int = 1) -> Lot:
    """The player that the text names; some cannot be built."""
    kind, _, rest = player.partition(":")
    if kind == "unbuildable":
        raise ImportError("no such engine")
    if kind == "vanishes":
        os._exit(7)
    if kind == "endless":
        time.sleep(1000)
    if kind == "compiles":
        as_numba(time.sleep)(7.0)  # more than the test allows, which is plenty for what comes before
        kind = "lot"
    if rest.endswith("?fails"):
        raise ValueError("no such option")
    return KINDS[kind](rest, threads)
