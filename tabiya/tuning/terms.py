"""The settings of a run of `tabiya tune`, stored in its file: it continues only with the same settings."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from msgspec import Struct

from tabiya.bots.players.spec import with_options
from tabiya.bots.pool.pool_bot import mixed_seed
from tabiya.match.plan import MatchPlan
from tabiya.server.core.adjudication import Adjudication
from tabiya.tuning.spsa import Gains, Parameter, Perturbation, Values

OPTIONS = {
    "player": "PLAYER",
    "parameters": "--parameter",
    "time_control": "--time",
    "options": "--option",
    "adjudication": "--draw, --resign, --max-moves",
    "emergency_moves": "--on-failure",
}
"""The options that set these terms; all others have the name of their option."""


class Terms(Struct, frozen=True, kw_only=True):
    """What must not change in a run. pairs: of an iteration.  openings: the digest of those that were given.

    Where its games are played, and how many at once, may change.
    """

    player: str
    game: str
    parameters: tuple[Parameter, ...]
    gains: Gains
    pairs: int
    time_control: str
    seed: int
    options: dict[str, str] = {}
    openings: str = ""
    adjudication: Adjudication | None = None
    emergency_moves: bool = False

    @property
    def start(self) -> Values:
        """The values before the first iteration."""
        return tuple(parameter.start for parameter in self.parameters)

    @property
    def between(self) -> Values:
        """Some other values within the bounds, not whole where they need not be."""
        return tuple(
            parameter.nearest((2 * parameter.low + parameter.high + parameter.c_end / 7) / 3)
            for parameter in self.parameters
        )

    def changed_from(self, earlier: Terms) -> list[str]:
        """What differs from another run, as options of `tabiya tune`."""
        names = _changed(self, earlier)
        if "gains" in names:
            at = names.index("gains")
            names[at : at + 1] = _changed(self.gains, earlier.gains)
        return [OPTIONS.get(name, f"--{name.replace('_', '-')}") for name in names]

    def player_with(self, values: Values) -> str:
        """The player with these values, as a PLAYER. Raises PlayerError."""
        written = (
            (parameter.name, written_number(parameter, value))
            for parameter, value in zip(self.parameters, values, strict=True)
        )
        return with_options(self.player, written)

    def nearest(self, values: Values) -> Values:
        """The values to use, whole where they are played so."""
        return tuple(parameter.nearest(value) for parameter, value in zip(self.parameters, values, strict=True))

    def plan(self, iteration: int, sides: Perturbation, plan: MatchPlan) -> MatchPlan:
        """The games of an iteration; all else is as in `plan`. Raises PlayerError.

        The openings go on where those of the iteration before have ended.
        """
        openings, first = plan.openings, iteration * self.pairs
        return replace(
            plan,
            players=(self.player_with(sides.plus), self.player_with(sides.minus)),
            pairs=self.pairs,
            seed=mixed_seed(self.seed, iteration),
            openings=tuple(openings[(first + pair) % len(openings)] for pair in range(self.pairs if openings else 0)),
        )


def _changed(now: Struct, earlier: Struct) -> list[str]:
    """The fields of two of a kind that differ."""
    return [name for name in now.__struct_fields__ if getattr(now, name) != getattr(earlier, name)]


def written_number(parameter: Parameter, value: float) -> str:
    """A value as it is sent to an engine."""
    return str(int(value)) if parameter.whole else f"{value:.6g}"


def digest_of(openings: tuple[str, ...]) -> str:
    """Equal for equal lists of openings; empty for none."""
    return hashlib.blake2b("\n".join(openings).encode(), digest_size=8).hexdigest() if openings else ""
