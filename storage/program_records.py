"""What the store remembers of the programs that are run for bots."""

from __future__ import annotations

from typing import Literal, NewType

from msgspec import Struct

from tabiya.storage.records import BotId, MatchId

ProgramId = NewType("ProgramId", int)
ProgramState = Literal["new", "good", "refused"]


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


class LostByFailure(Struct, frozen=True, kw_only=True):
    """A match that a bot has lost because its program failed.  version: that played.  text: as in FailureRecord."""

    match_id: MatchId
    version: str
    text: str
