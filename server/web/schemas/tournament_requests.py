"""What clients send to the API about tournaments, every field bounded."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from tabiya.protocol.messages.fields import doc
from tabiya.server.core.adjudication import Adjudication
from tabiya.server.web.schemas.requests import Name, RequestModel, Seed

Seconds = Annotated[float, Meta(ge=0, le=31 * 86_400)]
Elo = Annotated[float, Meta(ge=-1_000, le=1_000)]
Risk = Annotated[float, Meta(gt=0, le=0.5)]


class TournamentPlan(RequestModel, frozen=True, kw_only=True):
    """A tournament as the organiser asks for it; docs/reference/tournaments.md says what each means in each format."""

    name: Annotated[str, Meta(min_length=1, max_length=64), doc("What it is called.")]
    game: Annotated[Name, doc("Name of the game.")]
    format: Annotated[Name, doc("How it is played.")] = "round_robin"
    bots: Annotated[tuple[Name, ...], doc("Names of the bots; they need not be connected yet, but known.")] = ()
    time_control: Annotated[Name, doc("Empty for the server's usual one.")] = ""
    rounds: Annotated[
        Annotated[int, Meta(ge=1, le=1_000)] | None,
        doc("Rounds of a Swiss; elsewhere how often two meet, for two games each time; null for the usual number."),
    ] = None
    options: Annotated[dict[str, Any], doc("Options of the game.")] = {}  # noqa: RUF012 (structs copy it)
    openings: Annotated[
        tuple[Annotated[str, Meta(max_length=2_000)], ...],
        Meta(max_length=1_000),
        doc("Its own openings, each a position or moves from the start; none: drawn by the seed."),
    ] = ()
    concurrency: Annotated[
        int, Meta(ge=0, le=1_000), doc("Games at once; 0: as many as the machine has cores, all tournaments together.")
    ] = 0
    per_bot: Annotated[int, Meta(ge=1, le=64), doc("Games of one bot at once.")] = 1
    no_show_s: Annotated[float, Meta(ge=0, le=86_400), doc("A bot away for so long is withdrawn.")] = 60.0
    strikes: Annotated[
        int, Meta(ge=0, le=1_000), doc("So many losses in a row by time, crash or illegal moves withdraw; 0: never.")
    ] = 3
    rated: Annotated[bool, doc("Whether its games count for the standings.")] = True
    illegal_limit: Annotated[int, Meta(ge=1, le=1_000), doc("The illegal move with this number loses.")] = 3
    adjudication: Annotated[Adjudication | None, doc("When the server ends a game by itself; null: never.")] = None
    everyone: Annotated[bool, doc("Whether every bot that is connected and plays the game enters by itself.")] = False
    late_s: Annotated[Seconds, doc("With `everyone`: for how long after the start.")] = 0.0
    starts_at: Annotated[
        Annotated[float, Meta(ge=0, le=1e11)] | None, doc("When it starts by itself; null: now or by order.")
    ] = None
    duration_s: Annotated[Seconds, doc("How long a ladder makes new pairings; 0: until `games`.")] = 0.0
    seeding: Annotated[Name, doc("Who counts as strongest: `listed`, `random` or `rating`.")] = "listed"
    challengers: Annotated[int, Meta(ge=1, le=1_000), doc("Of a gauntlet: the first so many bots.")] = 1
    tie_breaks: Annotated[int, Meta(ge=0, le=20), doc("Of a knockout: mini-matches after a level one.")] = 2
    third_place: Annotated[bool, doc("Of a knockout: whether the third place is played for.")] = True
    games: Annotated[int, Meta(ge=0, le=100_000), doc("Of a ladder or SPRT: at most so many games; 0: unlimited.")] = 0
    elo0: Annotated[Elo, doc("Of an SPRT: the difference that is too small.")] = 0.0
    elo1: Annotated[Elo, doc("Of an SPRT: the difference that is wanted.")] = 10.0
    alpha: Annotated[Risk, doc("Of an SPRT: risk of accepting `elo1` when `elo0` is true.")] = 0.05
    beta: Annotated[Risk, doc("Of an SPRT: risk of accepting `elo0` when `elo1` is true.")] = 0.05
    normalised: Annotated[bool, doc("Of an SPRT: whether the bounds are in normalised Elo.")] = True
    seed: Annotated[Seed | None, doc("For openings and random seeding; null for a new one.")] = None
    start: Annotated[bool, doc("Whether it begins at once, unless it has a time to start.")] = True
    key: Annotated[
        str, Meta(max_length=64), doc("Of this order: given again, it answers with the same tournament; empty: none.")
    ] = ""


class EnterOrder(RequestModel, frozen=True, kw_only=True):
    """Enter bots in a tournament."""

    bots: Annotated[tuple[Name, ...], Meta(min_length=1), doc("Their names.")]


class WithdrawOrder(RequestModel, frozen=True, kw_only=True):
    """Take a bot out of a tournament."""

    bot: Annotated[Name, doc("Its name.")]


class ByeOrder(RequestModel, frozen=True, kw_only=True):
    """Let a bot sit out the next round."""

    bot: Annotated[Name, doc("Its name.")]
