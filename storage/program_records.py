"""Records of hosted programs."""

from __future__ import annotations

from typing import Literal, NewType

from msgspec import Struct

from tabiya.storage.records import BotId, MatchId

ProgramId = NewType("ProgramId", int)
ProgramState = Literal["new", "good", "refused"]
LeaseKind = Literal["examine", "play"]
LeaseOutcome = Literal["good", "refused", "played", "failed", "stopped"]
"""good, refused: an examination.  played, failed: a turn of games.  stopped: either, handed back unfinished."""
WishId = NewType("WishId", int)


class NewProgram(Struct, frozen=True, kw_only=True):
    """A program that somebody hands in to be run for a bot.

    game: that it plays.  digest: of its files.  file_name: as it was uploaded.  archive: its files, as a zip.
    """

    bot_id: BotId
    game: str
    digest: str
    file_name: str
    archive: bytes
    created_at: float


class ProgramRecord(Struct, frozen=True, kw_only=True):
    """One version of a bot's program; its files are asked for by themselves.

    number: of the bot's versions, from 1 on.  state: whether it has been examined, and how that ended.  report: of the
    examination, a text of the caller's.  in_use: whether this is the version that plays, of each bot one at most.
    turns_cpu_s: processor time of `measured_turns` turns of games.  examination_cpu_s: of all its examinations.
    peak_mb: the most memory that any of these has used.
    """

    id: ProgramId
    bot_id: BotId
    number: int
    game: str
    digest: str
    file_name: str
    bytes: int
    created_at: float
    state: ProgramState = "new"
    report: str = ""
    in_use: bool = False
    measured_turns: int = 0
    turns_cpu_s: float = 0.0
    examination_cpu_s: float = 0.0
    peak_mb: float = 0.0


class Usage(Struct, frozen=True):
    """What one run of a program has used. cpu_s: of all its processes.  peak_mb: of memory, at the same time."""

    cpu_s: float
    peak_mb: float


class Lease(Struct, frozen=True, kw_only=True):
    """The last lease of a program to a worker, with the counts of earlier ones.

    fence: the number of leases so far; reports with an earlier fence come too late.  token_hash: of the token by which
    the program connects as its bot meanwhile.  ended_at, outcome: None until it is ended.
    turns: of games that were begun.  failures: one after the other.  last_words: of the last failure.
    """

    program_id: ProgramId
    fence: int
    kind: LeaseKind
    worker: str
    token_hash: str
    granted_at: float
    expires_at: float
    ended_at: float | None = None
    outcome: LeaseOutcome | None = None
    turns: int = 0
    failures: int = 0
    last_words: str = ""

    def is_open(self, now: float) -> bool:
        """Whether the lease is held: neither ended nor expired."""
        return self.ended_at is None and now <= self.expires_at


class NewWish(Struct, frozen=True, kw_only=True):
    """Games that an owner asks for, between her bot and another one."""

    bot_id: BotId
    opponent_id: BotId
    game: str
    games: int
    asked_at: float


class WishRecord(Struct, frozen=True, kw_only=True):
    """Games that an owner has requested. games: total number. waiting: how many have not begun."""

    id: WishId
    bot_id: BotId
    opponent_id: BotId
    game: str
    games: int
    waiting: int
    asked_at: float


class LostByFailure(Struct, frozen=True, kw_only=True):
    """A match that a bot has lost because its program failed.  version: that played.  text: as in FailureRecord."""

    match_id: MatchId
    version: str
    text: str
