"""The tools of `tabiya mcp`: what an agent can ask and order, by the Model Context Protocol.

    tools_server(agent).run()      # on standard input and output

Reading is done by the public API, playing by the bots' protocol with the bot's own token. An error is one sentence.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated, Any, ParamSpec, TypeVar
from urllib.parse import quote

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from tabiya import __version__
from tabiya.agents.agent import Agent, AgentError
from tabiya.agents.results import (
    Game,
    Games,
    Matches,
    MatchOrNone,
    MatchState,
    Opponent,
    Opponents,
    Rating,
    Standings,
    Status,
    Transcript,
)
from tabiya.bots.client.choice import Choice
from tabiya.bots.client.errors import ClientError
from tabiya.errors import UserError
from tabiya.protocol.messages import Challenge, MoveInfo, Resign, Seek, Unseek

P = ParamSpec("P")
T = TypeVar("T")

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
PLAYS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
INSTRUCTIONS = """You play board games against other bots, on a clock that runs while you think.
Begin with list_games and list_opponents, then challenge somebody, or find_match. Then call make_move until the match
has ended: each answer holds the next position with its legal moves. Moves are written exactly as in legal_moves.
If an answer says that it is the opponent's move, call wait_for_turn."""

GameName = Annotated[str, Field(description="Name of a game, as list_games has it.")]
TimeControl = Annotated[
    str, Field(description="Such as 300+5 (seconds, and more a move) or 60/move; empty: the server's usual one.")
]
Seconds = Annotated[float, Field(description="So long it is waited at most.", ge=0, le=300)]
MatchNumber = Annotated[int, Field(description="Number of the match.", ge=1)]
FROM_POSITION = "Position to begin from, as see_match writes it; such a match is not rated. Empty: the usual start."
NOBODY = "nobody has agreed yet; list_opponents says who is here"


def tools_server(agent: Agent) -> MCPServer[None]:
    """A server with all tools, which play as this agent and are connected while it runs."""

    @contextlib.asynccontextmanager
    async def connected(_: MCPServer[None]) -> AsyncIterator[None]:
        with contextlib.suppress(AgentError):  # a tool that needs the connection reports it
            await agent.connected()
        try:
            yield
        finally:
            await agent.close()

    server = MCPServer[None]("tabiya", version=__version__, instructions=INSTRUCTIONS, lifespan=connected)
    tools = _Tools(agent)
    reads = (tools.list_games, tools.list_opponents, tools.see_match, tools.standings, tools.match_transcript)
    plays = (tools.challenge, tools.find_match, tools.wait_for_match, tools.wait_for_turn, tools.my_matches)
    for read in (*reads, *plays, tools.make_move, tools.resign):
        server.tool(annotations=READS if read in reads else PLAYS)(_in_sentences(read))
    return server


def _in_sentences(tool: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """The tool with its expected errors turned into messages for the model."""

    @functools.wraps(tool)
    async def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await tool(*args, **kwargs)
        except (AgentError, ClientError, UserError) as error:
            raise ToolError(str(error)) from None

    return wrapped


class _Tools:
    """Each method is a tool; its docstring is what the model reads."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    async def list_games(self) -> Games:
        """List the games of this server: names, how moves are written, options."""
        answer, server = await asyncio.gather(self._get("/games"), self._get("/server"))
        games = [
            Game(
                name=game["name"],
                title=game["title"],
                seats=game["seats"],
                notation=game["notation"],
                options=[f"{option['name']}: {option['help']}" for option in game["options"]],
            )
            for game in answer["games"]
        ]
        return Games(games=games, time_control=server["time_control"])

    async def list_opponents(self) -> Opponents:
        """List the bots that are connected and can be challenged. You are among them."""
        answer = await self._get("/opponents")
        kept = ("name", "plays", "free", "house")
        return Opponents(opponents=[Opponent(**{key: one[key] for key in kept}) for one in answer["opponents"]])

    async def challenge(
        self,
        opponent: Annotated[str, Field(description="Name of the bot.")],
        game: GameName,
        time_control: TimeControl = "",
        rated: Annotated[bool, Field(description="Whether it shall count for the ratings.")] = True,
        position: Annotated[str, Field(description=FROM_POSITION)] = "",
        wait_s: Seconds = 30,
    ) -> MatchOrNone:
        """Challenge one bot to a match, and wait until it has answered."""
        asking = Challenge(
            opponent=opponent, game=game, time=time_control, rated=rated, position=position.strip() or None
        )
        match = await self._agent.ask_for_match(asking, wait_s)
        return await self._match_or_none(
            match, f"{opponent} has not answered yet; see whether it does by wait_for_match"
        )

    async def find_match(
        self,
        game: GameName,
        time_control: TimeControl = "",
        rated: Annotated[bool, Field(description="Whether it shall count for the ratings.")] = True,
        wait_s: Seconds = 30,
    ) -> MatchOrNone:
        """Wait for any bot that seeks a match in this game, too, with the same time control."""
        try:
            match = await self._agent.ask_for_match(Seek(game=game, time=time_control, rated=rated), wait_s)
        finally:
            with contextlib.suppress(AgentError):
                await self._agent.send_message(Unseek(game=game))
        return await self._match_or_none(match, NOBODY)

    async def wait_for_match(self, wait_s: Seconds = 30) -> MatchOrNone:
        """Wait until a match of yours begins: by a tournament, or a challenge, which is accepted while you wait."""
        return await self._match_or_none(await self._agent.wait_for_match(wait_s), NOBODY)

    async def my_matches(self) -> Matches:
        """Show your running matches, and what happened since you asked last, such as errors and lost connections."""
        await self._agent.connected()
        states = [await self._state(match) for match in sorted(self._agent.bot.running)]
        news, self._agent.bot.news = self._agent.bot.news, []
        return Matches(matches=states, news=news)

    async def see_match(self, match: MatchNumber) -> MatchState:
        """See any match, yours or others', as it stands: position, drawing, moves, result."""
        return await self._state(match)

    async def wait_for_turn(self, match: MatchNumber, wait_s: Seconds = 30) -> MatchState:
        """Wait until it is your move in a match, or it has ended, and see it."""
        await self._agent.wait_for_turn(match, wait_s)
        return await self._state(match)

    async def make_move(
        self,
        match: MatchNumber,
        move: Annotated[str, Field(description="One of legal_moves, written the same.")],
        comment: Annotated[str, Field(description="Why; everybody can read it beside the move.", max_length=500)] = "",
        offer_draw: Annotated[
            bool, Field(description="Offer a draw with the move, or accept the one offered.")
        ] = False,
        wait_s: Seconds = 30,
    ) -> MatchState:
        """Play a move, and wait until it is your move again or the match has ended."""
        info = MoveInfo(text=comment) if comment else None
        await self._agent.play(match, Choice(move, info=info, offer_draw=offer_draw))
        await self._agent.wait_for_turn(match, wait_s)
        return await self._state(match)

    async def resign(self, match: MatchNumber) -> MatchState:
        """Give a match of yours up."""
        await self._agent.connected()
        if match not in self._agent.bot.running:
            raise AgentError(f"you do not play match {match}")
        await self._agent.send_message(Resign(match=match))
        await self._agent.bot.until(lambda: match not in self._agent.bot.running, 10)
        return await self._state(match)

    async def standings(self, game: GameName) -> Standings:
        """Read the ratings of a game, best first."""
        answer = await self._get(f"/standings/{quote(game, safe='')}", pooled="true")
        rows = [Rating(**{key: row[key] for key in Rating.model_fields}) for row in answer["rows"]]
        return Standings(game=answer["game"], rows=rows, notes=answer.get("notes", []))

    async def match_transcript(self, match: MatchNumber) -> Transcript:
        """Read the record of a match: players, result, moves with times."""
        text = await asyncio.to_thread(self._agent.api.text, f"/matches/{match}/transcript")
        return Transcript(match=match, text=text)

    async def _get(self, path: str, **query: str) -> Any:
        return await asyncio.to_thread(functools.partial(self._agent.api.get, path, **query))

    async def _match_or_none(self, match: int | None, note: str) -> MatchOrNone:
        if match is None:
            return MatchOrNone(state=None, note=note)
        await self._agent.wait_for_turn(match, 1)  # in the first seat it is there at once
        return MatchOrNone(state=await self._state(match), note="")

    async def _state(self, match: int) -> MatchState:
        found, bot = await self._get(f"/matches/{match}"), self._agent.bot
        turn = bot.turns[match][0] if match in bot.turns else None
        names = [seat["bot"] for seat in found["seats"]]
        return MatchState(
            match=match,
            game=found["game"],
            players=[f"{seat['bot']} ({seat['seat']})" for seat in found["seats"]],
            your_seat=names.index(bot.called) if bot.called in names else None,
            status=_status(bool(found["result"]), match in bot.running, turn is not None),
            position=found["position"] or "",
            drawing="\n".join(found["board"]),
            moves=" ".join(move["readable"] for move in found["moves"]),
            legal_moves=list(turn.legal_moves) if turn is not None else [],
            seconds_left=round(turn.time_left, 1) if turn is not None else None,
            draw_offered=turn is not None and turn.draw_offered,
            result=found["result"]["sentence"] if found["result"] else "",
        )


def _status(has_ended: bool, is_mine: bool, is_my_move: bool) -> Status:
    if has_ended:
        return "ended"
    if not is_mine:
        return "running"
    return "your move" if is_my_move else "opponent's move"
