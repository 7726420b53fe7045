"""Leases of programs to workers: the store is the queue; this module decides who gets which.

    leases = ProgramLeases(store, server, sandbox="landlock")
    await leases.open(own=("this machine",))
    work = await leases.ask(worker)           # Work, or Wait
    heard = await leases.heartbeat(held)      # which of its programs it has lost, and which it is to end
    await leases.report(program, fence, "played", "")

All truth is in the store. What is kept here beside it is a copy for pages, and since when a program that plays has had
no game; both are there again after a restart.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from random import Random
from typing import Protocol

from msgspec.structs import replace

from tabiya.hosting.limits import MEMORY_MB, MEMORY_OF_OURS_MB, strength_of
from tabiya.hosting.turns import MOST_FAILURES, Queue
from tabiya.server.accounts.accounts import hash_token, new_token
from tabiya.server.hosting import HeartbeatReply, SeenWorker, Wait, Work, WorkerRefused, WorkerState
from tabiya.server.tournaments.hosted import Entrant
from tabiya.server.version import version
from tabiya.storage.program_records import Lease, LeaseKind, LeaseOutcome, ProgramId, ProgramRecord, Usage
from tabiya.storage.records import BotId
from tabiya.storage.store import Store

LEASE_S = 30.0
HEARTBEAT_S = 2.0  # the end of a turn is noticed so much later; in a tournament others wait for its place
ASK_S = 1.0  # to twice this, at random, between two questions of a worker; longer where there are many of them
MANY_WORKERS = 20
MOST_ASKING = 32  # at the same time; others are asked to try again
SILENT = 5  # heartbeats that a worker has left out, after which it has vanished if its bot is gone as well
WORKER_SILENT_S = 30.0  # since when a worker has not asked that is taken for gone
IDLE_TURN_S = 30.0  # without a game, after which a turn ends
NEXT_GAME_GAP_S = 1.0  # two games in a tournament, if none of those that it is to meet is being started
NEEDED_MB = MEMORY_MB + MEMORY_OF_OURS_MB
OUTCOMES: dict[LeaseKind, tuple[LeaseOutcome, ...]] = {
    "examine": ("good", "refused", "stopped"),
    "play": ("played", "failed", "stopped"),
}
NO_FILES = '{"problem":"its files are not there any more"}'


class HostingServer(Protocol):
    """The hosting server as the leases use it."""

    def is_disabled(self, bot: BotId) -> bool:
        """Whether no program of the bot may run."""

    def bot_is_there(self, bot: BotId) -> bool:
        """Whether the bot is connected."""

    def bot_plays(self, bot: BotId) -> bool:
        """Whether the bot has a game now."""

    def is_entered(self, bot: BotId) -> bool:
        """Whether a tournament may still have games for the bot; it gets no others meanwhile."""

    def opponents(self, bot: BotId) -> frozenset[BotId]:
        """The bots that it will play as soon as both are connected."""

    def withdraw_seeks(self, bot: BotId) -> None:
        """Let no game with the bot begin, unless it seeks one again."""

    async def name_of(self, bot: BotId) -> str:
        """The bot's name."""

    def accept_token(self, token_hash: str, bot: BotId) -> None:
        """Accept the token with this hash for the bot."""

    def take_back(self, token_hash: str) -> None:
        """Make the token invalid."""

    def next_programs(self, queue: Queue) -> list[ProgramRecord]:
        """The programs to start now, at most as many as there are places."""


@dataclass(slots=True)
class _Turn:
    """A turn of games under way. played_at: when it last had a game.  is_entered: it is played in tournaments.

    is_ending: no game begins any more.
    """

    fence: int
    bot_id: BotId
    played_at: float
    is_entered: bool = False
    has_played: bool = False
    is_ending: bool = False


class ProgramLeases:
    """See the module. All methods are called on one event loop."""

    def __init__(
        self,
        store: Store,
        server: HostingServer,
        *,
        sandbox: str,
        now: Callable[[], float] = time.time,
        draw: Random | None = None,
        lease_s: float = LEASE_S,
        heartbeat_s: float = HEARTBEAT_S,
        ask_s: float = ASK_S,
    ) -> None:
        """sandbox: a worker's is at least as strong.  draw: for how long workers wait."""
        self.lease_s, self.heartbeat_s, self._ask_s = lease_s, heartbeat_s, ask_s
        self._store, self._server, self._sandbox, self._now = store, server, sandbox, now
        self._draw = draw or Random()
        self._lock = asyncio.Lock()  # the copies below follow the store in its order
        self._asking = 0
        self._programs: dict[ProgramId, ProgramRecord] = {}
        self._leases: dict[ProgramId, Lease] = {}
        self._able: dict[str, dict[BotId, Entrant]] = {}
        self._turns: dict[ProgramId, _Turn] = {}
        self._progress: dict[ProgramId, str] = {}
        self._examined_at: dict[BotId, float] = {}  # when an examination of a bot's program was last begun
        self._workers: dict[str, tuple[WorkerState, float]] = {}

    async def open(self, own: Collection[str] = ()) -> None:
        """Go on after a start. own: workers that have ended with the server before this one.

        Others could not tell that they live meanwhile, and get the time to do so.
        """
        await self._store.prolong_leases(self._now() + self.lease_s)
        await self.load()
        now = self._now()
        for key, lease in self._leases.items():
            if lease.kind == "play" and lease.is_open(now) and key in self._programs:
                self._turns[key] = _Turn(lease.fence, self._programs[key].bot_id, now)
        await self.release_workers(own)

    async def release_workers(self, workers: Collection[str]) -> None:
        """Free the programs of these workers, which have ended."""
        for lease in tuple(self._leases.values()):
            if lease.worker in workers and lease.ended_at is None:
                await self.report(lease.program_id, lease.fence, "stopped", "")

    async def load(self) -> None:
        """Read again what plays or waits."""
        async with self._lock:
            await self._load()

    async def _load(self) -> None:
        found_programs = await self._store.open_programs()
        self._programs = {
            program.id: program for program in found_programs if not self._server.is_disabled(program.bot_id)
        }
        found = {lease.program_id: lease for lease in await self._store.leases()}
        # what is not in use any more and still has a game is not among them
        now = self._now()
        going = {key: lease for key, lease in self._leases.items() if key in self._turns and lease.is_open(now)}
        self._leases = going | found
        self._turns = {key: turn for key, turn in self._turns.items() if key in self._leases}
        await self._find_available_bots()

    async def _find_available_bots(self) -> None:
        """Find the bots that could play, by game."""
        self._able = {}
        for program in self._queue(self._programs.values(), ()).waiting:
            entrant = Entrant(program.bot_id, await self._server.name_of(program.bot_id), program.digest)
            self._able.setdefault(program.game, {})[program.bot_id] = entrant

    def _queue(self, programs: Collection[ProgramRecord], running: Collection[ProgramId], free: int = 0) -> Queue:
        turns = {key: lease.turns for key, lease in self._leases.items()}
        failures = {key: lease.failures for key, lease in self._leases.items()}
        return Queue(programs, running, turns, failures, free)

    # --- asking

    async def ask(self, worker: WorkerState) -> Work | Wait:
        """The next program for a worker, or how long it has to wait. Raises WorkerRefused, StoreError."""
        self._check(worker)
        if self._asking >= MOST_ASKING:
            return self._wait("too many workers ask at the same time")
        self._asking += 1
        try:
            async with self._lock:
                return await self._next_for(worker)
        finally:
            self._asking -= 1

    def _check(self, worker: WorkerState) -> None:
        if worker.version != version():
            raise WorkerRefused(
                f"this server is Tabiya {version()} and the worker {worker.name} is {worker.version}: "
                "they have to be of the same version"
            )
        if strength_of(worker.sandbox) < strength_of(self._sandbox):
            raise WorkerRefused(
                f"this server needs workers with a sandbox at least as strong as {self._sandbox}, and the worker "
                f"{worker.name} has {worker.sandbox}"
            )

    async def _next_for(self, worker: WorkerState) -> Work | Wait:
        now = self._now()
        self._workers[worker.name] = worker, now
        held = worker.playing + worker.examining
        if worker.memory_mb < NEEDED_MB * (held + 1):
            return self._wait(
                f"a program needs {NEEDED_MB} MB, and {worker.name} has {worker.memory_mb} MB for {held + 1}"
            )
        wanted = self._wanted(worker, now)
        if not wanted:
            return self._wait("no program waits")
        token = new_token()
        lease = await self._store.grant_lease(
            wanted, worker.name, hash_token(token), now=now, expires_at=now + self.lease_s
        )
        if lease is None:
            await self._load()
            return self._wait("no program waits")
        return await self._work(lease, token) or self._wait("no program waits")

    def _wanted(self, worker: WorkerState, now: float) -> list[tuple[ProgramId, LeaseKind]]:
        """The programs that this worker may run, the most urgent first."""
        running = [lease for lease in self._leases.values() if lease.is_open(now)]
        held = {lease.program_id for lease in running}
        known = [program for program in self._programs.values() if program.game in worker.games]
        if not worker.room:
            return []
        wanted = list[tuple[ProgramId, LeaseKind]]()
        # checks come before ladder games, as an owner waits for them; a tournament comes before both
        is_tournament = any(self._server.is_entered(program.bot_id) for program in known)
        if worker.examining < worker.at_once or not is_tournament:
            new = [program for program in known if program.state == "new" and program.id not in held]
            # fewest attempts first, so that a program that crashes its workers does not block the others; then
            # bots whose last check was the longest ago, so that one with many new versions does not
            new.sort(
                key=lambda program: (
                    self._leases[program.id].fence if program.id in self._leases else 0,
                    self._examined_at.get(program.bot_id, 0.0),
                    program.id,
                )
            )
            wanted += [(program.id, "examine") for program in new]
        if worker.playing < worker.at_once:
            plays = [lease.program_id for lease in running if lease.kind == "play"]
            able = [program for program in known if not self._is_busy(program, now)]
            queue = self._queue(able, plays, self._free(now))
            # first programs with a game whose worker has vanished: their clocks run
            chosen = [program for program in queue.waiting if self._server.bot_plays(program.bot_id)]
            wanted += [(program.id, "play") for program in chosen or self._server.next_programs(queue)]
        return wanted

    def _free(self, now: float) -> int:
        """How many more programs all workers together could let play."""
        return sum(
            max(0, min(state.at_once - state.playing, state.room))
            for state, seen_at in self._workers.values()
            if now <= seen_at + WORKER_SILENT_S
        )

    def _is_busy(self, program: ProgramRecord, now: float) -> bool:
        """Whether its bot is connected by another version or from elsewhere: a bot has one connection."""
        return not self._is_held(program.id, now) and self._server.bot_is_there(program.bot_id)

    def _is_held(self, program: ProgramId, now: float) -> bool:
        return program in self._leases and self._leases[program].is_open(now)

    async def _work(self, lease: Lease, token: str) -> Work | None:
        """The work of a lease; None if its program has lost its files."""
        program, before = self._programs[lease.program_id], self._leases.get(lease.program_id)
        self._leases[program.id] = lease
        self._progress.pop(program.id, None)
        if before is not None:
            self._server.take_back(before.token_hash)
        if lease.kind == "play":
            self._server.accept_token(lease.token_hash, program.bot_id)
            is_entered = self._server.is_entered(program.bot_id)
            self._turns[program.id] = _Turn(lease.fence, program.bot_id, lease.granted_at, is_entered)
        else:
            self._examined_at[program.bot_id] = lease.granted_at
        archive = await self._store.program_files(program.id)
        if archive is None:
            outcome: LeaseOutcome = "refused" if lease.kind == "examine" else "failed"
            await self._end(program.id, lease.fence, outcome, NO_FILES)
            return None
        return Work(
            program=program.id,
            fence=lease.fence,
            kind=lease.kind,
            game=program.game,
            bot=await self._server.name_of(program.bot_id),
            file_name=program.file_name,
            digest=program.digest,
            sha256=hashlib.sha256(archive).hexdigest(),
            token=token if lease.kind == "play" else "",
            until_stopped=lease.kind == "play" and self._turns[program.id].is_entered,
        )

    def _wait(self, why: str) -> Wait:
        crowd = max(1.0, len(self._workers) / MANY_WORKERS)
        return Wait(seconds=round(self._ask_s * crowd * (1 + self._draw.random()), 3), why=why)

    # --- telling

    async def heartbeat(
        self, held: tuple[tuple[ProgramId, int], ...], progress: Mapping[ProgramId, str]
    ) -> HeartbeatReply:
        """A worker reports its programs, each with its fence; returns those it has lost. Raises StoreError.

        progress: how far each is, for its owner.
        """
        async with self._lock:
            now = self._now()
            still = await self._store.renew_leases(held, now=now, expires_at=now + self.lease_s)
            self._progress |= {program: progress[program] for program in still & progress.keys()}
            for program in still & self._leases.keys():
                self._leases[program] = replace(self._leases[program], expires_at=now + self.lease_s)
        return HeartbeatReply(
            lost=tuple(program for program, _ in held if program not in still),
            stop=tuple(program for program, fence in held if program in still and self._is_over(program, fence, now)),
        )

    def _is_over(self, program: ProgramId, fence: int, now: float) -> bool:
        """Whether a turn ends now, between two games: no opponent, or the version is no longer in use."""
        lease, record = self._leases.get(program), self._programs.get(program)
        if lease is None or lease.kind == "examine":
            return False
        turn = self._turns.get(program)
        if turn is None or turn.fence != fence:  # begun before a restart, and not in use any more
            return True
        if self._server.bot_plays(turn.bot_id):
            turn.played_at, turn.has_played = now, True
            return False
        may_wait = record is not None and record.in_use and turn.is_entered == self._server.is_entered(turn.bot_id)
        if may_wait and not turn.is_ending and now <= turn.played_at + self._patience_s(turn):
            return False
        turn.is_ending = True  # at the same moment: the worker is notified a little later
        self._server.withdraw_seeks(turn.bot_id)
        return True

    def _patience_s(self, turn: _Turn) -> float:
        """How long a turn goes on without a game."""
        if not (turn.is_entered and turn.has_played):
            return IDLE_TURN_S
        awaited = self._server.opponents(turn.bot_id)
        return IDLE_TURN_S if any(other.bot_id in awaited for other in self._turns.values()) else NEXT_GAME_GAP_S

    async def report(
        self, program: ProgramId, fence: int, outcome: LeaseOutcome, text: str, used: Usage | None = None
    ) -> bool:
        """A program's result; False, and nothing changes, if it is late or repeated.

        used: by this run; None where it was not measured.  Raises WorkerRefused for what cannot come of it, StoreError.
        """
        async with self._lock:
            return await self._end(program, fence, outcome, text, used)

    async def _end(
        self, program: ProgramId, fence: int, outcome: LeaseOutcome, text: str, used: Usage | None = None
    ) -> bool:
        lease, turn = self._leases.get(program), self._turns.get(program)
        if lease is not None and outcome not in OUTCOMES[lease.kind]:
            raise WorkerRefused(f"program {program} was given out to {lease.kind}, which cannot end with {outcome!r}")
        if outcome == "stopped" and turn is not None and turn.fence == fence and turn.has_played:
            outcome = "played"
        if not await self._store.end_lease(program, fence, outcome, text, now=self._now(), used=used):
            return False
        self._turns.pop(program, None)
        self._progress.pop(program, None)
        if lease is not None:
            self._server.take_back(lease.token_hash)
        await self._load()
        return True

    # --- for games that somebody's clock runs in

    def turns_of(self, worker: str) -> list[BotId]:
        """The bots whose turns a worker holds."""
        return [turn.bot_id for key, turn in self._turns.items() if self._leases[key].worker == worker]

    def drop_silent(self) -> list[BotId]:
        """End the turns of vanished workers and return their bots; another worker may play for them later."""
        now, found = self._now(), list[BotId]()
        for key, turn in tuple(self._turns.items()):
            lease = self._leases[key]
            is_silent = lease.expires_at - self.lease_s < now - SILENT * self.heartbeat_s
            if is_silent and not (lease.is_open(now) and self._server.bot_is_there(turn.bot_id)):
                found.append(turn.bot_id)
                del self._turns[key]
        return found

    # --- for tournaments

    def able(self, game: str) -> dict[BotId, Entrant]:
        """The bots whose programs can play a game: they have passed, are in use and not set aside."""
        return self._able.get(game, {})

    def may_begin(self, bot: BotId) -> bool:
        """Whether a tournament may begin a game with a bot: not with one that plays elsewhere, or is about to end."""
        now = self._now()
        turns = [
            (turn.is_entered and not turn.is_ending, key) for key, turn in self._turns.items() if turn.bot_id == bot
        ]
        return all(may for may, key in turns if self._is_held(key, now))

    def game_ended(self, bot: BotId) -> None:
        """A bot has had a game, which may have been too short to be seen otherwise."""
        for turn in self._turns.values():
            if turn.bot_id == bot:
                turn.played_at, turn.has_played = self._now(), True

    # --- for the ladder

    def programs(self) -> tuple[ProgramRecord, ...]:
        """Programs that play or wait for their check."""
        return tuple(self._programs.values())

    def playing(self) -> dict[ProgramId, int]:
        """Programs with a turn that is not about to end -> number of their turns so far."""
        return {key: self._leases[key].turns for key, turn in self._turns.items() if not turn.is_ending}

    # --- for pages

    def doing(self, program: ProgramRecord) -> str:
        """The present activity of a version, in a few words; "" for none."""
        now, lease = self._now(), self._leases.get(program.id)
        held = lease is not None and lease.is_open(now)
        if program.state == "new":
            return (
                f"is being checked: {self._progress.get(program.id, 'it starts')}"
                if held
                else self._waits("waits for its check", now)
            )
        if not program.in_use or program.state != "good":
            return ""
        if lease is not None and lease.failures >= MOST_FAILURES:
            return f"set aside after {MOST_FAILURES} failures: {lease.last_words}"
        if held:
            return "plays"
        if self._server.bot_is_there(program.bot_id):
            return "waits until its bot is connected from nowhere else"
        return self._waits("waits for its turn", now)

    def _waits(self, words: str, now: float) -> str:
        return (
            words
            if any(now <= seen_at + WORKER_SILENT_S for _, seen_at in self._workers.values())
            else f"{words}: no worker is there"
        )

    def workers(self) -> tuple[SeenWorker, ...]:
        """The workers that have asked lately, by name."""
        now = self._now()
        self._workers = {name: seen for name, seen in self._workers.items() if now <= seen[1] + WORKER_SILENT_S}
        running = [lease for lease in self._leases.values() if lease.is_open(now)]
        return tuple(
            SeenWorker(
                state=state,
                seen_at=seen_at,
                holds=tuple(lease.program_id for lease in running if lease.worker == name),
            )
            for name, (state, seen_at) in sorted(self._workers.items())
        )
