"""A server as it is told: moves are put together, nothing goes back, and what was missed is looked up."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from tabiya.protocol.messages import Watching
from tabiya.server.config import ServerConfig
from tabiya.server.matches.spectators import PageViewer
from tabiya.server.pages_process.mirror import MISSED, MirroredServer
from tabiya.server.standings import StandingsCache
from tabiya.server.web.schemas.live_server import LiveServer, MatchNews, ServerFacts
from tabiya.storage.memory import MemoryStore
from tests.waiting import WITHIN_S

ADDRESS = "http://server:8080"
MOVES = ("a1", "a2", "b1", "b2", "c1")
FACTS = ServerFacts(
    name="Class 1.0", listens_on="0.0.0.0", port=7, open_registration=True, time_control="60+0.5", started_at=0.0
)


def mirror(**config: Any) -> MirroredServer:
    """One that has heard nothing. config: fields of ServerConfig."""
    store = MemoryStore()
    return MirroredServer(ServerConfig(**config), store, StandingsCache(store), ADDRESS, None)


def news(match: int, ply: int, after: int = 0, *, result: str = "", **fields: Any) -> MatchNews:
    """A match after `ply` of MOVES. fields: further fields of MatchNews."""
    state = Watching(
        match=match, game="tictactoe", names=("ada", "bob"), time_control="60+0.5", start="-", moves=MOVES[after:ply],
        position="-", ply=ply, to_move=None if result else ply % 2, last_move=None, clock_ms=(1, 1), result=result,
    )  # fmt: skip
    return MatchNews(state=state, after=after, **fields)


def moves(mirrored: MirroredServer, match: int) -> tuple[str, ...] | None:
    """The moves of a match; None if it is not known."""
    state = mirrored.snapshot(match)
    return state.moves if state else None


async def test_moves_are_put_together_and_never_go_back() -> None:
    mirrored = mirror()
    mirrored.take(LiveServer(matches=(news(1, 2), news(2, 0))))
    mirrored.take(LiveServer(matches=(news(1, 4, after=2),)))
    mirrored.take(LiveServer(matches=(news(1, 3, after=2),)))  # of before the state that this process began with
    assert (moves(mirrored, 1), moves(mirrored, 2), moves(mirrored, 3)) == (MOVES[:4], (), None)
    mirrored.take(LiveServer(matches=(news(1, 5, after=3, result="1-0"),)))
    assert moves(mirrored, 1) is None


async def test_a_match_that_was_not_told_again_has_ended_unheard() -> None:
    mirrored, viewer, other = mirror(), PageViewer(), PageViewer()
    mirrored.begin(ADDRESS)
    mirrored.take(LiveServer(matches=(news(1, 2), news(2, 3)), snapshot_complete=True))
    assert mirrored.watch(1, viewer)
    assert mirrored.watch(2, other)
    mirrored.lost()
    assert "does not answer" in mirrored.trouble
    assert moves(mirrored, 1) == MOVES[:2]  # what is known stands
    mirrored.begin(ADDRESS)
    mirrored.take(LiveServer(matches=(news(2, 4),)))
    assert "does not answer" in mirrored.trouble  # until all is told
    mirrored.take(LiveServer(snapshot_complete=True))
    assert (mirrored.trouble, moves(mirrored, 1), moves(mirrored, 2)) == ("", None, MOVES[:4])
    async with asyncio.timeout(WITHIN_S):
        assert [state.result for state in [await anext(viewer.states())]] == [MISSED]
        assert [(state.result, state.ply) for state in [await anext(other.states())]] == [("", 4)]


async def test_a_clock_runs_on_until_the_server_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    mirrored, loop = mirror(), asyncio.get_running_loop()
    now = loop.time()
    monkeypatch.setattr(loop, "time", lambda: now)
    mirrored.take(LiveServer(matches=(news(1, 2, thinking=True), news(2, 2)), snapshot_complete=True))
    for later_s, is_connected, thinking_ms in ((1.5, True, 1500), (2.0, False, 2000), (9.0, False, 2000)):
        monkeypatch.setattr(loop, "time", lambda at=now + later_s: at)
        if not is_connected:
            mirrored.lost()
        states = [mirrored.snapshot(match) for match in (1, 2)]
        assert [state.thinking_ms for state in states if state] == [thinking_ms, 0]


async def test_bots_come_change_and_leave() -> None:
    mirrored = mirror()
    mirrored.take(LiveServer(present={1: (), 2: ("nim",)}, hosted={3: ("chess",)}))
    mirrored.take(LiveServer(present={2: None, 1: ("nim",), 4: ()}))
    assert (mirrored.present(), mirrored.hosted()) == ({1: ("nim",), 4: ()}, {3: ("chess",)})
    mirrored.begin(ADDRESS)
    assert (mirrored.present(), mirrored.hosted()) == ({}, {})


@pytest.mark.parametrize(
    ("server_url", "listens_on", "asked", "websocket", "orders"),
    [
        ("http://server:8080", "0.0.0.0", "pages", "ws://server:7", "http://server:8080"),
        ("http://server:8080", "10.0.0.5", "pages", "ws://10.0.0.5:7", "http://server:8080"),
        ("http://127.0.0.1:8080", "0.0.0.0", "pages", "ws://pages:7", "http://pages:8080"),
        ("http://127.0.0.1:8080", "127.0.0.1", "::1", "ws://127.0.0.1:7", "http://[::1]:8080"),
        ("https://games.example.org", "", "", "ws://games.example.org:7", "https://games.example.org"),
    ],
)
async def test_bots_and_orders_go_to_the_server_by_a_name_that_others_can_use(
    server_url: str, listens_on: str, asked: str, websocket: str, orders: str
) -> None:
    mirrored = mirror()
    mirrored.begin(server_url)
    mirrored.take(LiveServer(facts=replace(FACTS, listens_on=listens_on)))
    assert (mirrored.info(asked).websocket, mirrored.orders_at(asked)) == (websocket, orders)
    assert (mirrored.info(asked).name, mirrored.info(asked).open_registration) == ("Class 1.0", True)
    public = mirror(public_url="https://games.example.org")
    assert public.orders_at(asked) == "https://games.example.org"
    assert public.info("games.example.org").websocket == "wss://games.example.org/websocket"
