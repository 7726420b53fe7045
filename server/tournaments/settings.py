"""The order that creates a tournament, its bounds, the stored settings, and the plan made of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, ValidationError, convert, structs, to_builtins

from tabiya.games.errors import shown
from tabiya.protocol.explain import field_fault
from tabiya.protocol.messages.fields import doc
from tabiya.protocol.time_control import TimeControlError, parse
from tabiya.server.core.adjudication import Adjudication, complaint
from tabiya.server.grading.formula import BotPoints
from tabiya.server.pairing import FORMATS, Format, Plan
from tabiya.server.pairing.crosstable import CrosstableRow
from tabiya.server.pairing.state import FormatTerms, PairingState
from tabiya.storage.records import TournamentRecord

if TYPE_CHECKING:
    from tabiya.games.contract import Game

MAX_ENTRANTS, MAX_GAMES, MAX_OPENINGS, MAX_STAFF = 512, 40_000, 1_000, 64
SEEDINGS = ("listed", "random", "rating")
Name = Annotated[str, Meta(max_length=200)]
TournamentName = Annotated[str, Meta(min_length=1, max_length=64)]
Rounds = Annotated[int, Meta(ge=1, le=1_000)]
GamesAtOnce = Annotated[int, Meta(ge=0, le=1_000)]
PerBot = Annotated[int, Meta(ge=1, le=64)]
AbsenceS = Annotated[float, Meta(ge=1, le=86_400)]
Strikes = Annotated[int, Meta(ge=0, le=1_000)]
LateS = Annotated[float, Meta(ge=0, le=86_400)]
StartsAt = Annotated[float, Meta(ge=0, le=1e11)]
Elo = Annotated[float, Meta(ge=-1_000, le=1_000)]
Risk = Annotated[float, Meta(ge=0.000_001, le=0.5)]


class TournamentError(ValueError):
    """A tournament cannot be created or commanded like this; the text is one sentence."""


class StaffTerms(BotPoints, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A staff bot of a graded gauntlet and its points."""

    bot: Annotated[Name, doc("Name of the bot, a challenger.")]


class TournamentOrder(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a tournament; docs/reference/tournaments.md explains them for each format."""

    name: Annotated[TournamentName, doc("Its name.")]
    game: Annotated[Name, doc("Name of the game.")]
    format: Annotated[Name, doc("Its format.")] = "round_robin"
    bots: Annotated[tuple[Name, ...], doc("Names of the bots; each must have connected once.")] = ()
    time_control: Annotated[Name, doc("Time control; empty: the server's default.")] = ""
    rounds: Annotated[
        Rounds | None,
        doc(
            "Rounds of a Swiss; in other formats how often two bots meet, for two games each time; null: the "
            "usual number."
        ),
    ] = None
    options: Annotated[dict[str, Any], doc("Options of the game.")] = {}
    openings: Annotated[
        tuple[Annotated[str, Meta(max_length=2_000)], ...],
        Meta(max_length=MAX_OPENINGS),
        doc("Openings, each a position or moves from the start; empty: random from the seed."),
    ] = ()
    concurrency: Annotated[GamesAtOnce, doc("Games at once; 0: one per core for all tournaments together.")] = 0
    per_bot: Annotated[PerBot, doc("Games per bot at once.")] = 1
    no_show_s: Annotated[AbsenceS, doc("A bot that is absent for this long is withdrawn.")] = 60.0
    strikes: Annotated[
        Strikes,
        doc("Losses in a row by time, by illegal moves or by leaving until a bot is withdrawn; 0: never."),
    ] = 3
    rated: Annotated[bool, doc("Whether its games count for standings.")] = True
    illegal_limit: Annotated[int, Meta(ge=1, le=1_000), doc("Illegal move with this number loses.")] = 3
    adjudication: Annotated[Adjudication | None, doc("Rules by which the server ends a game; null: none.")] = None
    everyone: Annotated[
        bool,
        doc("Whether all bots that play the game enter automatically: connected bots and uploaded programs."),
    ] = False
    late_s: Annotated[LateS, doc("With `everyone`: time for late entry after the start.")] = 0.0
    starts_at: Annotated[StartsAt | None, doc("Time of its automatic start; null: now or by request.")] = None
    duration_s: Annotated[
        float, Meta(ge=0, le=31 * 86_400), doc("Ladder: time for new pairings; 0: until `games`.")
    ] = 0.0
    seeding: Annotated[Name, doc("Order of strength: `listed`, `random` or `rating`.")] = "listed"
    challengers: Annotated[
        int, Meta(ge=1, le=MAX_ENTRANTS - 1), doc("Gauntlet: number of challengers, the first bots.")
    ] = 1
    grading: Annotated[
        tuple[StaffTerms, ...],
        Meta(max_length=MAX_STAFF),
        doc("Gauntlet: points against each challenger, for grades."),
    ] = ()
    tie_breaks: Annotated[int, Meta(ge=0, le=20), doc("Knockout: extra meetings after a tie.")] = 2
    third_place: Annotated[bool, doc("Knockout: whether there is a match for third place.")] = True
    games: Annotated[int, Meta(ge=0, le=MAX_GAMES), doc("Ladder, SPRT: maximum number of games; 0: unlimited.")] = 0
    elo0: Annotated[Elo, doc("SPRT: Elo difference that is too small.")] = 0.0
    elo1: Annotated[Elo, doc("SPRT: Elo difference that is wanted.")] = 10.0
    alpha: Annotated[Risk, doc("SPRT: risk of accepting `elo1` when `elo0` is true.")] = 0.05
    beta: Annotated[Risk, doc("SPRT: risk of accepting `elo0` when `elo1` is true.")] = 0.05
    normalised: Annotated[bool, doc("SPRT: whether the bounds are in normalised Elo.")] = True
    seed: Annotated[
        Annotated[int, Meta(ge=0, le=2**53 - 1)] | None, doc("Seed of openings and random seeding; null: a new one.")
    ] = None
    start: Annotated[bool, doc("Whether it starts immediately, unless it has a start time.")] = True
    key: Annotated[
        str,
        Meta(max_length=64),
        doc("Key of this request: repeated with the same key, it returns the same tournament; empty: none."),
    ] = ""


class TournamentChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to change; what is left out stays. Applies to games that begin. A Swiss that has ended can get rounds."""

    name: Annotated[TournamentName | UnsetType, doc("Its name.")] = UNSET
    time_control: Annotated[Name | UnsetType, doc("Time control; empty: the server's default.")] = UNSET
    rounds: Annotated[
        Rounds | UnsetType, doc("Rounds; after the start only of a Swiss, and not fewer than are paired.")
    ] = UNSET
    concurrency: Annotated[
        GamesAtOnce | UnsetType, doc("Games at once; 0: one per core for all tournaments together.")
    ] = UNSET
    per_bot: Annotated[PerBot | UnsetType, doc("Games per bot at once.")] = UNSET
    no_show_s: Annotated[AbsenceS | UnsetType, doc("A bot that is absent for this long is withdrawn.")] = UNSET
    strikes: Annotated[
        Strikes | UnsetType,
        doc("Losses in a row by time, by illegal moves or by leaving until a bot is withdrawn; 0: never."),
    ] = UNSET
    late_s: Annotated[LateS | UnsetType, doc("With `everyone`: time for late entry after the start.")] = UNSET
    starts_at: Annotated[
        StartsAt | UnsetType | None, doc("Before the start: time of its automatic start; null: by request.")
    ] = UNSET


class TournamentSettings(FormatTerms, frozen=True, kw_only=True):
    """What is stored of an order, which says what each field means.

    The defaults are those of tournaments that were stored before there was such a choice.
    """

    time_control: str
    strikes: int = 0
    options: dict[str, Any] = {}  # noqa: RUF012 (structs copy it)
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
    grading: tuple[StaffTerms, ...] = ()
    key: str = ""


def check_order(order: TournamentOrder) -> None:
    """Check an order, whose numbers may have come from elsewhere than the API. Raises TournamentError."""
    given = to_builtins(order)
    try:
        convert(given, TournamentOrder)
    except ValidationError as error:
        raise TournamentError(field_fault(given, str(error))) from None
    checked_name(order.name)
    if order.format not in FORMATS:
        raise TournamentError(f"there is no format {order.format[:80]!a}; there are {', '.join(FORMATS)}")
    if order.seeding not in SEEDINGS:
        raise TournamentError(f"there is no seeding {order.seeding[:80]!a}; there are {', '.join(SEEDINGS)}")
    if order.format == "ladder" and not order.games and not order.duration_s:
        raise TournamentError("a ladder needs an end: a number of games or a duration")
    if order.duration_s and order.format != "ladder":
        raise TournamentError(f"only a ladder is held for a duration, a {FORMATS[order.format].title} is not")
    if order.format == "gauntlet" and order.everyone and len(order.bots) < order.challengers:
        named = f"{order.challengers}, not {len(order.bots)}"
        raise TournamentError(f"a gauntlet that all bots enter needs the names of its challengers: {named}")
    if order.grading and order.format != "gauntlet":
        raise TournamentError(f"only a gauntlet is graded, a {FORMATS[order.format].title} is not")
    for fault in filter(None, (staff.fault for staff in order.grading)):
        raise TournamentError(fault)
    _check_size(order)


def _check_size(order: TournamentOrder) -> None:
    """Check the numbers of bots and games. Raises TournamentError."""
    form, entrants = FORMATS[order.format], len(order.bots)
    if entrants > MAX_ENTRANTS:
        raise TournamentError(f"a tournament has at most {MAX_ENTRANTS} bots, not {entrants}")
    if order.rounds is not None:
        check_games(form, entrants, order.rounds)
    plan = plan_of(settings_of(order), entrants)
    begins = order.start and order.starts_at is None and not order.everyone
    complaint = form.terms_error(plan) or (form.start_error(plan) if begins else "")
    if complaint:
        raise TournamentError(complaint)


def checked_name(text: str) -> str:
    """The name of a tournament without spaces around it. Raises TournamentError."""
    name = text.strip()
    if not 1 <= len(name) <= 64 or not name.isprintable():
        raise TournamentError(f"a tournament has a name of 1 to 64 printable characters, not {shown(text)}")
    return name


def check_games(form: Format, entrants: int, rounds: int) -> None:
    """Check how many games these rounds are. Raises TournamentError."""
    if (games := form.min_games(entrants, rounds)) > MAX_GAMES:
        raise TournamentError(f"{rounds} rounds of {entrants} bots are {games} games; allowed are 1 to {MAX_GAMES}")


def given(change: TournamentChange) -> dict[str, Any]:
    """The fields of a change that are not left out. Raises TournamentError if there is none."""
    fields = {name: value for name, value in structs.asdict(change).items() if value is not UNSET}
    if not fields:
        raise TournamentError(f"name what to change: {', '.join(TournamentChange.__struct_fields__)}")
    return fields


def settings_of(order: TournamentOrder, **known: Any) -> TournamentSettings:
    """The settings of an order. known: fields that have been checked and completed."""
    kept: dict[str, Any] = {field: getattr(order, field) for field in TournamentSettings.__struct_fields__}
    usual = FORMATS[order.format].default_rounds
    return TournamentSettings(**(kept | {"rounds": usual if order.rounds is None else order.rounds} | known))


def checked_adjudication(rule: Adjudication | None, game: Game) -> Adjudication | None:
    """The rule if this game's matches can be held by it, None for one that ends nothing. Raises TournamentError."""
    if rule is None or rule == Adjudication():
        return None
    if trouble := complaint(rule, game.title, draws_possible=game.draws_possible):
        raise TournamentError(trouble)
    return rule


def check_grading(grading: Sequence[StaffTerms], challengers: Sequence[str]) -> None:
    """Check that the staff are the challengers, each once; names as the accounts have them. Raises TournamentError."""
    named = [staff.bot for staff in grading]
    for name in named:
        if named.count(name) > 1:
            raise TournamentError(f"the grading names {name} twice")
        if name not in challengers:
            first = f"the first {len(challengers)} bots" if len(challengers) > 1 else "the first bot"
            raise TournamentError(f"{name} is graded against, but no challenger: a challenger is of {first}")
    for name in challengers if named else ():
        if name not in named:
            raise TournamentError(f"{name} is a challenger of a graded gauntlet: the grading says nothing of it")


def checked_time_control(text: str, usual: str) -> str:
    """The time control as it is written everywhere. Raises TournamentError."""
    try:
        return str(parse(text or usual))
    except TimeControlError as error:
        raise TournamentError(str(error)) from None


def plan_of(settings: TournamentSettings, entrants: int) -> Plan:
    """The plan of the format."""
    kept = {field: getattr(settings, field) for field in FormatTerms.__struct_fields__}
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
