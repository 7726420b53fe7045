"""One tournament for each game, with bots of every kind of connection, and the standings of all.

python -m scripts.long_runs.all_doors                                                   # with our own engines
python -m scripts.long_runs.all_doors --uci uci:stockfish --xboard xboard:fairymax      # with programs of others

The doors: websocket (a plain program), UCI, xboard, GTP (gtp-rhino, if it is installed or named), Gomocup, webhook (an
HTTP receiver here), Lichess's API (a small client here), MCP (an agent without a model here) and a policy for an
environment of PettingZoo. Each plays the games that it is for; anyone who has no engine plays any legal move. Games are
drawn when each has made `--moves` moves. The run fails (exit code 1) when a game is lost by anything but the rules or
a resignation, or somebody is missing in the standings. The page with all standings goes to the folder of --out.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import shutil
import sys
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from random import Random
from typing import Any, Self

import numpy
from aiohttp import ClientSession, web
from mcp import Client, StdioServerParameters

from scripts.long_runs.harness.api_client import hold_tournament
from scripts.long_runs.harness.bot_processes import BotProcess, ours, plain
from scripts.long_runs.harness.restartable_server import RestartableServer
from scripts.long_runs.harness.run_folder import run_folder
from tabiya.api_client.settings import ClientSettings
from tabiya.bots.client.run import run_async
from tabiya.bots.players.catalogue import ENGINE_GAMES
from tabiya.games.endings import BY_RULES, Ending
from tabiya.games.registry import load_game
from tabiya.lichess.app import LichessApi
from tabiya.research.policy_bot import PolicyBot

SELF = f"{sys.executable} -m tabiya"
GTP = "gtp:gtp-rhino"
READY_S = 120.0
LOOKS, POLL_S = 60, 0.5  # at the standings
ALLOWED = BY_RULES | {Ending.RESIGNATION, Ending.DRAW_AGREED, Ending.MOVE_LIMIT}


class Doors:
    """The players and the programs that run for them.  entrants: their names by game."""

    def __init__(self, chosen: argparse.Namespace, server: RestartableServer, folder: Path) -> None:
        self._chosen, self._server, self._folder = chosen, server, folder
        self.entrants: dict[str, list[str]] = {game: [] for game in chosen.game}
        self._stack = contextlib.AsyncExitStack()
        self._random = Random(chosen.seed)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()

    async def open(self) -> None:
        """Start them all."""
        games, chess = tuple(self.entrants), ENGINE_GAMES["xboard"]
        await self._process("websocket", games, lambda name: plain(self._server.websocket, name))
        for name, player, known in (
            ("uci", self._chosen.uci, chess),
            ("xboard", self._chosen.xboard, chess),
            ("gtp", self._chosen.gtp, ENGINE_GAMES["gtp"][:1]),
            ("gomocup", self._chosen.gomocup, ENGINE_GAMES["gomocup"]),
        ):
            if player:
                await self._engine(name, player, known)
        receiver = await self._stack.enter_async_context(served(self._receiver()))
        words = [sys.executable, "-m", "tabiya", "webhook", receiver, "--server", self._server.pages]
        await self._process("webhook", games, lambda name: [*words, "--name", name])
        await self._lichess(chess)
        await self._agent(games)
        for game in games:
            await self._policy(f"pettingzoo-{game}", game)

    async def _token(self, name: str, games: tuple[str, ...]) -> str:
        """Enter a bot in the tournaments of its games; returns its token, empty if it plays none of them."""
        wanted = [game for game in games if game in self.entrants]
        for game in wanted:
            self.entrants[game].append(name)
        return str((await self._server.ask("/api/v1/accounts", {"name": name}))["token"]) if wanted else ""

    async def _process(self, name: str, games: tuple[str, ...], command: Any) -> None:
        if token := await self._token(name, games):
            process = BotProcess(name, command(name), self._folder, token)
            process.start()
            self._stack.push_async_callback(process.end)

    async def _engine(self, name: str, player: str, games: tuple[str, ...]) -> None:
        more = ["--no-seek", *(word for game in games for word in ("--game", game))]
        await self._process(name, games, lambda name: ours(player, self._server.pages, name, 1, at_once=1) + more)

    def _run(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.create_task(coroutine)

        async def end() -> None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)  # its process ends before the loop does

        self._stack.push_async_callback(end)

    def _receiver(self) -> web.Application:
        """The program of a webhook bot."""

        async def answer(request: web.Request) -> web.Response:
            turn = await request.json()
            move = self._random.choice(turn["legal_moves"])
            return web.json_response({"type": "move", "match": turn["match"], "ply": turn["ply"], "move": move})

        app = web.Application()
        app.router.add_post("/", answer)
        return app

    async def _lichess(self, games: tuple[str, ...]) -> None:
        if token := await self._token("lichess", games):
            api = LichessApi(ClientSettings(self._server.pages))
            port = await api.start("127.0.0.1", 0)
            self._stack.push_async_callback(api.stop)
            headers = {"Authorization": f"Bearer {token}"}
            session = ClientSession(f"http://127.0.0.1:{port}", headers=headers)
            self._run(lichess_bot(await self._stack.enter_async_context(session), games[0], self._random))

    async def _agent(self, games: tuple[str, ...]) -> None:
        token = await self._token("mcp", games)
        words = ["-m", "tabiya", "mcp", "--server", self._server.pages, "--name", "mcp"]
        command = StdioServerParameters(command=sys.executable, args=words, env=os.environ | {"TABIYA_TOKEN": token})
        self._run(agent(command, self._random))

    async def _policy(self, name: str, game: str) -> None:
        chance = numpy.random.default_rng(self._chosen.seed)
        bot = PolicyBot(lambda seen, mask: chance.choice(numpy.flatnonzero(mask)), game, name)
        self._run(
            run_async(bot, self._server.websocket, token=await self._token(name, (game,)), listener=lambda _: None)
        )


@contextlib.asynccontextmanager
async def served(app: web.Application) -> AsyncIterator[str]:
    """An application on loopback; its address."""
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()


async def lichess_bot(session: ClientSession, game: str, random: Random) -> None:
    """Plays any legal move in every game that begins, one after the other, by Lichess's API."""
    async with session.get("/api/stream/event", timeout=None) as events:
        async for line in events.content:
            event = json.loads(line) if line.strip() else {}
            if event.get("type") == "gameStart":
                await lichess_game(session, event["game"], load_game(game), random)


async def lichess_game(session: ClientSession, begun: dict[str, Any], rules: Any, random: Random) -> None:
    """Plays one game."""
    async with session.get(f"/api/bot/game/stream/{begun['id']}", timeout=None) as states:
        async for line in states.content:
            state = json.loads(line) if line.strip() else {}
            state = state.get("state", state)
            if state.get("status") != "started":
                continue
            position = rules.start({})
            for move in state["moves"].split():
                position = position.play(move)
            if ("white", "black")[position.to_move] == begun["color"]:
                move = random.choice(position.legal_moves())
                await session.post(f"/api/bot/game/{begun['id']}/move/{move}")


async def agent(command: StdioServerParameters, random: Random) -> None:
    """Plays any legal move in every match that begins, one after the other, by the tools of `tabiya mcp`."""
    async with Client(command) as client:

        async def ask(tool: str, **arguments: Any) -> Any:
            return (await client.call_tool(tool, arguments)).structured_content

        while True:
            state = (await ask("wait_for_match", wait_s=5))["state"]
            while state is not None and state["status"] != "ended":
                if state["status"] == "your move":
                    state = await ask("make_move", match=state["match"], move=random.choice(state["legal_moves"]))
                else:
                    state = await ask("wait_for_turn", match=state["match"])


async def play(chosen: argparse.Namespace, folder: Path) -> list[str]:
    """Hold the tournaments and print the standings; returns the faults, a sentence each."""
    settings = {"TABIYA_OPERATOR_TOKEN": "all-doors-" + os.urandom(16).hex(), "TABIYA_LOCAL_ORDERS": "false"}
    server = RestartableServer(folder / "games.db", folder, settings)
    await server.start()
    try:
        async with Doors(chosen, server, folder) as doors:
            await doors.open()
            await connected(server, {name for names in doors.entrants.values() for name in names})
            faults = []
            for game, names in doors.entrants.items():
                order = {
                    "name": f"all doors: {game}",
                    "game": game,
                    "bots": names,
                    "time_control": chosen.time,
                    "rounds": 1,
                }
                order |= {"adjudication": {"maxmoves": chosen.moves}, "seed": chosen.seed}
                found = await hold_tournament(server, order, chosen.longest)
                faults += await find_faults(server, found, names)
        async with ClientSession() as session, session.get(server.pages) as page:
            (folder / "standings.html").write_text(await page.text(), "utf-8")
        return faults
    finally:
        await server.close()


async def connected(server: RestartableServer, names: set[str]) -> None:
    """Wait until all bots are connected. Raises TimeoutError."""
    async with asyncio.timeout(READY_S):
        while missing := names - {one["name"] for one in (await server.ask("/api/v1/opponents"))["opponents"]}:
            print(f"waiting for {', '.join(sorted(missing))}", file=sys.stderr)
            await asyncio.sleep(2)


async def find_faults(server: RestartableServer, found: dict[str, Any], names: list[str]) -> list[str]:
    """Print the standings of a game; return the faults."""
    game = found["game"]
    rows = await standings(server, game, set(names))
    print(f"{game}: {found['played']} of {found['total']} games, {found['endings']}")
    for row in rows:
        print(f"  {row['rank']:2} {row['bot']:24} {row['rating']:6.0f} {row['games']:4} games {row['score']:.0%}")
    faults = [f"{game}: {count} games ended by {how}" for how, count in found["endings"].items() if how not in ALLOWED]
    faults += [f"{game}: the tournament is {found['status']}"] if found["status"] != "ended" else []
    missing = set(names) - {row["bot"] for row in rows}
    return faults + [f"{game}: {name} is not in the standings" for name in sorted(missing)]


async def standings(server: RestartableServer, game: str, names: set[str]) -> list[dict[str, Any]]:
    """The rows of a game: a busy server shows those of before while it fits new ones, so it is asked again."""
    rows = list[dict[str, Any]]()
    for _ in range(LOOKS):
        rows = (await server.ask(f"/api/v1/standings/{game}?pooled=true"))["rows"]
        if names <= {row["bot"] for row in rows}:
            break
        await asyncio.sleep(POLL_S)
    return rows


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    games = [ENGINE_GAMES["xboard"][0], ENGINE_GAMES["gomocup"][0], ENGINE_GAMES["gtp"][0]]
    parser = argparse.ArgumentParser(description="Hold tournaments that bots join by every door.")
    parser.add_argument("--game", action="append", help="only this one; may be repeated")
    parser.add_argument("--uci", default=f"uci:{SELF} uci", help="the PLAYER that joins by UCI; empty: none")
    parser.add_argument("--xboard", default=f"xboard:{SELF} xboard", help="by xboard's protocol")
    parser.add_argument("--gomocup", default=f"gomocup:{SELF} gomocup", help="by Gomocup's protocol")
    parser.add_argument("--gtp", default=GTP if shutil.which("gtp-rhino") else "", help="by GTP")
    parser.add_argument("--time", default="60+1", help="time control")
    parser.add_argument("--moves", type=int, default=20, help="moves of each until a game is drawn")
    parser.add_argument("--longest", type=float, default=1_800.0, help="seconds for each tournament")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="folder for database, logs and the page of the standings")
    parser.set_defaults(games=games)
    return parser


def main(words: list[str] | None = None) -> int:
    """Exit status: 0, or 1 if something was wrong."""
    chosen = arguments().parse_args(words)
    chosen.game = chosen.game or chosen.games
    with run_folder(chosen.out) as folder:
        faults = asyncio.run(play(chosen, folder))
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
