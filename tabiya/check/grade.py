"""The grade from all results."""

from __future__ import annotations

from dataclasses import dataclass

from tabiya.check.scenario import ScenarioResult, Status


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The results of one check, in the order in which they were planned.

    name: as the bot says in hello.  games: those it was asked to play.  remarks: of our client, on what seems wrong.
    """

    results: tuple[ScenarioResult, ...]
    name: str
    games: tuple[str, ...]
    remarks: tuple[str, ...] = ()

    @property
    def required(self) -> tuple[ScenarioResult, ...]:
        """What every bot must do, by docs/reference/protocol.md."""
        return tuple(result for result in self.results if not result.scenario.extra)

    @property
    def extras(self) -> tuple[ScenarioResult, ...]:
        """What only some bots do."""
        return tuple(result for result in self.results if result.scenario.extra)

    @property
    def failures(self) -> tuple[ScenarioResult, ...]:
        """Where the bot has broken a rule."""
        return tuple(result for result in self.results if result.status is Status.FAILED)

    @property
    def points(self) -> int:
        """Points won where points count."""
        return sum(result.earned for result in self.required)

    @property
    def possible(self) -> int:
        """Points that could be won there."""
        return sum(result.possible for result in self.required)

    @property
    def extra_points(self) -> int:
        """Points won beyond what is required."""
        return sum(result.earned for result in self.extras)

    @property
    def extra_possible(self) -> int:
        """Points that could be won there."""
        return sum(result.possible for result in self.extras)

    @property
    def percent(self) -> int:
        """The grade, rounded down, so that 100 means full marks."""
        return 100 * self.points // self.possible if self.possible else 0

    @property
    def ready(self) -> bool:
        """Full marks on everything required."""
        return self.points == self.possible and self.possible > 0
