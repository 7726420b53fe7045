"""`tabiya demo`: the whole of Tabiya in under two minutes, with nothing to prepare."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from tabiya.api_client.api import Api
from tabiya.api_client.settings import ClientSettings
from tabiya.cli.output import note
from tabiya.cli.remote.crosstable import show_tournament
from tabiya.cli.remote.standings_tables import show_standings
from tabiya.cli.remote.tournament import follow
from tabiya.errors import UserError
from tabiya.processes.child_processes import ChildProcesses, wait_for_json

PLAYERS = ("random", "greedy", "alphabeta:2", "pvs:4")  # also their names on the server
TIME_CONTROL = "20+0.2"
READY_S = 180.0
CONNECT_S = 60.0


def demo(
    keep: bool = typer.Option(False, "--keep", help="Keep the server running until Ctrl-C."),
    rounds: int = typer.Option(1, "--rounds", help="How often each two bots meet, for two games each time.", min=1),
    game: list[str] = typer.Option([], "--game", "-g", help="Only these games."),
) -> None:
    """Start a server and bots, play a round robin in every game, and show crosstables and standings."""
    from tabiya.games.registry import names
    from tabiya.loaded_game import game_named

    games = tuple(game_named(name).name for name in game) or names()
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="tabiya-demo-") as folder, ChildProcesses(Path(folder)) as children:
        _warm(games)  # once, before four bots begin to compile the same
        api = _start_server(Path(folder), children)
        _start_bots(children, api, games)
        numbers = _play(api, games, rounds)
        _show(api, numbers)
        note(f"done in {time.perf_counter() - begun:.0f} s")
        if keep:
            note(f"the server runs on: {api.get('/server')['websocket']} for bots; Ctrl-C ends it")
            while True:
                children.check()
                time.sleep(0.5)


def _warm(games: tuple[str, ...]) -> None:
    from tabiya.processes.compile_kernels import warm_all

    note("compiling rules and engines (some seconds the first time, then kept)")
    warm_all(games, os.cpu_count() or 1, PLAYERS)


def _start_server(folder: Path, children: ChildProcesses) -> Api:
    ready = folder / "addresses.json"
    arguments = ["serve", "--port", "0", "--pages-port", "0", "--database", str(folder / "demo.db")]
    children.start("server", [*arguments, "--log-level", "warning", "--ready-file", str(ready)])
    addresses = wait_for_json(ready, children, READY_S)
    note(f"pages: {addresses['pages']}")
    return Api(ClientSettings(addresses["pages"]))


def _start_bots(children: ChildProcesses, api: Api, games: tuple[str, ...]) -> None:
    server = api.get("/server")["websocket"]
    only = ["--no-seek", *(word for name in games for word in ("--game", name))]  # other games are not compiled yet
    for player in PLAYERS:
        children.start(player, ["bot", player, "--server", server, "--concurrency", "8", *only])
    note(f"bots: {', '.join(PLAYERS)}, a process each")
    _wait_until(children, lambda: _connected(api) >= len(PLAYERS), "the bots have not connected")


def _connected(api: Api) -> int:
    return sum(bot["connected"] for bot in api.listed("bots"))


def _wait_until(children: ChildProcesses, is_so: Callable[[], bool], otherwise: str) -> None:
    deadline = time.monotonic() + CONNECT_S
    while not is_so():
        children.check()
        if time.monotonic() > deadline:
            raise UserError(f"{otherwise} after {CONNECT_S:.0f} seconds")
        time.sleep(0.1)


def _play(api: Api, games: tuple[str, ...], rounds: int) -> list[int]:
    """A tournament in each game, all at once; their numbers, when they are over."""
    numbers = []
    for name in games:
        order: dict[str, Any] = {
            "name": f"Demo {name}",
            "game": name,
            "bots": list(PLAYERS),
            "time_control": TIME_CONTROL,
            "rounds": rounds,
        }
        numbers.append(api.post("/tournaments", order)["id"])
    follow(api, numbers)
    return numbers


def _show(api: Api, numbers: list[int]) -> None:
    for number in numbers:
        found = api.get(f"/tournaments/{number}")
        show_tournament(found)
        show_standings(api.get(f"/standings/{found['game']}"))
