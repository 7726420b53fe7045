"""What the API tells of the programs that a server runs for bots."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from tabiya.protocol.messages.fields import doc
from tabiya.server.web.schemas.responses import ResponseModel


class Examination(Struct, frozen=True, kw_only=True):
    """How a program was examined."""

    grade: Annotated[int | None, doc("Percent; null where it could not be examined.")] = None
    lost: Annotated[tuple[str, ...], doc("What it lost points for, a sentence each.")] = ()
    problem: Annotated[str, doc("Why it does not play; empty if it may.")] = ""
    printed: Annotated[
        tuple[str, ...], doc("What it printed last before it first failed, with its author's lines.")
    ] = ()


class ProgramUsage(Struct, frozen=True, kw_only=True):
    """What a version has used of the machines that have run it, as far as that was measured."""

    turns: Annotated[int, doc("Turns of games that were measured.")]
    turns_cpu_s: Annotated[float, doc("Seconds of processor that all its processes have used in these, together.")]
    examination_cpu_s: Annotated[float, doc("The same of its examination.")]
    peak_mb: Annotated[float, doc("Megabytes of memory that they have used at the same time, at most.")]
    memory_mb: Annotated[int, doc("Megabytes that they may use, with what connects it.")]
    much_memory: Annotated[bool, doc("Whether the first is near the second.")]


class Program(ResponseModel, frozen=True, kw_only=True):
    """One version of a bot's program, as its owner and operators see it."""

    number: Annotated[int, doc("Of the bot's versions, from 1 on.")]
    game: Annotated[str, doc("The game that it plays.")]
    digest: Annotated[str, doc("Of its files; the version that its matches name.")]
    file_name: Annotated[str, doc("As it was handed in.")]
    bytes: Annotated[int, doc("Size of its files, compressed.")]
    created_at: Annotated[float, doc("When it was handed in.")]
    state: Annotated[str, doc("`new`, `good`, or `refused` after its examination.")]
    examination: Annotated[Examination | None, doc("How that ended; null before.")] = None
    in_use: Annotated[bool, doc("Whether it is the version that plays.")] = False
    doing: Annotated[str, doc("What happens to it now, in a few words; empty for nothing.")] = ""
    usage: Annotated[ProgramUsage | None, doc("What it has used; null before it was measured.")] = None


class WaitingGames(ResponseModel, frozen=True, kw_only=True):
    """Games that the bot's owner has asked for, and that have not begun."""

    number: Annotated[int, doc("Of the wish, to take it back.")]
    opponent: Annotated[str, doc("Whom it meets.")]
    game: Annotated[str, doc("The game.")]
    games: Annotated[int, doc("So many still wait.")]
    asked_at: Annotated[float, doc("When they were asked for.")]


class Programs(ResponseModel, frozen=True, kw_only=True):
    """The versions of a bot's program, the newest first."""

    bot: Annotated[str, doc("Name of the bot.")]
    programs: Annotated[tuple[Program, ...], doc("The versions.")]
    deadline: Annotated[float | None, doc("After which no version is taken; null: at any time.")]
    disabled: Annotated[bool, doc("Whether an operator lets them neither play nor change.")]
    asked_for: Annotated[tuple[WaitingGames, ...], doc("Games that were asked for and wait, the oldest first.")] = ()


class HostedBot(ResponseModel, frozen=True, kw_only=True):
    """A bot that has handed in programs."""

    bot: Annotated[str, doc("Its name.")]
    disabled: Annotated[bool, doc("Whether its programs neither play nor change.")]
    versions: Annotated[int, doc("So many it has handed in.")]
    newest: Annotated[Program, doc("The last of them.")]
    used: Annotated[Program | None, doc("The one that plays; null: none.")]


class HostedBots(ResponseModel, frozen=True, kw_only=True):
    """The bots that have handed in programs, by name, and what holds for all."""

    deadline: Annotated[float | None, doc("After which no version is taken; null: at any time.")]
    bots: Annotated[tuple[HostedBot, ...], doc("The bots.")]


class ProgramSource(ResponseModel, frozen=True, kw_only=True):
    """The file of a version that has its bot."""

    file_name: Annotated[str, doc("Its name: `bot.py`, or the only Python file.")]
    text: Annotated[str, doc("What stands in it.")]
    alone: Annotated[bool, doc("Whether the version has no other file.")]


class GamesAskedFor(ResponseModel, frozen=True, kw_only=True):
    """Games that a program will play when both are free."""

    bot: Annotated[str, doc("The bot.")]
    opponent: Annotated[str, doc("Whom it meets.")]
    game: Annotated[str, doc("The game.")]
    games: Annotated[int, doc("So many.")]
    left: Annotated[int, doc("So many more can be asked for today.")]


class LostMatch(ResponseModel, frozen=True, kw_only=True):
    """A match that a bot has lost because its program failed."""

    match: Annotated[int, doc("Number of the match.")]
    version: Annotated[str, doc("The version that played: the `digest` of a program that runs here.")]
    text: Annotated[str, doc("What the program said of it: one line of at most 500 characters.")]


class LostMatches(ResponseModel, frozen=True, kw_only=True):
    """The last matches that a bot has lost because its program failed, the newest first."""

    bot: Annotated[str, doc("Name of the bot.")]
    failures: Annotated[tuple[LostMatch, ...], doc("At most 50.")]
