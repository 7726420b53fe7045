"""A scenario and its result."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum

from tabiya.check.harness import Harness
from tabiya.check.transcript import TranscriptLine


@dataclass(frozen=True, slots=True)
class Scenario:
    """One thing that is tried.

    name: for programs.  title: what is required, behind "the bot".  section: of docs/reference/protocol.md.
    run: raises RuleBroken, BlockedByOtherFailure, ExtraNotSupported or NotApplicable.  extra: optional for a bot.
    first: nothing else can be tried without it.  after: skipped when a scenario whose name begins like this has failed.
    """

    name: str
    title: str
    points: int
    section: str
    run: Callable[[Harness], Awaitable[None]]
    extra: bool = False
    first: bool = False
    after: str = ""


class Status(StrEnum):
    """How a scenario went."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_REACHED = "not reached"  # a fault elsewhere, or the time limit, came before
    NOT_SHOWN = "not shown"  # an extra that this bot does not do
    NOT_APPLICABLE = "not applicable"  # about something that this bot does not claim


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """One line of the report.

    cause, cure: at a fault; cause alone says why it was not reached or not shown.  frames: what was said last.
    printed: the program's last lines.  took_s: how long it was tried.
    """

    scenario: Scenario
    status: Status
    cause: str = ""
    cure: str = ""
    frames: tuple[TranscriptLine, ...] = ()
    printed: tuple[str, ...] = ()
    took_s: float = 0.0

    @property
    def earned(self) -> int:
        """Points won."""
        return self.scenario.points if self.status is Status.PASSED else 0

    @property
    def possible(self) -> int:
        """Points that could be won."""
        return 0 if self.status is Status.NOT_APPLICABLE else self.scenario.points
