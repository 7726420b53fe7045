"""The plan of a match."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from tabiya.bots.pool.sandbox import Sandbox
from tabiya.match.own_book import BookTerms
from tabiya.server.core.adjudication import Adjudication
from tabiya.server.ratings.sprt import Sprt

USER_TERMS = ("first PLAYER", "second PLAYER", "--game", "--time", "--option", "--seed")
"""Terms whose value people wrote themselves."""


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """The players and terms of a match.

    players: two texts of the PLAYER grammar.  pairs: how many openings, each played twice with seats changed.
    time_control: of both players, or of each with a comma between.
    concurrency: games at the same time.  database: an address as for `tabiya serve`.  sprt: stop when it is decided.
    resume: go on with the last match of the same plan in the database.  adjudication: when a game is ended by scores or
    length, None for never.  openings: positions or moves, in their order; none: drawn by the seed.  emergency_moves:
    whether some legal move is played where a player fails or has none in time; else it loses.  sandbox: what is put
    around players that are not ours.  paired: whether both games of a pair begin with one opening; a player against
    itself would play one game twice.  restarts: whose programs are started again for each game.
    cores: for the programs, one each, those of the first and of the second player in turn; none: any.
    books: of a player alone, out of which moves are played for its program.
    endings: whether a game ends where its result is known.
    names: that were given to the players, empty for their usual ones.
    """

    players: tuple[str, str]
    game: str
    pairs: int = 10
    time_control: str = "10+0.1"
    concurrency: int = 1
    options: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    database: str = "memory:"
    sprt: Sprt | None = None
    resume: bool = False
    adjudication: Adjudication | None = None
    openings: tuple[str, ...] = ()
    emergency_moves: bool = False
    sandbox: Sandbox | None = None
    paired: bool = True
    restarts: tuple[bool, bool] = (False, False)
    cores: tuple[int, ...] = ()
    books: tuple[BookTerms | None, BookTerms | None] = (None, None)
    endings: bool = False
    names: tuple[str, str] = ("", "")

    @property
    def games(self) -> int:
        """How many games that are."""
        return 2 * self.pairs

    @property
    def time_controls(self) -> tuple[str, str]:
        """Of the first and of the second player."""
        first, _, second = self.time_control.partition(",")
        return first, second or first

    @property
    def digest(self) -> str:
        """Equal for matches of the same players on the same terms; how many games, and how many at once, may change."""
        terms: list[Any] = [self.players, self.game, self.time_control, sorted(self.options.items()), self.seed]
        # only where they are given: runs that were begun before there were these can still be resumed
        if self.adjudication is not None:
            terms.append(self.adjudication)
        if self.openings:
            terms.append(self.openings)
        if self.emergency_moves:
            terms.append(self.emergency_moves)
        if not self.paired:
            terms.append("not paired")
        if any(self.restarts):
            terms.append("restart" if all(self.restarts) else ("restart", self.restarts))
        if any(self.books):
            terms.append(("books", self.books))
        if self.endings:
            terms.append("endings")
        if any(self.names):
            terms.append(("names", self.names))
        return _digest(terms)

    @property
    def terms(self) -> dict[str, str]:
        """What must not change when a match is resumed, by the options of `tabiya match`."""
        first, second = self.players
        return {
            "first PLAYER": first,
            "second PLAYER": second,
            "--game": self.game,
            "--time": self.time_control,
            "--option": " ".join(f"{name}={value}" for name, value in sorted(self.options.items())),
            "--seed": str(self.seed),
            "--draw, --resign, --max-moves": _digest(self.adjudication),
            "--openings": _digest(self.openings),
            "--on-failure": _digest(self.emergency_moves),
            "--restart": _digest(self.restarts),
            "book=": _digest(self.books),
            "--endings": _digest(self.endings),
            "name=": _digest(self.names),
        }


def changed_terms(terms: Mapping[str, str], earlier: Mapping[str, str]) -> str:
    """The options by which two matches differ, each with the earlier value where that is short."""
    names = [name for name in terms if terms[name] != earlier.get(name, terms[name])]
    return ", ".join(f"{name} (was {earlier[name] or 'not given'})" if name in USER_TERMS else name for name in names)


def _digest(terms: Any) -> str:
    return hashlib.blake2b(msgspec.json.encode(terms), digest_size=8).hexdigest()
