"""The server's interface to hosted programs; `tabiya serve --hosted` gives it an implementation.

The server runs no program of anybody. Workers do so (`tabiya worker`), in a sandbox, on this machine or on others: they
ask for a program by HTTP, keep it as long as they send heartbeats, and report the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct

from tabiya.storage.program_records import LeaseKind, LeaseOutcome, ProgramId, ProgramRecord, Usage, WishRecord
from tabiya.storage.records import BotRecord


class ProgramRefused(ValueError):
    """A program is refused; the text is one sentence for its author."""


class TooManyVersions(ProgramRefused):
    """A bot has too many versions; no other is accepted now."""


class WorkerRefused(ValueError):
    """A worker is refused; the text is one sentence for its operator."""


class WorkerState(Struct, frozen=True, kw_only=True):
    """A worker's description of itself.

    sandbox: of its programs (sandbox/option.py).  games: that it knows.  at_once: programs that may play;
    twice as many may run, and examinations take what is left.  playing, examining: how many do now.
    """

    name: str
    version: str
    cores: int
    memory_mb: int
    sandbox: str
    games: tuple[str, ...]
    at_once: int
    playing: int
    examining: int

    @property
    def room(self) -> int:
        """How many further programs it could run."""
        return max(0, 2 * self.at_once - self.playing - self.examining)


class Work(Struct, frozen=True, kw_only=True):
    """A program that a worker is to run.

    fence: of the lease; part of every report about it.  sha256: of its files as they are sent.  token: by which it
    connects as its bot; empty for an examination.  until_stopped: it plays until the server says that its turn is over;
    else some games.
    """

    program: ProgramId
    fence: int
    kind: LeaseKind
    game: str
    bot: str
    file_name: str
    digest: str
    sha256: str
    token: str
    until_stopped: bool = False


class Wait(Struct, frozen=True, kw_only=True):
    """No work now; the worker may ask again then."""

    seconds: float
    why: str


class HeartbeatReply(Struct, frozen=True, kw_only=True):
    """The answer to a worker's heartbeat, about its programs.

    lost: somebody else may run them by now; they are to be ended, and nothing need be told of them.  stop: they are to
    be ended, and told of.
    """

    lost: tuple[ProgramId, ...]
    stop: tuple[ProgramId, ...]


class SeenWorker(Struct, frozen=True, kw_only=True):
    """A worker that has asked for work. seen_at: when it did so last.  holds: programs that it runs."""

    state: WorkerState
    seen_at: float
    holds: tuple[ProgramId, ...]


class Hosting(Protocol):
    """Accepts programs, and gives them to workers to examine and to play.

    start: a program to begin with, as text.  lease_s: how long a program is a worker's that tells nothing more.
    heartbeat_s: how often it is to tell that it lives.  memory_mb: that a program may use, with what connects it.
    much_memory_mb: beyond which it is near that.
    """

    start: str
    lease_s: float
    heartbeat_s: float
    memory_mb: int
    much_memory_mb: int

    async def hand_in(self, bot: BotRecord, game: str, file_name: str, data: bytes) -> ProgramRecord:
        """Keep a program as the bot's next version, to be examined; it plays if it passes.

        Raises ProgramRefused, and of that TooManyVersions.
        """

    async def use(self, bot: BotRecord, program: ProgramRecord | None) -> None:
        """Let this version play from now on, or none."""

    async def ask_for(self, bot: BotRecord, opponent: BotRecord, game: str, games: int) -> int:
        """Request games between the two; returns how many more may be requested today. Raises ProgramRefused."""

    async def take_back_games(self, wish: WishRecord) -> None:
        """Cancel the waiting games that an owner has asked for; they do not count."""

    async def reload(self) -> None:
        """Read again which programs may play, after a change by operators."""

    def doing(self, program: ProgramRecord) -> str:
        """The present activity of a version, in a few words; "" for none."""

    async def ask(self, worker: WorkerState) -> Work | Wait:
        """The next program for a worker, or how long it has to wait. Raises WorkerRefused, StoreError."""

    async def heartbeat(
        self, held: tuple[tuple[ProgramId, int], ...], progress: Mapping[ProgramId, str]
    ) -> HeartbeatReply:
        """A worker reports its programs, each with its fence; returns those it has lost. Raises StoreError.

        progress: how far each is, for its owner.
        """

    async def report(
        self, program: ProgramId, fence: int, outcome: LeaseOutcome, text: str, used: Usage | None = None
    ) -> bool:
        """A program's result; False, and nothing changes, if it is late or repeated.

        used: by this run; None where it was not measured.  Raises WorkerRefused for what cannot come of it, StoreError.
        """

    def workers(self) -> tuple[SeenWorker, ...]:
        """The workers that have asked lately, by name."""

    async def close(self) -> None:
        """Stop the workers of this machine."""
