"""The database hesitates, fails or dies: nothing is told that is not saved, and nobody loses by it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from tabiya.games.registry import names
from tabiya.protocol.messages import MatchEnded, MatchStarted, Move, Notice, Resign, Seek, Turn, Welcome
from tabiya.server.core.effects import SendTurn
from tabiya.server.core.messages import turn_message
from tabiya.server.core.state import Frozen, Match
from tabiya.storage.records import MatchId
from tests.server.local_bots import LocalBot, Table, first_legal, silent, table
from tests.virtual_time import virtual_time

CHESS = "chess"


def move(turn: Turn) -> Move:
    """The first legal move."""
    return Move(match=turn.match, ply=turn.ply, move=first_legal(turn))


@virtual_time
async def test_a_move_is_told_to_nobody_before_it_is_saved() -> None:
    async with table() as there:
        ada, bob, match = await there.two_seated(CHESS, time="60+0")
        turn = await ada.receives(Turn)
        there.store.hold_answers()
        ada.say(move(turn))
        await asyncio.sleep(30)
        assert bob.received(Turn) == []
        there.store.release()
        answer = await bob.receives(Turn)
        assert answer.clock_ms is not None
        assert (answer.clock_ms.you, answer.clock_ms.opponent) == (60_000, 60_000)
        assert len(await there.store.moves(MatchId(match))) == answer.ply


@pytest.mark.usefixtures("errors_expected")
@virtual_time
async def test_a_save_that_fails_is_tried_again_and_no_clock_runs_meanwhile() -> None:
    async with table() as there:
        ada, bob, _ = await there.two_seated(CHESS, time="60+0")
        turn = await ada.receives(Turn)
        there.store.fail_next(6)
        ada.say(move(turn))
        answer = await bob.receives(Turn)
        assert answer.ply == turn.ply + 1
        assert answer.clock_ms is not None
        assert (answer.clock_ms.you, answer.clock_ms.opponent) == (60_000, 60_000)


@pytest.mark.usefixtures("errors_expected")
@virtual_time
async def test_an_answer_lost_after_the_commit_makes_no_second_move() -> None:
    async with table() as there:
        ada, bob, match = await there.two_seated(CHESS)
        turn = await ada.receives(Turn)
        there.store.lose_next_answer()
        ada.say(move(turn))
        await bob.receives(Turn)
        assert len(await there.store.moves(MatchId(match))) == turn.ply + 1
        there.store.lose_next_answer()
        bob.say(Resign(match=match))
        await ada.receives(MatchEnded)
        assert len(await there.store.results()) == 1


async def frozen_match(there: Table) -> tuple[LocalBot, LocalBot, MatchId]:
    """A match whose save was refused for good: another row stands under its key."""
    ada, bob, match = await there.two_seated(CHESS)
    turn = await ada.receives(Turn)
    rows = there.store.tables.moves[MatchId(match)]
    rows[turn.ply] = rows[turn.ply - 1]
    ada.say(move(turn))
    await ada.receives(Notice)
    return ada, bob, MatchId(match)


@pytest.mark.usefixtures("errors_expected")
@virtual_time
async def test_a_save_that_can_never_succeed_freezes_the_match_and_nobody_loses() -> None:
    async with table() as there:
        ada, bob, match = await frozen_match(there)
        active = there.dispatcher.runner.active(match)
        assert active is not None
        assert isinstance(active.match.stage, Frozen)
        assert there.dispatcher.runner.frozen == 1
        for bot in (ada, bob):
            (notice,) = bot.received(Notice)
            assert notice.kind == "match_frozen"
            assert (await bot.refusal(Resign(match=match))).code == "match_frozen"
        await asyncio.sleep(3_600)
        assert match not in {ended.match for ended in ada.received(MatchEnded)}
        stored = await there.store.match(match)
        assert stored is not None
        assert stored.status == "frozen"
        assert "refused for good" in (stored.frozen_reason or "")


@pytest.mark.usefixtures("errors_expected")
@virtual_time
async def test_the_bots_of_a_frozen_match_are_free_for_another() -> None:
    async with table() as there:
        ada, bob, _ = await frozen_match(there)
        await ada.receives(MatchStarted, 2)
        await bob.receives(MatchStarted, 2)
        ada.client.cut()
        again = await there.bot(ada.name, silent)
        assert len(again.received(Welcome)[0].matches) == 1


@pytest.mark.usefixtures("errors_expected")
@virtual_time
async def test_a_server_error_in_one_match_does_not_affect_others(monkeypatch: pytest.MonkeyPatch) -> None:
    async with table() as there:
        ada, bob, match = await there.two_seated(CHESS)
        turn = await ada.receives(Turn)
        monkeypatch.setattr("tabiya.server.matches.runner.turn_message", broken_for(match))
        cyd, dan = await there.bot("cyd", first_legal), await there.bot("dan", first_legal)
        ada.say(move(turn))
        await bob.receives(Notice)
        assert there.store.tables.matches[MatchId(match)].status == "frozen"
        assert bob.received(Turn) == []
        for bot in (cyd, dan):
            bot.say(Seek(game=names()[0]))
        await cyd.receives(MatchEnded)


def broken_for(number: int) -> Callable[..., Turn]:
    """`turn_message` with a bug that shows in one match only."""

    def broken(match: Match, send: SendTurn, *, legal_moves: bool) -> Turn:
        if match.terms.match_id == number:
            raise ZeroDivisionError("a bug of ours")
        return turn_message(match, send, legal_moves=legal_moves)

    return broken


@virtual_time
async def test_a_store_that_is_closed_under_a_match_leaves_it_to_the_next_start() -> None:
    async with table() as there:
        ada, _, match = await there.two_seated(CHESS)
        turn = await ada.receives(Turn)
        await there.store.close()
        ada.say(move(turn))
        await asyncio.sleep(5)
        assert there.dispatcher.runner.frozen == 0
        assert there.store.tables.matches[MatchId(match)].status == "running"
