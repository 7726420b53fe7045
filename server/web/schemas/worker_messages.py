"""Request and response models for workers."""

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
    """A worker asks for a program, and describes itself."""

    name: Annotated[Name, doc("Name that the operator sees.")]
    version: Annotated[Name, doc("Version of Tabiya; must be the server's.")]
    cores: Annotated[Count, doc("Cores of its machine.")]
    memory_mb: Annotated[Count, doc("Memory limit of its programs together.")]
    sandbox: Annotated[Name, doc("Its sandbox: `bubblewrap`, `podman`, `landlock` or `none`.")]
    games: Annotated[Annotated[tuple[Name, ...], Meta(max_length=MOST_GAMES)], doc("That it knows.")]
    at_once: Annotated[Count, doc("Programs that play at once; as many again may be checked.")]
    playing: Annotated[Count, doc("Programs that play now.")]
    examining: Annotated[Count, doc("Programs in check now.")]


class HeldProgram(RequestModel, frozen=True, kw_only=True):
    """A program that a worker runs."""

    program: Annotated[Id, doc("Its number.")]
    fence: Annotated[Id, doc("As received with the program.")]
    progress: Annotated[Name, doc("Progress of its check, such as `7 of 30`, for its owner.")] = ""


class Heartbeat(RequestModel, frozen=True, kw_only=True):
    """A worker's sign of life."""

    held: Annotated[Annotated[tuple[HeldProgram, ...], Meta(max_length=MOST_HELD)], doc("The programs that it runs.")]


class WorkerReport(RequestModel, frozen=True, kw_only=True):
    """The result of a program."""

    program: Annotated[Id, doc("Its number.")]
    fence: Annotated[Id, doc("As received with the program.")]
    outcome: Annotated[
        LeaseOutcome,
        doc("Of a check `good` or `refused`, of games `played` or `failed`; of both `stopped` before the end."),
    ]
    text: Annotated[
        Annotated[str, Meta(max_length=LONGEST_REPORT)],
        doc("The report of a check as JSON, or the last output of a failed program."),
    ] = ""
    cpu_s: Annotated[Amount | None, doc("Processor seconds of all its processes; null if not measured.")] = None
    peak_mb: Annotated[Amount, doc("Largest memory use of its processes together, in megabytes.")] = 0.0


class ProgramToRun(ResponseModel, frozen=True, kw_only=True):
    """A program that is leased to a worker."""

    program: Annotated[int, doc("Its number.")]
    fence: Annotated[int, doc("Key for all reports about it.")]
    kind: Annotated[str, doc("`examine` (check), or `play` a turn of games.")]
    game: Annotated[str, doc("The game that it plays.")]
    bot: Annotated[str, doc("Name of its bot.")]
    file_name: Annotated[str, doc("Its file name.")]
    digest: Annotated[str, doc("Of its files; the version of its bot.")]
    sha256: Annotated[str, doc("Hash of its files; a worker that has them need not ask again.")]
    token: Annotated[str, doc("Token of its bot until it ends; empty for a check.")]
    until_stopped: Annotated[bool, doc("Whether it plays until its turn is over, and seeks no games itself.")]


class WorkerAnswer(ResponseModel, frozen=True, kw_only=True):
    """A program, or the time of the next request."""

    work: Annotated[ProgramToRun | None, doc("The program; null: nothing now.")] = None
    again_s: Annotated[float, doc("Seconds until the next request, if there is nothing now.")] = 0.0
    why: Annotated[str, doc("Why there is nothing now.")] = ""
    lease_s: Annotated[float, doc("Seconds that a lease lasts after the worker's last sign of life.")]
    heartbeat_s: Annotated[float, doc("Seconds between signs of life.")]


class HeartbeatAnswer(ResponseModel, frozen=True, kw_only=True):
    """Programs that a worker must end; others continue."""

    lost: Annotated[tuple[int, ...], doc("They belong to other workers now: end them without a report.")] = ()
    stop: Annotated[tuple[int, ...], doc("End them and report it.")] = ()


class ReportAnswer(ResponseModel, frozen=True, kw_only=True):
    """Whether a report arrived in time."""

    counted: Annotated[bool, doc("False if it was late or repeated; then nothing changed.")]
    detail: Annotated[str, doc("The same as a sentence.")]


class WorkerLine(ResponseModel, frozen=True, kw_only=True):
    """One worker."""

    name: Annotated[str, doc("Its name.")]
    version: Annotated[str, doc("Of Tabiya.")]
    cores: Annotated[int, doc("Cores of its machine.")]
    memory_mb: Annotated[int, doc("Memory limit of its programs together.")]
    sandbox: Annotated[str, doc("The sandbox of its programs.")]
    at_once: Annotated[int, doc("Programs that play at once; as many again may be checked.")]
    programs: Annotated[tuple[int, ...], doc("Numbers of the programs that it runs.")]
    seen_at: Annotated[float, doc("Its last request for work.")]


class Workers(ResponseModel, frozen=True, kw_only=True):
    """The workers with recent requests, by name."""

    workers: Annotated[tuple[WorkerLine, ...], doc("The workers.")]
