"""What an organiser asks for and what is kept of it: the order, its bounds, the settings, and the plan that follows."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from msgspec import Struct, convert

from tabiya.protocol.time_control import TimeControlError, parse
from tabiya.server.core.adjudication import Adjudication, complaint
from tabiya.server.pairing import FORMATS, Format, Plan
from tabiya.server.pairing.crosstable import CrosstableRow
from tabiya.server.pairing.state import PairingState
from tabiya.storage.records import TournamentRecord

if TYPE_CHECKING:
    from tabiya.games.contract import Game

MAX_ENTRANTS, MAX_GAMES, MAX_OPENINGS = 512, 40_000, 1_000
SEEDINGS = ("listed", "random", "rating")


class TournamentError(ValueError):
    """A tournament cannot be created or commanded like this; the text is one sentence."""


class TournamentTerms(Struct, frozen=True, kw_only=True):
    """The fields that order and settings share; docs/reference/tournaments.md explains them.

    no_show_s: an entrant away for so long is withdrawn.  per_bot: games of one entrant at the same time.  everyone: who
    is connected and plays the game before the start (and late_s after it) is entered.  starts_at, duration_s: seconds.
    openings: the organiser's own, positions or moves; none: drawn by the seed.  adjudication: when the server ends a
    game by itself, None for never.  key: of the order; one with the same key again makes no second tournament.
    """

    options: dict[str, Any] = {}
    openings: tuple[str, ...] = ()
    concurrency: int = 0
    per_bot: int = 1
    no_show_s: float = 60.0
    rated: bool = True
    illegal_limit: int = 3
    adjudication: Adjudication | None = None
    everyone: bool = False
    late_s: float = 0.0
    starts_at: float | None = None
    duration_s: float = 0.0
    seeding: str = "listed"
    challengers: int = 1
    tie_breaks: int = 2
    third_place: bool = True
    games: int = 0
    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05
    normalised: bool = True
    key: str = ""


class TournamentSettings(TournamentTerms, frozen=True, kw_only=True):
    """What is stored of an order. strikes: so many losses in a row by its own fault withdraw an entrant (0: never).

    The defaults are those of tournaments that were stored before there was such a choice.
    """

    time_control: str
    rounds: int = 1
    strikes: int = 0


class TournamentOrder(TournamentTerms, frozen=True, kw_only=True):
    """A tournament as the organiser asks for it. bots: names; they need not be connected yet.

    time_control: empty for the server's usual one.  rounds: None for the format's usual number.  start: whether it
    begins at once, unless it has a time to start.
    """

    name: str
    game: str
    format: str = "round_robin"
    bots: tuple[str, ...] = ()
    time_control: str = ""
    rounds: int | None = None
    strikes: int = 3
    seed: int | None = None
    start: bool = True


BOUNDS: dict[str, tuple[float, float]] = {
    "concurrency": (0, 10_000),
    "per_bot": (1, 64),
    "no_show_s": (1, 86_400),
    "strikes": (0, 1_000),
    "illegal_limit": (1, 1_000),
    "late_s": (0, 86_400),
    "duration_s": (0, 31 * 86_400),
    "challengers": (1, MAX_ENTRANTS - 1),
    "tie_breaks": (0, 20),
    "games": (0, MAX_GAMES),
    "elo0": (-1_000, 1_000),
    "elo1": (-1_000, 1_000),
    "alpha": (0.000_001, 0.5),
    "beta": (0.000_001, 0.5),
}
SEED_BOUNDS = (0, 2**63 - 1)


def check_order(order: TournamentOrder) -> None:
    """Check name, format and numbers of an order. Raises TournamentError."""
    name = order.name.strip()
    if not 1 <= len(name) <= 64 or not name.isprintable():
        raise TournamentError(f"a tournament has a name of 1 to 64 printable characters, not {order.name[:80]!a}")
    if order.format not in FORMATS:
        raise TournamentError(f"there is no format {order.format[:80]!a}; there are {', '.join(FORMATS)}")
    if order.seeding not in SEEDINGS:
        raise TournamentError(f"there is no seeding {order.seeding[:80]!a}; there are {', '.join(SEEDINGS)}")
    for what, (least, most) in BOUNDS.items():
        value = getattr(order, what)
        if not least <= value <= most:
            raise TournamentError(f"{what} is {value}; allowed are {least:g} to {most:g}")
    if order.seed is not None and not SEED_BOUNDS[0] <= order.seed <= SEED_BOUNDS[1]:
        raise TournamentError(f"seed is {order.seed}; allowed are {SEED_BOUNDS[0]} to {SEED_BOUNDS[1]}")
    if order.format == "ladder" and not order.games and not order.duration_s:
        raise TournamentError("a ladder needs an end: a number of games or a duration")
    if order.duration_s and order.format != "ladder":
        raise TournamentError(f"only a ladder is held for a duration, a {FORMATS[order.format].title} is not")
    if len(order.openings) > MAX_OPENINGS:
        raise TournamentError(f"a tournament has at most {MAX_OPENINGS} openings of its own, not {len(order.openings)}")
    _check_size(order)


def _check_size(order: TournamentOrder) -> None:
    """Check the numbers of bots and games. Raises TournamentError."""
    form, entrants = FORMATS[order.format], len(order.bots)
    if entrants > MAX_ENTRANTS:
        raise TournamentError(f"a tournament has at most {MAX_ENTRANTS} bots, not {entrants}")
    if order.rounds is not None and order.rounds < 1:
        raise TournamentError(f"{order.rounds} rounds are too few; allowed are 1 or more")
    if order.rounds is not None and form.min_games(entrants, order.rounds) > MAX_GAMES:
        games = form.min_games(entrants, order.rounds)
        raise TournamentError(
            f"{order.rounds} rounds of {entrants} bots are {games} games; allowed are 1 to {MAX_GAMES}"
        )
    plan = plan_of(settings_of(order), entrants)
    begins = order.start and order.starts_at is None and not order.everyone
    complaint = form.terms_error(plan) or (form.start_error(plan) if begins else "")
    if complaint:
        raise TournamentError(complaint)


def settings_of(order: TournamentOrder, **known: Any) -> TournamentSettings:
    """The settings of an order. known: fields that have been checked and completed."""
    kept: dict[str, Any] = {
        field: getattr(order, field) for field in TournamentSettings.__struct_fields__ if hasattr(order, field)
    }
    usual = FORMATS[order.format].default_rounds
    return TournamentSettings(**(kept | {"rounds": usual if order.rounds is None else order.rounds} | known))


def checked_adjudication(rule: Adjudication | None, game: Game) -> Adjudication | None:
    """The rule if this game's matches can be held by it, None for one that ends nothing. Raises TournamentError."""
    if rule is None or rule == Adjudication():
        return None
    if trouble := complaint(rule, game.title, draws_possible=game.draws_possible):
        raise TournamentError(trouble)
    return rule


def checked_time_control(text: str, usual: str) -> str:
    """The time control as it is written everywhere. Raises TournamentError."""
    try:
        return str(parse(text or usual))
    except TimeControlError as error:
        raise TournamentError(str(error)) from None


def plan_of(settings: TournamentSettings, entrants: int) -> Plan:
    """The plan of the format."""
    kept = {field: getattr(settings, field) for field in Plan.__struct_fields__ if field != "entrants"}
    return Plan(entrants=entrants, **kept)


def cores() -> int:
    """How many games may run at once by default: one for each core of this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class StoredTournament(Struct, frozen=True):
    """A stored tournament with its format, plan and pairing state."""

    form: Format
    settings: TournamentSettings
    plan: Plan
    state: PairingState

    def standings(self) -> tuple[CrosstableRow, ...]:
        """The table, best first; takes a while with hundreds of bots."""
        return self.form.standings(self.plan, self.state)


def read_tournament(record: TournamentRecord) -> StoredTournament:
    """The stored tournament; those of earlier versions too."""
    settings = convert(record.settings, TournamentSettings)
    return StoredTournament(
        FORMATS[record.format], settings, plan_of(settings, len(record.entries)), convert(record.state, PairingState)
    )
