"""The parts of the benchmark: each starts what it needs and returns its rows."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.server.processes import (
    SERVER_CORE,
    BenchmarkFailed,
    Generator,
    Served,
    echoing,
    generating,
    make_accounts,
    serving,
    start,
    token_of,
)
from benchmarks.server.steps import steps_of
from tabiya.games.registry import load_game

Row = dict[str, Any]
TIME = "600+5"
PLIES = 60  # of a game, about: so long it takes until the beginnings are spread evenly
TRIES = 4  # at a rate that keeps the server so busy: a move costs more the fewer come together


@dataclass(frozen=True)
class Scale:
    """How much of everything.  seconds: of each measurement.  pairs x matches: of the measurement of speed."""

    games: tuple[str, ...] = ("reversi", "chess")
    seconds: float = 10.0
    warm_s: float = 2.0
    pairs: int = 50
    matches: int = 10
    at_once: tuple[int, ...] = (100, 1_000, 5_000)
    latency_pairs: int = 100
    idle: int = 5_000
    spectators: int = 250
    followers: int = 1_000  # pages that follow one match
    half_open: int = 2_000  # connections that never say hello
    rounds: int = 2  # of following, each at the server and apart from it, and of half-open connections
    niceness: int = -5
    share: float = 0.5  # for latency: of the server's core; for half-open connections: of the greatest speed
    by_speed: bool = False  # for latency: whether that is of the greatest speed, too
    together: bool = False  # for latency: whether all matches begin at once, and so end at once too


def players(pairs: int, matches: int) -> list[dict[str, Any]]:
    """Plans of bots that play each other, two by two."""
    names = [(f"one-{number}", f"two-{number}") for number in range(pairs)]
    return [
        {"name": mine, "token": token_of(mine), "matches": matches, "opponent": theirs}
        for one, two in names
        for mine, theirs in ((one, two), (two, one))
    ]


def idlers(count: int) -> list[dict[str, Any]]:
    """Plans of bots that are connected and idle."""
    names = [f"idle-{number}" for number in range(count)]
    return [{"name": name, "token": token_of(name), "matches": 0, "watches": True} for name in names]


def stride(game: str) -> int:
    """Bytes of the game's shortest move in a list of moves."""
    return 1 + min(len(move) for move in load_game(game).start().legal_moves())


@contextlib.contextmanager
def playing(
    game: str, scale: Scale, pairs: int, matches: int, spectators: int = 0
) -> Iterator[tuple[Path, Served, Generator]]:
    """A server on which `pairs` times `matches` games are about to go on, and the load that plays them."""
    plans = players(pairs, matches)
    watching = idlers(spectators)
    with tempfile.TemporaryDirectory(prefix="tabiya-bench-") as name:
        folder = Path(name)
        make_accounts(folder / "bench.db", [plan["name"] for plan in plans + watching])
        with serving(folder, scale.niceness) as served, generating(scale.niceness) as load:
            load.do("connect", port=served.port, players=plans + watching)
            load.do("seek", game=game, time=TIME, matches=pairs * matches, stride=stride(game))
            yield folder, served, load
            check(folder, load)


def check(folder: Path, load: Generator) -> None:
    """Raise BenchmarkFailed unless the sampled turns are right, and the sampled moves stored as they were sent."""
    found = load.do("check")
    if found["wrong"] or not found["checked"]:
        raise BenchmarkFailed(f"what came back is wrong: {found['wrong'] or 'there was nothing to check'}")
    with contextlib.closing(sqlite3.connect(folder / "bench.db")) as database:
        for match, sent in found["sent"].items():
            rows = database.execute("select ply, text from moves where match_id = ? and not opening", (int(match),))
            stored = {str(ply): text for ply, text in rows}
            wrong = [ply for ply, text in stored.items() if sent.get(ply) != text]
            # a turn was sent for every ply but the first, so everything before the last answered one is stored
            lost = [ply for ply in sent if int(ply) < max(map(int, sent)) and ply not in stored]
            if wrong or lost:
                raise BenchmarkFailed(f"match {match}: stored otherwise than sent: {wrong}; lost: {lost}")


def shares_us(folder: Path, counted: Row) -> list[int]:
    """The server's share of every move that arrived during a measurement, in microseconds, sorted."""
    with contextlib.closing(sqlite3.connect(folder / "bench.db")) as database:
        rows = database.execute(
            "select server_us from moves where not opening and at between ? and ?", (counted["from"], counted["until"])
        )
        shares = sorted(share for (share,) in rows)
    if not shares:
        raise BenchmarkFailed("not one move was made in the time of the measurement")
    return shares


def at_percent(values: Sequence[int], percent: float) -> float:
    """The percentile of sorted microseconds, in milliseconds."""
    return round(values[min(len(values) - 1, int(len(values) * percent / 100))] / 1_000, 2)


def speed(scale: Scale) -> list[Row]:
    """Moves a second at full load, and a bare echo's round trips with frames of the same sizes in between."""
    return [_speed(game, scale) for game in scale.games]


def _speed(game: str, scale: Scale) -> Row:
    half = {"seconds": scale.seconds / 2, "warm_s": scale.warm_s / 2}
    with playing(game, scale, scale.pairs, scale.matches) as (folder, served, load):
        half["pid"] = served.process.pid
        first = load.do("run", **half)
        turn, move = round(first["turn_bytes"] / first["turns"]), round(first["move_bytes"] / first["turns"])
        trips = _echo(scale, half, turn, move - 6)
        second = load.do("run", **half)
        stored = len(shares_us(folder, first)) + len(shares_us(folder, second))
    took_s, moves = first["took_s"] + second["took_s"], first["moves"] + second["moves"]
    if abs(stored - moves) > 0.1 * moves:
        raise BenchmarkFailed(f"{moves:.0f} moves were told and {stored} are stored")
    echoes = trips["echoed"] / trips["took_s"]
    own_us = 1e6 * (first["server_cpu_s"] + second["server_cpu_s"]) / moves
    echo_us = 1e6 * trips["server_cpu_s"] / trips["echoed"]
    return {
        "game": game,
        "connections": 2 * scale.pairs,
        "matches": scale.pairs * scale.matches,
        "moves/s": round(moves / took_s),
        "echo/s": round(echoes),
        "% of echo": round(100 * moves / took_s / echoes, 1),
        "games/s": round((first["ended"] + second["ended"]) / 2 / took_s, 1),
        "turn bytes": turn,
        "move bytes": move,
        "us/move": round(own_us, 1),
        "us/echo": round(echo_us, 1),
        "% by cpu": round(100 * echo_us / own_us, 1),
        "load busy %": round(100 * max(one["load_cpu_s"] / one["took_s"] for one in (first, second, trips))),
        "load average": round(os.getloadavg()[0], 1),
    }


def _echo(scale: Scale, run: dict[str, Any], answer_bytes: int, payload_bytes: int) -> Row:
    with echoing(answer_bytes, scale.niceness) as echo, generating(scale.niceness) as load:
        load.do("connect", port=echo.port, players=[{"echo_bytes": payload_bytes}] * (2 * scale.pairs))
        load.do("echo", in_flight=scale.matches // 2)
        return load.do("run", **run | {"pid": echo.process.pid})


def latency(scale: Scale) -> list[Row]:
    """The server's share of a move while its core is so busy, with more and more matches at once."""
    rows = []
    for game in scale.games:
        with playing(game, scale, scale.pairs, scale.matches) as (_, served, load):
            full = load.do("run", pid=served.process.pid, seconds=scale.seconds / 2, warm_s=scale.warm_s)
        most = full["moves"] / full["took_s"]
        rows += [_latency(game, scale, matches, most) for matches in scale.at_once]
    return rows


def _latency(game: str, scale: Scale, matches: int, most: float) -> Row:
    pairs = min(scale.latency_pairs, matches)
    rate = scale.share * most * (1.0 if scale.by_speed else 0.5)
    spread_s = 0.0 if scale.together else PLIES * matches / rate
    warm_s = max(scale.warm_s, 3 * matches / most) + spread_s
    with playing(game, scale, pairs, matches // pairs) as (folder, served, load):
        run = functools.partial(load.do, "run", pid=served.process.pid, matches=matches)
        run(rate=rate, seconds=0.0, spread_s=spread_s, warm_s=warm_s)  # until the matches are spread
        run = functools.partial(run, warm_s=scale.warm_s)
        if not scale.by_speed:
            rate = rate_for(scale.share, rate, functools.partial(run, seconds=scale.seconds / TRIES))
        counted = run(rate=rate, seconds=scale.seconds)
        shares = shares_us(folder, counted)
    return {
        "game": game,
        "matches": matches,
        "begun": "together" if scale.together else "apart",
        "moves/s": round(counted["moves"] / counted["took_s"]),
        "% of most": round(100 * counted["moves"] / counted["took_s"] / most),
        "busy %": round(100 * counted["server_cpu_s"] / counted["took_s"]),
        "p50 ms": at_percent(shares, 50),
        "p99 ms": at_percent(shares, 99),
        "p99.9 ms": at_percent(shares, 99.9),
        "most ms": at_percent(shares, 100),
        "load late ms": round(1e3 * counted["late_s"]),
        "load average": round(os.getloadavg()[0], 1),
    }


def rate_for(share: float, rate: float, run: Callable[..., Row]) -> float:
    """The moves a second at which the server needs about this share of its core. rate: the first guess."""
    for _ in range(TRIES):
        tried = run(rate=rate)
        rate *= share * tried["took_s"] / max(tried["server_cpu_s"], 0.01)
    return rate


def spectators(scale: Scale) -> list[Row]:
    """One match among a hundred at half speed: nobody watches, many do, and some of these never read."""
    rows, most, game = [], 0.0, scale.games[-1]
    with playing(game, scale, 100, 1, scale.spectators) as (folder, served, load):
        full = load.do("run", pid=served.process.pid, seconds=scale.seconds / 2, warm_s=scale.warm_s)
        most = full["moves"] / full["took_s"]
        paced = {"rate": most / 2, "matches": 100, "seconds": scale.seconds, "warm_s": scale.warm_s}
        for label, stuck in (("nobody watches", None), ("all read", 0), ("a tenth is stuck", scale.spectators // 10)):
            if stuck is not None:
                load.do("watch", match=_running(folder), stuck=stuck)
            counted = load.do("run", pid=served.process.pid, **paced)
            shares = shares_us(folder, counted)
            rows.append(
                {
                    "game": game,
                    "spectators": 0 if stuck is None else scale.spectators,
                    "": label,
                    "moves/s": round(counted["moves"] / counted["took_s"]),
                    "shown/s": round(counted["seen"] / counted["took_s"]),
                    "p50 ms": at_percent(shares, 50),
                    "p99 ms": at_percent(shares, 99),
                    "load average": round(os.getloadavg()[0], 1),
                }
            )
    return rows


def _running(folder: Path) -> int:
    with contextlib.closing(sqlite3.connect(folder / "bench.db")) as database:
        return int(database.execute("select max(id) from matches where status = 'running'").fetchone()[0])


def memory(scale: Scale) -> list[Row]:
    """Resident memory of the server: with idle connections, and with matches."""
    crowds = [_crowd(game, scale) for game in scale.games]
    return [crowds[0].idle, *(crowd.matches for crowd in crowds)]


def restore(scale: Scale) -> list[Row]:
    """A server with many matches is killed; how long the next one takes to take them up again."""
    return [{"game": game} | _crowd(game, scale).restored for game in scale.games]


class Crowd(NamedTuple):
    """The measurements of one life of a server with many connections and matches, and of the next start."""

    idle: Row
    matches: Row
    restored: Row


@functools.cache  # two parts tell of the same lives
def _crowd(game: str, scale: Scale) -> Crowd:
    matches, waiting = scale.at_once[-1], idlers(scale.idle)
    pairs = min(scale.latency_pairs, matches)
    plans = players(pairs, matches // pairs)
    with tempfile.TemporaryDirectory(prefix="tabiya-bench-") as name:
        folder = Path(name)
        make_accounts(folder / "bench.db", [plan["name"] for plan in plans + waiting])
        with serving(folder, scale.niceness) as served, generating(scale.niceness) as load:
            pid, before = served.process.pid, served.memory_bytes
            load.do("connect", port=served.port, players=waiting)
            idle = _memory_row("idle connections", scale.idle, before, served.memory_bytes)
            load.do("connect", port=served.port, players=plans)
            before = served.memory_bytes
            load.do("seek", game=game, time=TIME, matches=matches, stride=stride(game))
            load.do("run", pid=pid, rate=matches, matches=matches, seconds=scale.seconds, warm_s=0)
            playing = _memory_row(f"{game} matches", matches, before, served.memory_bytes)
            load.do("run", pid=pid, matches=matches, seconds=scale.seconds, warm_s=0)
        return Crowd(idle, playing, _restored(folder, scale))


def _memory_row(what: str, count: int, before: int, after: int) -> Row:
    return {
        "what": what,
        "how many": count,
        "before MB": round(before / 1e6, 1),
        "with them MB": round(after / 1e6, 1),
        "kB each": round((after - before) / count / 1e3, 1),
    }


def _restored(folder: Path, scale: Scale) -> Row:
    process = start(
        "benchmarks.server.restored",
        str(folder / "bench.db"),
        core=SERVER_CORE,
        niceness=scale.niceness,
        stdout=subprocess.PIPE,
    )
    out, _ = process.communicate()
    if process.returncode:
        raise BenchmarkFailed("the server could not take the matches up again")
    row: Row = json.loads(out)
    return row


def steps(scale: Scale) -> list[Row]:
    """What each step of a move costs by itself."""
    return [steps_of(game) for game in scale.games]


PARTS = {
    "steps": steps,
    "speed": speed,
    "latency": latency,
    "memory": memory,
    "spectators": spectators,
    "restore": restore,
}
