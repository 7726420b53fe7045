"""What workers and the API tell each other."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from tabiya.protocol.messages.fields import doc
from tabiya.server.web.schemas.requests import LARGEST_ID, Id, Name, RequestModel
from tabiya.server.web.schemas.responses import ResponseModel
from tabiya.storage.program_records import LeaseOutcome

MOST_HELD, MOST_GAMES, LONGEST_REPORT = 200, 200, 40_000
Count = Annotated[int, Meta(ge=0, le=LARGEST_ID)]
Amount = Annotated[float, Meta(ge=0, le=1e9)]


class WorkerQuestion(RequestModel, frozen=True, kw_only=True):
    """A worker asks for a program to run, and says what it is."""

    name: Annotated[Name, doc("By which the operator knows it.")]
    version: Annotated[Name, doc("Of Tabiya; has to be the server's.")]
    cores: Annotated[Count, doc("Of its machine.")]
    memory_mb: Annotated[Count, doc("That its programs may take together.")]
    walls: Annotated[Name, doc("Around its programs: `bubblewrap`, `podman`, `landlock` or `none`.")]
    games: Annotated[Annotated[tuple[Name, ...], Meta(max_length=MOST_GAMES)], doc("That it knows.")]
    at_once: Annotated[Count, doc("Programs that it lets play at once; with those that it examines twice as many.")]
    playing: Annotated[Count, doc("Programs that play there now.")]
    examining: Annotated[Count, doc("Programs that are examined there now.")]


class HeldProgram(RequestModel, frozen=True, kw_only=True):
    """A program that a worker runs."""

    program: Annotated[Id, doc("Its number.")]
    fence: Annotated[Id, doc("As it was told with the program.")]
    progress: Annotated[Name, doc("How far its examination is, such as `7 of 30`, for its owner.")] = ""


class Heartbeat(RequestModel, frozen=True, kw_only=True):
    """A worker lives."""

    held: Annotated[Annotated[tuple[HeldProgram, ...], Meta(max_length=MOST_HELD)], doc("The programs that it runs.")]


class WorkerReport(RequestModel, frozen=True, kw_only=True):
    """What came of a program."""

    program: Annotated[Id, doc("Its number.")]
    fence: Annotated[Id, doc("As it was told with the program.")]
    outcome: Annotated[
        LeaseOutcome,
        doc("Of an examination `good` or `refused`, of games `played` or `failed`; of both `stopped` before the end."),
    ]
    text: Annotated[
        Annotated[str, Meta(max_length=LONGEST_REPORT)],
        doc("The report of an examination, as JSON; the last words of what failed."),
    ] = ""
    cpu_s: Annotated[
        Amount | None, doc("Seconds of processor that all its processes have used; null if nobody has looked.")
    ] = None
    peak_mb: Annotated[Amount, doc("Megabytes of memory that they have used at the same time, at most.")] = 0.0


class ProgramToRun(ResponseModel, frozen=True, kw_only=True):
    """A program that a worker has got, for as long as it says that it lives."""

    program: Annotated[int, doc("Its number.")]
    fence: Annotated[int, doc("To be named in all that is told of it.")]
    kind: Annotated[str, doc("`examine`, or `play` a turn of games.")]
    game: Annotated[str, doc("The game that it plays.")]
    bot: Annotated[str, doc("Name of its bot.")]
    file_name: Annotated[str, doc("As it was handed in.")]
    digest: Annotated[str, doc("Of its files; the version of its bot.")]
    sha256: Annotated[str, doc("Of its files as they are sent: who has them need not ask for them again.")]
    token: Annotated[str, doc("By which it connects as its bot, until it ends; empty for an examination.")]
    until_stopped: Annotated[
        bool, doc("Whether it plays until its turn is said to be over, and seeks no games itself.")
    ]


class WorkerAnswer(ResponseModel, frozen=True, kw_only=True):
    """A program, or when to ask again."""

    work: Annotated[ProgramToRun | None, doc("What is to be run; null for nothing now.")] = None
    again_s: Annotated[float, doc("Seconds until the next question, if there is nothing now.")] = 0.0
    why: Annotated[str, doc("Why there is nothing now.")] = ""
    lease_s: Annotated[float, doc("So long a program is the worker's after it last said that it lives.")]
    heartbeat_s: Annotated[float, doc("So often it is to say so.")]


class HeartbeatAnswer(ResponseModel, frozen=True, kw_only=True):
    """What becomes of the programs that a worker runs; those that are not named go on."""

    lost: Annotated[tuple[int, ...], doc("They are others' now: they are to be ended, and nothing told of them.")] = ()
    stop: Annotated[tuple[int, ...], doc("They are to be ended, and that is to be told.")] = ()


class ReportAnswer(ResponseModel, frozen=True, kw_only=True):
    """Whether a report has come in time."""

    counted: Annotated[bool, doc("False if it came too late or for the second time; then it has changed nothing.")]
    detail: Annotated[str, doc("The same as a sentence.")]


class WorkerLine(ResponseModel, frozen=True, kw_only=True):
    """One worker."""

    name: Annotated[str, doc("As it calls itself.")]
    version: Annotated[str, doc("Of Tabiya.")]
    cores: Annotated[int, doc("Of its machine.")]
    memory_mb: Annotated[int, doc("That its programs may take together.")]
    walls: Annotated[str, doc("Around its programs.")]
    at_once: Annotated[int, doc("Programs that it lets play at once; with those that it examines twice as many.")]
    programs: Annotated[tuple[int, ...], doc("Numbers of the programs that it runs.")]
    seen_at: Annotated[float, doc("When it last asked for work.")]


class Workers(ResponseModel, frozen=True, kw_only=True):
    """The workers that have asked for work lately, by name."""

    workers: Annotated[tuple[WorkerLine, ...], doc("The workers.")]
