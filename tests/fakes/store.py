"""A store in memory that fails, hesitates or dies when the test says so."""

from __future__ import annotations

from collections.abc import Callable

from tabiya.storage.errors import SaveFailed
from tabiya.storage.group_commit import Batch, PendingWrite, apply_each
from tabiya.storage.memory import MemoryStore
from tabiya.storage.memory_tables import MemoryTables


class FaultyStore(MemoryStore):
    """A `MemoryStore` whose commits are under the test's control.  A crash leaves `tables` for a new store."""

    def __init__(self, tables: MemoryTables | None = None) -> None:
        super().__init__(tables)
        self.seconds_to_commit: Callable[[], float] = lambda: 0.0
        self._failures: list[str] = []
        self._lost_answers = 0
        self._held_commits = False
        self._held_answers = False
        self._waiting_commit: Batch = []
        self._waiting_answer: Batch = []
        self._dead = False

    def fail_next(self, count: int = 1, reason: str = "the database is away") -> None:
        """The next writes are not made and answered `SaveFailed`."""
        self._failures += [reason] * count

    def lose_next_answer(self, count: int = 1) -> None:
        """The next writes are made and yet answered `SaveFailed`, as when a connection breaks during the commit."""
        self._lost_answers += count

    def hold_commits(self) -> None:
        """From now on nothing is committed, as when the disk is slow."""
        self._held_commits = True

    def hold_answers(self) -> None:
        """From now on writes are committed and nobody is told."""
        self._held_answers = True

    def release(self) -> None:
        """Commit and answer what was held."""
        self._held_commits = self._held_answers = False
        commit, self._waiting_commit = self._waiting_commit, []
        answer, self._waiting_answer = self._waiting_answer, []
        if commit:
            self._commit_now(commit)
        if answer:
            self._answer(answer)

    def crash(self) -> None:
        """The process is gone: nothing more is committed or answered."""
        self._dead = True

    def _write_batch(self, batch: Batch) -> None:
        seconds = self.seconds_to_commit()
        if seconds > 0:
            self._loop.call_later(seconds, self._commit_when_let, batch)
        else:
            self._commit_when_let(batch)

    def _commit_when_let(self, batch: Batch) -> None:
        if self._dead:
            return
        if self._held_commits:
            self._waiting_commit = batch
        else:
            self._commit_now(batch)

    def _commit_now(self, batch: Batch) -> None:
        if self._dead:
            return
        apply_each([pending for pending in batch if not self._fails(pending)], self.tables.apply)
        for pending in batch[: self._lost_answers]:
            pending.error = pending.error or SaveFailed("the answer was lost")
        self._lost_answers = max(0, self._lost_answers - len(batch))
        if self._held_answers:
            self._waiting_answer = batch
        else:
            self._answer(batch)

    def _fails(self, pending: PendingWrite) -> bool:
        if self._failures:
            pending.error = SaveFailed(self._failures.pop(0))
        return pending.error is not None

    def _answer(self, batch: Batch) -> None:
        self._loop.call_soon(self._settled, batch)

    def _settled(self, batch: Batch) -> None:
        if not self._dead:
            self.writer.resolve(batch)
