"""The plan of a seed: bots, matches, tournaments and faults with their times. All is drawn here, before the run."""

from __future__ import annotations

from random import Random
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from scripts.long_runs.simulation.bots import SimulatedBehaviour
from tabiya.games.registry import names
from tabiya.protocol.encodings import Encoding
from tabiya.protocol.messages import Seek
from tabiya.server.pairing import FORMATS
from tabiya.server.tournaments.settings import TournamentOrder

BOTS, MOST_BOTS = 10, 12
SEEKERS = 7  # of the others, half play in tournaments and when they are challenged only
NOW, COMMIT, END = "now", "commit", "end"
MATCHES = 20
BAD_TIMES_S = 8.0  # everything goes wrong within so many seconds from the first connection
CONTROLS = ("3+0.1", "6+0.05", "2/move", "10/5", "none", "8+0")
OPTIONS: dict[str, tuple[dict[str, Any], ...]] = {}
NETWORK_FAULTS = ("slow", "cut", "rough", "parted")
GATEWAY_FAULTS = ("gateway_killed", "gateway_standstill", "bus_bad", "bus_cut")
HOST_FAULTS = ("host_killed", "host_standstill", "host_cut", "host_disk_cut", "host_disk_slow", "host_leaves")
SERVER_FAULTS = ("server_cut", "taken_over")  # beside hosts
HOST_FAULTS_AT_ONCE = 4
OTHER_FAULTS = ("standstill", "disk_slow", "disk_full", "answers_lost")
NAMES = ("ada", "bob", "cyd", "dan", "eve", "fay", "gus", "hal", "ivy", "jon", "kim", "lou")


class PlannedBot(Struct, frozen=True, kw_only=True):
    """One bot. token: empty for a guest.  far: not on the server's machine, so that its round trips are measured.

    base_s, jitter_s: what its line takes in each direction.  repeats: how often it says something again, or late.
    """

    name: str
    token: str
    version: str
    encoding: Encoding
    far: bool
    base_s: float
    jitter_s: float
    repeats: float
    at_once: int
    legal_moves: bool
    seeks: tuple[Seek, ...]
    behaviour: SimulatedBehaviour


class Fault(Struct, frozen=True, kw_only=True):
    """Something goes wrong. bots: whose lines.  amount: seconds of delay, a chance, or how long until it is noticed.

    when: the very moment of a crash, from `at_s` on: at once, when a commit is done, or one that ends a game.
    """

    at_s: float
    kind: str
    lasts_s: float = 0.0
    amount: float = 0.0
    bots: tuple[str, ...] = ()
    when: str = NOW


class Plan(Struct, frozen=True, kw_only=True):
    """One run. lobby_matches: so many are played outside tournaments, at least."""

    bots: tuple[PlannedBot, ...]
    orders: tuple[TournamentOrder, ...]
    lobby_matches: int
    faults: tuple[Fault, ...]
    disk_s: float
    busy_turns: float


def with_gateway_faults(plan: Plan, draw: Random) -> Plan:
    """The same plan, in which gateways and the bus have their own bad times."""
    kinds = [*GATEWAY_FAULTS, *draw.choices(GATEWAY_FAULTS, k=2)]
    faults = [*plan.faults, *(_fault(draw, kind, plan.bots) for kind in kinds)]
    return replace(plan, faults=tuple(sorted(faults, key=lambda fault: fault.at_s)))


def with_host_faults(plan: Plan, draw: Random) -> Plan:
    """The same plan, in which hosts and what joins them to the server have their own bad times."""
    kinds = [*draw.choices(HOST_FAULTS, k=HOST_FAULTS_AT_ONCE), draw.choice(SERVER_FAULTS)]
    faults = [replace(_fault(draw, kind, plan.bots), **_when_of_host(draw, kind)) for kind in kinds]
    return replace(plan, faults=tuple(sorted([*plan.faults, *faults], key=lambda fault: fault.at_s)))


def _when_of_host(draw: Random, kind: str) -> dict[str, Any]:
    """How long: often enough for the server to take it for lost.  When: as of a crash."""
    when = draw.choice((NOW, COMMIT, END, END)) if kind == "host_killed" else NOW
    return {"lasts_s": draw.choice((0.3, 1.0, 4.0, 6.0)), "when": when}


def plan_of(draw: Random) -> Plan:
    """The plan of a seed."""
    bots = _bots(draw)
    orders = tuple(_order(draw, number, bots) for number in range(draw.choice((1, 1, 2))))
    return Plan(
        bots=bots,
        orders=orders,
        lobby_matches=max(MATCHES, MATCHES - 2 + draw.randrange(6)),  # a tournament may have no game at all
        faults=_faults(draw, bots),
        disk_s=draw.choice((0.0005, 0.002, 0.02)),
        busy_turns=draw.choice((0.0, 0.003, 0.02)),
    )


def _bots(draw: Random) -> tuple[PlannedBot, ...]:
    games = draw.sample(names(), 2)
    control = draw.choice(CONTROLS)
    return tuple(
        _bot(draw, name, games if number < SEEKERS or draw.random() < 0.5 else [], control)
        for number, name in enumerate(NAMES[: draw.randint(BOTS, MOST_BOTS)])
    )


def _bot(draw: Random, name: str, games: list[str], control: str) -> PlannedBot:
    return PlannedBot(
        name=name,
        token=f"{name}-{draw.randbytes(16).hex()}" if draw.random() < 0.6 else "",
        version=draw.choice(("", "1", "2")),
        encoding=draw.choice(tuple(Encoding)),
        far=draw.random() < 0.5,
        base_s=draw.choice((0.0, 0.001, 0.02, 0.05)),
        jitter_s=draw.choice((0.0, 0.001, 0.05)),
        repeats=draw.choice((0.0, 0.0, 0.05)),
        at_once=draw.randint(1, 3),
        legal_moves=draw.random() < 0.8,
        seeks=tuple(Seek(game=game, time=control) for game in games if draw.random() < 0.9),
        behaviour=_manner(draw),
    )


def _manner(draw: Random) -> SimulatedBehaviour:
    return SimulatedBehaviour(
        think_s=draw.choice((0.0, 0.02, 0.2, 0.5)),
        brinks=draw.choice((0.0, 0.05, 0.2)),
        sleeps=draw.choice((0.0, 0.0, 0.0, 0.02)),
        errs=draw.choice((0.0, 0.0, 0.02)),
        resigns=draw.choice((0.1, 0.3)),
        offers=draw.choice((0.0, 0.05)),
        watches=draw.choice((0.0, 0.0, 0.05)),
    )


def _order(draw: Random, number: int, bots: tuple[PlannedBot, ...]) -> TournamentOrder:
    form = draw.choice(sorted(FORMATS))
    entrants = 2 if form == "sprt" else draw.randint(3, 6)
    return TournamentOrder(
        name=f"cup {number + 1}",
        key=f"cup {number + 1}",
        game=draw.choice(names()),
        format=form,
        bots=tuple(bot.name for bot in draw.sample(bots, entrants)),
        time_control=draw.choice(CONTROLS),
        rounds=draw.randint(2, 3) if form == "swiss" else 1,
        games=draw.choice((6, 8)) if form in ("ladder", "sprt") else 0,
        concurrency=draw.randint(2, 4),
        per_bot=draw.randint(1, 2),
        no_show_s=draw.choice((5.0, 60.0)),
        strikes=draw.choice((0, 3)),
        seeding=draw.choice(("listed", "random", "rating")),
        seed=draw.randrange(2**31),
    )


def _faults(draw: Random, bots: tuple[PlannedBot, ...]) -> tuple[Fault, ...]:
    """One of each kind of the network's, one or two crashes, and some of the rest."""
    kinds = [*NETWORK_FAULTS, "crash", *draw.choices(NETWORK_FAULTS, k=3), *draw.choices(OTHER_FAULTS, k=2)]
    if draw.random() < 0.4:
        kinds.append(draw.choice(("crash", "restart")))
    return tuple(sorted((_fault(draw, kind, bots) for kind in kinds), key=lambda fault: fault.at_s))


def _fault(draw: Random, kind: str, bots: tuple[PlannedBot, ...]) -> Fault:
    return Fault(
        at_s=draw.uniform(0.2, BAD_TIMES_S),
        kind=kind,
        lasts_s=draw.choice((0.3, 1.0, 3.0)),
        amount=draw.choice((0.05, 0.2, 0.5)),
        bots=tuple(bot.name for bot in draw.sample(bots, draw.randint(1, 4))),
        when=draw.choice((NOW, COMMIT, END, END)) if kind == "crash" else NOW,
    )
