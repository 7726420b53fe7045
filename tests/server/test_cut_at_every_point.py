"""A line is cut at each point of the protocol; the bot comes back, and nothing is lost, doubled or decided by it.

What happens at each point stands in docs/explanation/reliability.md; a test compares.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tabiya.protocol.codes import CloseCode
from tabiya.protocol.messages import (
    Challenge,
    Challenged,
    ChallengeEnded,
    DrawOffer,
    Hello,
    MatchEnded,
    MatchStarted,
    Move,
    Resign,
    Seek,
    Turn,
    Watch,
    Welcome,
)
from tabiya.storage.records import MatchId
from tests.server.invariants import broken_invariants
from tests.server.local_bots import LocalBot, Table, at_random, first_legal, silent, table
from tests.virtual_time import virtual_time

CHESS = "chess"
PAGE = Path(__file__).parent.parent.parent / "docs/explanation/reliability.md"
Point = Callable[[Table], Awaitable[None]]
POINTS: dict[str, Point] = {}


def point(name: str) -> Callable[[Point], Point]:
    """Enter a point of the protocol in the table."""

    def entered(cut: Point) -> Point:
        POINTS[name] = cut
        return cut

    return entered


def answer(turn: Turn) -> Move:
    """The first legal move."""
    return Move(match=turn.match, ply=turn.ply, move=first_legal(turn))


async def both_play_on(there: Table, match: int) -> None:
    """Whoever is needed is here, the match is played to its end, and every ply is stored once."""
    bots = []
    for name in ("ada", "bob"):
        peer = there.dispatcher.sessions.by_name(name)
        if peer is not None:
            peer.connection.close(CloseCode.SERVER_CLOSING, "a test takes over")
            await there.idle()
        bots.append(await there.bot(name, at_random(3), 0.1))
    for bot in bots:
        if not (ended := bot.received(MatchEnded)):
            ended = [await bot.receives(MatchEnded)]
        assert len(ended) == 1
    rows = await there.store.moves(MatchId(match))
    assert [row.ply for row in rows] == list(range(len(rows)))
    record = await there.store.match(MatchId(match))
    assert record is not None
    assert record.result is not None
    assert record.result.ending not in ("time", "abandoned", "aborted", "stall")


async def cut(there: Table, bot: LocalBot) -> None:
    """The line breaks, without a goodbye."""
    bot.client.cut()
    await there.idle()


# --- before a match


@point("before `hello`")
async def point_1(there: Table) -> None:
    line = LocalBot(there.network, "ada")
    await cut(there, line)
    assert there.dispatcher._arriving == {}


@point("between `hello` and `welcome`")
async def point_2(there: Table) -> None:
    there.store.hold_answers()
    line = LocalBot(there.network, "ada")
    line.say(Hello(name="ada"))
    await there.idle()
    await cut(there, line)
    there.store.release()
    await there.idle()
    assert len(there.dispatcher.sessions) == 0
    assert (await there.bot("ada")).received(Welcome)[0].name == "ada"


@point("while a seek waits")
async def point_3(there: Table) -> None:
    ada = await there.bot("ada", silent, seek=(CHESS,))
    await cut(there, ada)
    bob = await there.bot("bob", silent, seek=(CHESS,))
    again = await there.bot("ada", silent)
    await asyncio.sleep(5)
    assert bob.received(MatchStarted) == []  # the seek went with the line
    again.say(Seek(game=CHESS))
    match = (await bob.receives(MatchStarted)).match
    await both_play_on(there, match)


@point("while a challenge is open")
async def point_4(there: Table) -> None:
    ada, bob = await there.bot("ada", silent), await there.bot("bob", silent)
    ada.say(Challenge(opponent="bob", game=CHESS))
    await bob.receives(Challenged)
    await cut(there, ada)
    assert (await bob.receives(ChallengeEnded)).outcome == "withdrawn"


@point("while the match is being created")
async def point_5(there: Table) -> None:
    ada, bob = await there.bot("ada", silent), await there.bot("bob", silent)
    there.store.hold_commits()
    for bot in (ada, bob):
        bot.say(Seek(game=CHESS))
    await there.idle()
    await cut(there, ada)
    there.store.release()
    await asyncio.sleep(1)
    again = await there.bot("ada", silent)
    (running,) = again.received(Welcome)[0].matches
    assert (await again.receives(MatchStarted)).match == running.match  # it begins when both are there
    await both_play_on(there, running.match)


# --- in a match


@point("on turn, before the move")
async def point_6(there: Table) -> None:
    white, black, match = await there.two_seated(CHESS, time="60+0")
    turn = await white.receives(Turn)
    await cut(there, white)
    await asyncio.sleep(10)
    again = await there.bot(white.name, silent)
    (running,) = again.received(Welcome)[0].matches
    assert (running.match, running.seat, running.opponent) == (match, 0, black.name)
    same = await again.receives(Turn)
    assert (same.match, same.ply, same.position) == (match, turn.ply, turn.position)
    assert same.clock_ms is not None
    assert (same.clock_ms.you, same.move_limit_ms) == (50_000, 50_000)  # the clock ran on
    await both_play_on(there, match)


@point("off turn")
async def point_7(there: Table) -> None:
    white, black, match = await there.two_seated(CHESS)
    turn = await white.receives(Turn)
    await cut(there, black)
    white.say(answer(turn))
    await there.idle()
    again = await there.bot(black.name, silent)
    (only,) = again.received(Turn)
    assert only.ply == turn.ply + 1
    await both_play_on(there, match)


@point("while a move is on its way and does not arrive")
async def point_8(there: Table) -> None:
    white, _, match = await there.two_seated(CHESS)
    turn = await white.receives(Turn)
    white.say(answer(turn))
    await cut(there, white)  # the frame was still on the line
    again = await there.bot(white.name, silent)
    assert (await again.receives(Turn)).ply == turn.ply
    await both_play_on(there, match)


@point("while its move is being saved")
async def point_9(there: Table) -> None:
    white, black, match = await there.two_seated(CHESS)
    turn = await white.receives(Turn)
    there.store.hold_commits()
    white.say(answer(turn))
    await there.idle()
    await cut(there, white)
    there.store.release()
    assert (await black.receives(Turn)).ply == turn.ply + 1
    again = await there.bot(white.name, silent)
    refused = await again.refusal(answer(turn))  # a bot that does not know says it again
    assert refused.code == "already_played"
    assert again.received(Turn) == []
    await both_play_on(there, match)


@point("after its move was sent to the opponent")
async def point_10(there: Table) -> None:
    white, black, match = await there.two_seated(CHESS)
    white.say(answer(await white.receives(Turn)))
    await black.receives(Turn)
    await cut(there, white)
    again = await there.bot(white.name, silent)
    assert again.received(Turn) == []
    assert [running.match for running in again.received(Welcome)[0].matches] == [match]
    await both_play_on(there, match)


@point("with an open draw offer")
async def point_11(there: Table) -> None:
    white, black, match = await there.two_seated(CHESS)
    turn = await white.receives(Turn)
    white.say(DrawOffer(match=match, ply=turn.ply))
    white.say(answer(turn))
    offered = await black.receives(Turn)
    assert offered.draw_offered
    await cut(there, white)
    black.say(DrawOffer(match=match, ply=offered.ply))
    assert (await black.receives(MatchEnded)).ending == "draw_agreed"
    assert (await there.bot(white.name)).received(Welcome)[0].matches == ()


@point("while its resignation is being saved")
async def point_12(there: Table) -> None:
    white, black, match = await there.two_seated(CHESS)
    there.store.hold_commits()
    white.say(Resign(match=match))
    await there.idle()
    await cut(there, white)
    there.store.release()
    assert (await black.receives(MatchEnded)).ending == "resignation"
    again = await there.bot(white.name)
    assert (again.received(Welcome)[0].matches, again.received(MatchEnded)) == ((), [])


@point("while it watches a match")
async def point_13(there: Table) -> None:
    *_, match = await there.two_seated(CHESS)
    eve = await there.bot("eve")
    eve.say(Watch(match=match))
    await there.idle()
    assert there.dispatcher.runner.spectators.watchers(match) == 1
    await cut(there, eve)
    assert there.dispatcher.runner.spectators.watchers(match) == 0
    await both_play_on(there, match)


@point("by a newer connection of the same bot")
async def point_14(there: Table) -> None:
    _, token = await there.server.accounts.register("ada", "")
    ada, bob = await there.bot("ada", silent, token=token), await there.bot("bob", silent)
    for bot in (ada, bob):
        bot.say(Seek(game=CHESS))
    started = await ada.receives(MatchStarted)
    white = ada if started.seat == 0 else bob
    turn = await white.receives(Turn)
    newer = await there.bot("ada", silent, token=token)
    assert (await ada.ends())[0] == 4005
    if white is ada:
        ada.client.send(answer(turn))  # dropped: a superseded line is heard no more
        assert (await newer.receives(Turn)).ply == turn.ply
    await there.idle()
    assert len(await there.store.moves(MatchId(started.match))) == turn.ply


@pytest.mark.parametrize("name", POINTS)
@virtual_time
async def test_a_line_cut_here_loses_and_doubles_nothing(name: str) -> None:
    async with table() as there:
        await POINTS[name](there)
        await there.idle()
        assert there.dispatcher.runner.frozen == 0
        assert broken_invariants(there.dispatcher) == []


def test_every_point_stands_in_the_page() -> None:
    page = PAGE.read_text("utf-8")
    assert [name for name in POINTS if f"| {name} |" not in page] == []
    assert len(POINTS) == 14
