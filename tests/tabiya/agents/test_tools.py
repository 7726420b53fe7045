"""An agent that plays by its tools alone, as the protocol's own client calls them, on a real server."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tabiya.agents.agent import Agent
from tabiya.agents.tools import tools_server
from tabiya.api_client.settings import ClientSettings
from tabiya.bots.client import Bot, Turn, run_async
from tabiya.protocol.messages import Challenge, Challenged, ChallengeEnded
from tabiya.server.app import TabiyaServer
from tests.live import PlainBot, live_server, welcomed
from tests.processes import without
from tests.source_rules.sources import ROOT
from tests.waiting import WITHIN_S

pytestmark = pytest.mark.slow

TOOLS = {
    "list_games", "list_opponents", "see_match", "standings", "match_transcript", "challenge", "find_match",
    "wait_for_match", "wait_for_turn", "my_matches", "make_move", "resign",
}  # fmt: skip


class First(Bot):
    """Plays the first legal move, and accepts no match of chess."""

    name = "bea"
    needs_rules = False

    async def choose(self, turn: Turn) -> str:
        return turn.legal_moves[0]

    def accepts_challenge(self, challenge: Challenged) -> bool:
        return challenge.game != "chess"


@contextlib.asynccontextmanager
async def opponent(server: TabiyaServer, **options: Any) -> AsyncIterator[None]:
    """A bot that is there."""
    here = asyncio.Event()
    received = run_async(First(), server.websocket_url, listener=lambda _: here.set(), **options)
    task = asyncio.create_task(received)
    try:
        await asyncio.wait_for(here.wait(), WITHIN_S)
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def agent(server: TabiyaServer, **settings: str) -> Agent:
    return Agent(ClientSettings(server.pages_url, **settings), "ada", "")


@contextlib.asynccontextmanager
async def tools(**config: Any) -> AsyncIterator[tuple[TabiyaServer, Client]]:
    """A server, and an agent on it called by the protocol's own client."""
    async with live_server(**config) as server, Client(tools_server(agent(server))) as client:
        yield server, client


async def ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool answers."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return dict(result.structured_content or {})


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    """The sentence by which a tool fails."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.structured_content
    return str(getattr(result.content[0], "text", "")).removeprefix(f"Error executing tool {tool}: ")


async def play_out(client: Client, state: dict[str, Any]) -> dict[str, Any]:
    """Play the last legal move until the match has ended."""
    while state["status"] != "ended":
        assert state["status"] == "your move", state
        state = await ask(client, "make_move", match=state["match"], move=state["legal_moves"][-1], comment="why not")
    return state


async def test_an_agent_plays_a_whole_match_that_it_has_challenged_a_bot_to_and_reads_of_it() -> None:
    async with tools(rate_guests=True) as (server, client), opponent(server):
        games = await ask(client, "list_games")
        assert "reversi" in [game["name"] for game in games["games"]]
        assert {"bea", "ada"} <= {one["name"] for one in (await ask(client, "list_opponents"))["opponents"]}
        begun = (await ask(client, "challenge", opponent="bea", game="tictactoe"))["state"]
        if begun["status"] != "your move":
            begun = await ask(client, "wait_for_turn", match=begun["match"])
        assert begun["drawing"].count("\n") >= 2
        assert begun["position"].startswith("3x3x3 ")
        ended = await play_out(client, begun)
        assert ended["result"]
        assert ended["your_seat"] in (0, 1)
        assert (ended["legal_moves"], ended["seconds_left"]) == ([], None)
        text = (await ask(client, "match_transcript", match=ended["match"]))["text"]
        assert "ada" in text
        moves = (await asyncio.to_thread(agent(server).api.get, f"/matches/{ended['match']}"))["moves"]
        assert {move["info"]["text"] for move in moves if move["info"]} == {"why not"}
        table = await ask(client, "standings", game="tictactoe")
        assert {row["bot"] for row in table["rows"]} == {"ada", "bea"}
        assert (await ask(client, "my_matches"))["matches"] == []


async def test_an_agent_challenges_to_a_match_from_a_position() -> None:
    async with tools() as (server, client), opponent(server):
        asks = {"opponent": "bea", "game": "tictactoe", "position": "3x3x3 XOX------ O"}
        begun = (await ask(client, "challenge", **asks))["state"]
        assert begun["position"].startswith("3x3x3 XOX")
        await play_out(
            client,
            begun if begun["status"] == "your move" else await ask(client, "wait_for_turn", match=begun["match"]),
        )


async def test_an_agent_finds_whoever_seeks_the_same_and_seeks_no_more_afterwards() -> None:
    async with tools() as (server, client), opponent(server, seek="nim", matches=1):
        await play_out(client, (await ask(client, "find_match", game="nim"))["state"])
        nobody = await ask(client, "find_match", game="nim", wait_s=0.1)
        assert (nobody["state"], nobody["note"][:25]) == (None, "nobody has agreed yet; li")
        async with welcomed(server.websocket_url, "cid", seek=("nim",)):
            assert (await ask(client, "wait_for_match", wait_s=0.1))["state"] is None


async def test_challenges_are_accepted_while_the_agent_waits_for_a_match_and_not_before() -> None:
    async with tools() as (server, client), welcomed(server.websocket_url, "cid") as other:
        assert await challenged(other) == "declined"
        waiting = asyncio.create_task(ask(client, "wait_for_match"))
        while (outcome := await challenged(other)) != "accepted":
            assert outcome == "declined"  # it came before the question had
        assert (await waiting)["state"]["game"] == "nim"


async def challenged(other: PlainBot) -> str:
    """How the agent answers a challenge."""
    await other.say(Challenge(opponent="ada", game="nim"))
    return str((await other.receives(ChallengeEnded)).outcome)


async def test_an_agent_resigns() -> None:
    async with tools() as (server, client), opponent(server):
        match = (await ask(client, "challenge", opponent="bea", game="reversi"))["state"]["match"]
        ended = await ask(client, "resign", match=match)
        assert (ended["status"], "resign" in ended["result"]) == ("ended", True)


async def test_an_agent_that_is_started_again_goes_on_with_its_match() -> None:
    async with live_server() as server, opponent(server):
        async with Client(tools_server(agent(server))) as client:
            match = (await ask(client, "challenge", opponent="bea", game="nim"))["state"]["match"]
        async with Client(tools_server(agent(server))) as client:
            state = await ask(client, "wait_for_turn", match=match)
            assert [one["match"] for one in (await ask(client, "my_matches"))["matches"]] == [match]
            assert (await play_out(client, state))["result"]


async def test_what_cannot_be_had_is_said_in_a_sentence() -> None:
    async with tools() as (server, client), opponent(server):
        assert "declined" in await refusal(client, "challenge", opponent="bea", game="chess")
        assert "challenge was refused: " in await refusal(client, "challenge", opponent="zoe", game="nim")
        assert "seek was refused: " in await refusal(client, "find_match", game="go")
        assert "no match 77" in await refusal(client, "see_match", match=77)
        assert "go" in await refusal(client, "standings", game="go")
        assert await refusal(client, "make_move", match=77, move="a1") == "you do not play match 77"
        assert await refusal(client, "resign", match=77) == "you do not play match 77"
        assert "match" in await refusal(client, "see_match", match=0)
        state = (await ask(client, "challenge", opponent="bea", game="reversi"))["state"]
        state = await ask(client, "wait_for_turn", match=state["match"])
        printed = await refusal(client, "make_move", match=state["match"], move="z9")
        assert printed == f"'z9' is no legal move; the legal moves are {' '.join(state['legal_moves'])}"
        printed = await refusal(client, "find_match", game="nim")
        assert printed == f"you play match {state['match']} now; one at a time"


async def test_a_server_that_is_not_there_and_a_token_that_is_not_good_are_said_by_the_tool_that_needs_them() -> None:
    nowhere = Agent(ClientSettings("http://127.0.0.1:1"), "ada", "")
    async with Client(tools_server(nowhere)) as client:
        assert "no server answers at http://127.0.0.1:1" in await refusal(client, "list_games")
        assert "no server answers at http://127.0.0.1:1" in await refusal(client, "my_matches")
    async with (
        live_server() as server,
        Client(tools_server(Agent(ClientSettings(server.pages_url), "ada", "x" * 40))) as client,
    ):
        assert "the server closed the connection" in await refusal(client, "my_matches")
        assert (await ask(client, "list_games"))["games"]


async def test_the_tools_say_what_they_take_and_answer() -> None:
    async with tools() as (_, client):
        found = (await client.list_tools()).tools
    assert {tool.name for tool in found} == TOOLS
    assert [tool.name for tool in found if not tool.description or not tool.output_schema] == []
    assert {tool.name for tool in found if tool.annotations and tool.annotations.read_only_hint} == {
        "list_games", "list_opponents", "see_match", "standings", "match_transcript",
    }  # fmt: skip


async def test_an_operators_token_is_not_used() -> None:
    async with live_server() as server:
        assert agent(server, operator_token="secret").api._settings.operator_token == ""


async def test_the_command_speaks_on_standard_input_and_output(tmp_path: Path) -> None:
    async with live_server() as server, opponent(server):
        words = ["-m", "tabiya", "mcp", "--server", server.pages_url, "--name", "ada"]
        environment = dict(os.environ) | {"PYTHONPATH": str(ROOT), "TABIYA_CONFIG": str(tmp_path / "client.toml")}
        command = StdioServerParameters(command=sys.executable, args=words, env=environment)
        async with Client(command) as client:
            state = (await ask(client, "challenge", opponent="bea", game="nim"))["state"]
            state = await ask(client, "wait_for_turn", match=state["match"])
            assert (await play_out(client, state))["result"]


def test_without_the_package_the_command_is_one_sentence_and_the_others_need_it_not() -> None:
    program = without("mcp") + "from tabiya.cli.main import assemble, main; assemble(); main(['mcp'])"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        1,
        "tabiya: tabiya mcp needs the package mcp: pip install 'tabiya[mcp]'\n",
    )
