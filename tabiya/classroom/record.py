"""The settings and results of a run, in one file beside the games, from which the next start continues."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from tabiya.classroom.staff import StaffBot
from tabiya.classroom.submissions import IGNORED, Submission
from tabiya.server.grading.formula import Score

FILE = "class.json"
NO_QUALIFIER = "none"
DIGEST_LENGTH = 12


class Rules(Struct, frozen=True, kw_only=True):
    """What the teacher has chosen; the same for the whole run.

    format: of the qualifier, NO_QUALIFIER for none.  rounds: of it.  final: how many play one; 0 for none.
    final_rounds: how often two of them meet.  check: whether every submission is examined first.  staff: bots that
    every submission meets `staff_rounds` times, for two games each time.  sandbox: of submissions
    (sandbox/option.py).
    """

    game: str
    time_control: str
    format: str
    rounds: int
    final: int
    final_rounds: int
    seed: int
    check: bool = True
    memory_mb: int = 1024
    file_mb: int = 64
    sandbox: str
    staff: tuple[StaffBot, ...] = ()
    staff_rounds: int = 2


class Entry(Struct, kw_only=True):
    """One bot, its version frozen.

    player, command: as in Submission, in `folder` below the run's own.  digest: of all its files.
    grade: percent in the check; None if it was not examined.  problem: why it does not play; empty if it does.
    game_s: time it needed for one whole game in the check.  token: of its account on the run's server.
    is_staff: whether it is a staff bot.  since: number of the run in which this version met the staff bots.
    """

    name: str
    source: str
    folder: str
    player: str = ""
    command: tuple[str, ...] = ()
    digest: str = ""
    grade: int | None = None
    lost: tuple[str, ...] = ()
    problem: str = ""
    game_s: float | None = None
    token: str = ""
    is_staff: bool = False
    since: int = 1

    def is_version_of(self, other: Entry) -> bool:
        """Whether the two are one program under one name."""
        mine = (self.name, self.digest, self.player, self.command)
        return mine == (other.name, other.digest, other.player, other.command)

    @property
    def is_ours(self) -> bool:
        """Whether it is a built-in player, from no submitted file."""
        return bool(self.folder) and not self.digest


class ResourceUsage(Struct, kw_only=True):
    """What a bot's processes have used, all starts together. peak_mb: at the same time.  incidents: sentences."""

    peak_mb: float = 0.0
    cpu_s: float = 0.0
    incidents: list[str] = []


class RunRecord(Struct, kw_only=True):
    """The whole run. staff, qualifier, final: numbers of the tournaments, None before they are created.

    standings: of each stage that is over, best first, as the server says them.  staff_scores: of each submission
    against each staff bot, by their names, when that stage is over.

    number: from 1; runs of one folder follow each other (tabiya.classroom.rerun).  earlier: the tournament against
    staff bots of each run before, 0 for none.  kept: lines of their tables that hold on.  over: whether all is played.
    """

    rules: Rules
    entries: list[Entry]
    operator_token: str = ""
    invite_secret: str = ""
    staff: int | None = None
    qualifier: int | None = None
    final: int | None = None
    standings: dict[str, list[dict[str, Any]]] = {}
    staff_scores: dict[str, dict[str, Score]] = {}
    usage: dict[str, ResourceUsage] = {}
    number: int = 1
    earlier: list[int] = []
    kept: list[dict[str, Any]] = []
    over: bool = False

    @property
    def has_begun(self) -> bool:
        """Whether its players and rules are settled; a run that was only checked has not begun."""
        return self.is_playing or self.number > 1

    @property
    def is_playing(self) -> bool:
        """Whether a stage has been created."""
        return self.staff is not None or self.qualifier is not None

    @property
    def players(self) -> list[Entry]:
        """Entries that play."""
        return [entry for entry in self.entries if not entry.problem]

    @property
    def competitors(self) -> list[Entry]:
        """Entries that play for a place: all but the staff bots."""
        return [entry for entry in self.players if not entry.is_staff]

    @property
    def new_to_staff(self) -> list[Entry]:
        """Entries that have yet to meet the staff bots."""
        kept = {line["bot"] for line in self.kept}
        return [entry for entry in self.competitors if entry.name not in kept]

    @property
    def needed(self) -> list[Entry]:
        """The entries whose programs have games in this run."""
        staff = [entry for entry in self.players if entry.is_staff] if self.new_to_staff else []
        return staff + (self.new_to_staff if self.rules.format == NO_QUALIFIER else self.competitors)

    def take_over(self, before: RunRecord) -> None:
        """Take secrets, accounts and checks of unchanged versions from a run that has not begun."""
        self.operator_token, self.invite_secret = before.operator_token, before.invite_secret
        known = {entry.name: entry for entry in before.entries}
        for entry in self.entries:
            old = known.get(entry.name)
            if old is None:
                continue
            entry.token = old.token  # the account stays that of the name, whatever the program is now
            if entry.is_version_of(old) and before.rules.game == self.rules.game:
                entry.grade, entry.lost, entry.game_s = old.grade, old.lost, old.game_s
                entry.problem = entry.problem or old.problem


class RecordError(ValueError):
    """The file of a run cannot be used; the text is one sentence."""


def load(into: Path) -> RunRecord | None:
    """The run in a folder, None if there is none. Raises RecordError."""
    path = into / FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=RunRecord)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        raise RecordError(f"the run in {path} cannot be read: {error}") from None


def save(into: Path, record: RunRecord, file: str = FILE) -> None:
    """Write the file whole or not at all, for its owner only. Raises OSError."""
    half = into / f"{file}.new"
    half.unlink(missing_ok=True)  # of a write that was killed
    # 0600 from the first byte on, since tokens are in it
    with os.fdopen(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        out.write(msgspec.json.format(msgspec.json.encode(record)))
        out.flush()
        os.fsync(out.fileno())  # or the new name could survive a power cut without its content
    half.replace(into / file)


def freeze(submission: Submission, into: Path, number: int, run: int = 1) -> Entry:
    """Copy a submission into the run's folder, where nobody edits it, and name its version. Raises OSError.

    run: its number; versions of earlier runs stay.
    """
    folder = Path("submissions") / (f"{number:03}" if run == 1 else f"{run}-{number:03}")
    target = into / folder
    shutil.rmtree(target, ignore_errors=True)  # of a dry run, perhaps of another program
    if submission.source is None:
        target.mkdir(parents=True)
    elif submission.source.is_dir():
        # links have been refused (submissions.check_size): they would be followed out of the folder
        shutil.copytree(submission.source, target, ignore=shutil.ignore_patterns(".git", *IGNORED))
    else:
        target.mkdir(parents=True)
        shutil.copy2(submission.source, target)
    _let_read(target)
    return Entry(
        name=submission.name,
        source=str(submission.source.name if submission.source else submission.player),
        folder=str(folder),
        player=submission.player,
        command=submission.command,
        digest=digest_of(target) if submission.source else "",
        since=run,
    )


def _let_read(folder: Path) -> None:
    """Let everybody read the copy: in a sandbox its program may run as nobody. The folder above says who reaches it."""
    for path in (folder, *folder.rglob("*")):
        mode = path.stat().st_mode
        path.chmod(mode | (0o555 if path.is_dir() or mode & 0o100 else 0o444))


def digest_of(folder: Path) -> str:
    """Twelve hexadecimal digits that change with the name or content of any file. Raises OSError."""
    found = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        # with the length, so that no name can be taken for the end of the content before it
        found.update(f"{path.relative_to(folder).as_posix()}\0{len(content)}\0".encode())
        found.update(content)
    return found.hexdigest()[:DIGEST_LENGTH]
