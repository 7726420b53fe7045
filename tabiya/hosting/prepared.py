"""A version of a bot's program on disk, ready to be examined and run."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import msgspec
from msgspec import Struct

from tabiya.check.grade import CheckReport
from tabiya.classroom.record import Entry, Rules
from tabiya.classroom.submissions import find_submissions
from tabiya.hosting.limits import FILE_MB, MEMORY_MB
from tabiya.hosting.upload import unpack
from tabiya.protocol.printable import printable
from tabiya.server.hosting import ProgramRefused, Work

MOST_PRINTED, LONGEST_LINE = 30, 500
MOST_LOST, LONGEST = 40, 400  # sentences of a report, and letters of one
FAILED = re.compile(r"tabiya: .* failed")  # as our client says that the author's code has failed
OURS = ("tabiya: ", "getting ready: ")  # so each other sentence of the client begins


class Report(Struct, frozen=True):
    """How an examination has ended.

    grade: percent.  lost: what it lost points for.  problem: why it does not play.  printed: by the program when it
    first failed, its last lines.
    """

    grade: int | None = None
    lost: tuple[str, ...] = ()
    problem: str = ""
    printed: tuple[str, ...] = ()

    def text(self) -> str:
        """The report as text for the store, shortened."""
        lost = tuple(sentence[:LONGEST] for sentence in self.lost[:MOST_LOST])
        return msgspec.json.encode(Report(self.grade, lost, self.problem[:LONGEST], self.printed)).decode()


def printed_in(report: CheckReport | None, folder: Path) -> tuple[str, ...]:
    """What a program printed last before it failed for the first time, and the error of our client if there is one.

    folder: of its files; its author has them elsewhere.
    """
    failures = report.failures if report else ()
    printed = next((failure.printed for failure in failures if failure.printed), ())[-MOST_PRINTED:]
    begin = next((at for at, line in enumerate(printed) if FAILED.match(line)), 0)
    shown = (*(line for line in printed[:begin] if not line.startswith(OURS)), *printed[begin:])
    return tuple(printable(line.replace(f"{folder}/", ""))[:LONGEST_LINE] for line in shown)


def prepare(work: Work, archive: bytes, into: Path) -> Entry:
    """The program with its files in a folder of its own below `into`. Raises ProgramRefused for no program."""
    home = folder_of(work)
    shutil.rmtree(into / home, ignore_errors=True)
    unpack(archive, into / home / "bot")
    found, problems = find_submissions(into / home)
    if not found:
        raise ProgramRefused("; ".join(problem.why for problem in problems) or "there is no program in it")
    (submission,) = found
    return Entry(
        name=work.bot,
        source=work.file_name,
        folder=str(home / "bot"),
        player=submission.player,
        command=submission.command,
        digest=work.digest,
        token=work.token,
    )


def folder_of(work: Work) -> Path:
    """Where a program is, below the folder of its worker."""
    return Path("programs") / f"{work.program}-{work.fence}"


def rules_for(game: str, sandbox: str) -> Rules:
    """The rules for every program that plays a game here."""
    return Rules(
        game=game,
        time_control="",
        format="none",
        rounds=0,
        final=0,
        final_rounds=0,
        seed=0,
        memory_mb=MEMORY_MB,
        file_mb=FILE_MB,
        sandbox=sandbox,
    )
