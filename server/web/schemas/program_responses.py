"""Response models for hosted programs."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from tabiya.protocol.messages.fields import doc
from tabiya.server.web.schemas.responses import ResponseModel


class Examination(Struct, frozen=True, kw_only=True):
    """The check of a program."""

    grade: Annotated[int | None, doc("Percent; null if it could not be checked.")] = None
    lost: Annotated[tuple[str, ...], doc("Reasons for lost points, one sentence each.")] = ()
    problem: Annotated[str, doc("Why it may not play; empty if it may.")] = ""
    printed: Annotated[
        tuple[str, ...], doc("Its last output before its first failure, with its own lines of code.")
    ] = ()


class ProgramUsage(Struct, frozen=True, kw_only=True):
    """Measured resource use of a version."""

    turns: Annotated[int, doc("Measured turns.")]
    turns_cpu_s: Annotated[float, doc("Processor seconds of all its processes in these turns.")]
    examination_cpu_s: Annotated[float, doc("The same for its check.")]
    peak_mb: Annotated[float, doc("Largest memory use of its processes together, in megabytes.")]
    memory_mb: Annotated[int, doc("Memory limit in megabytes, with its connection.")]
    much_memory: Annotated[bool, doc("Whether memory use is near the limit.")]


class Program(ResponseModel, frozen=True, kw_only=True):
    """One version of a bot's program, for its owner and operators."""

    number: Annotated[int, doc("Number among the bot's versions, from 1.")]
    game: Annotated[str, doc("The game that it plays.")]
    digest: Annotated[str, doc("Hash of its files; its version in matches.")]
    file_name: Annotated[str, doc("Its file name.")]
    bytes: Annotated[int, doc("Compressed size of its files.")]
    created_at: Annotated[float, doc("When it was uploaded.")]
    state: Annotated[str, doc("`new`, `good`, or `refused` after its check.")]
    examination: Annotated[Examination | None, doc("Result of the check; null before.")] = None
    in_use: Annotated[bool, doc("Whether it is the version that plays.")] = False
    doing: Annotated[str, doc("Its present activity in a few words; may be empty.")] = ""
    usage: Annotated[ProgramUsage | None, doc("Its resource use; null before a measurement.")] = None


class WaitingGames(ResponseModel, frozen=True, kw_only=True):
    """Requested games that have not begun."""

    number: Annotated[int, doc("Number of the request, to withdraw it.")]
    opponent: Annotated[str, doc("The opponent.")]
    game: Annotated[str, doc("The game.")]
    games: Annotated[int, doc("Number of waiting games.")]
    asked_at: Annotated[float, doc("When they were requested.")]


class Programs(ResponseModel, frozen=True, kw_only=True):
    """The versions of a bot's program, newest first."""

    bot: Annotated[str, doc("Name of the bot.")]
    programs: Annotated[tuple[Program, ...], doc("The versions.")]
    deadline: Annotated[float | None, doc("Deadline for new versions; null: none.")]
    disabled: Annotated[bool, doc("Whether an operator disabled them.")]
    asked_for: Annotated[tuple[WaitingGames, ...], doc("Requested games that wait, oldest first.")] = ()


class HostedBot(ResponseModel, frozen=True, kw_only=True):
    """A bot with uploaded programs."""

    bot: Annotated[str, doc("Its name.")]
    disabled: Annotated[bool, doc("Whether its programs are disabled.")]
    versions: Annotated[int, doc("Number of versions.")]
    newest: Annotated[Program, doc("The last version.")]
    used: Annotated[Program | None, doc("The version that plays; null: none.")]


class HostedBots(ResponseModel, frozen=True, kw_only=True):
    """The bots with uploaded programs, by name."""

    deadline: Annotated[float | None, doc("Deadline for new versions; null: none.")]
    bots: Annotated[tuple[HostedBot, ...], doc("The bots.")]


class ProgramSource(ResponseModel, frozen=True, kw_only=True):
    """The file with the bot class."""

    file_name: Annotated[str, doc("Its name: `bot.py`, or the only Python file.")]
    text: Annotated[str, doc("Its content.")]
    alone: Annotated[bool, doc("Whether it is the only file.")]


class GamesAskedFor(ResponseModel, frozen=True, kw_only=True):
    """Games that a program will play when both bots are free."""

    bot: Annotated[str, doc("The bot.")]
    opponent: Annotated[str, doc("The opponent.")]
    game: Annotated[str, doc("The game.")]
    games: Annotated[int, doc("Number of games.")]
    left: Annotated[int, doc("Number of further games that may be requested today.")]


class LostMatch(ResponseModel, frozen=True, kw_only=True):
    """A match lost because the program failed."""

    match: Annotated[int, doc("Number of the match.")]
    version: Annotated[str, doc("The version: `digest` of the program.")]
    text: Annotated[str, doc("The program's message: one line of at most 500 characters.")]


class LostMatches(ResponseModel, frozen=True, kw_only=True):
    """A bot's last matches lost because its program failed, newest first."""

    bot: Annotated[str, doc("Name of the bot.")]
    failures: Annotated[tuple[LostMatch, ...], doc("At most 50.")]
