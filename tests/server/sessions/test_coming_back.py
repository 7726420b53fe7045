"""Servers that go and come back, and a bot that stays away; one that comes back: test_cut_at_every_point.py."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tabiya.games.registry import names
from tabiya.protocol.messages import MatchEnded, MatchStarted, Move, Resign, Seek, Turn, Unseek, Welcome
from tabiya.storage.records import MatchId
from tests.live import live_server, welcomed
from tests.server.invariants import broken_invariants
from tests.server.local_bots import Table, at_random, first_legal, silent, table
from tests.virtual_time import virtual_time

NIM, CHESS = names()[0], "chess"


# --- bots ---


@virtual_time
async def test_a_bot_that_stays_away_has_abandoned_the_match() -> None:
    async with table(abandon_ms=20_000) as there:
        ada, bob, match = await there.two_seated(CHESS, first_legal, first_legal, think_s=1.0, time="600+0")
        await ada.receives(Turn, 3)
        bob.client.cut()
        ended = await ada.receives(MatchEnded)
        assert (ended.ending, ended.winner) == ("abandoned", 0)
        assert there.dispatcher.runner.active(match) is None


# --- servers ---


async def play_on(tables_of: Table, seed: int, until_plies: int) -> MatchId:
    """A match of chess between ada and bob, up to some ply."""
    ada, bob, match = await tables_of.two_seated(CHESS, at_random(seed), at_random(seed + 1), 0.5, time="300+1")
    await ada.until(lambda: bool(ada.received(Turn)) and ada.received(Turn)[-1].ply >= until_plies)
    assert bob.closed is None
    return MatchId(match)


@pytest.mark.parametrize("plies", [5, 12, 31])
@virtual_time
async def test_a_server_that_crashes_goes_on_from_what_is_saved_with_the_saved_clocks(plies: int) -> None:
    async with table() as before:
        match = await play_on(before, seed=plies, until_plies=plies)
        tables = await before.crash()
    rows = [tables.moves[match][ply] for ply in sorted(tables.moves[match])]
    await asyncio.sleep(25)
    async with table(tables) as after:
        bots = [await after.bot(name, at_random(9), 0.5) for name in ("ada", "bob")]
        assert [one.match for bot in bots for one in bot.received(Welcome)[0].matches] == [match, match]
        await bots[0].until(lambda: any(bot.received(Turn) for bot in bots))
        turn = next(turn for bot in bots for turn in bot.received(Turn))
        assert (turn.match, turn.ply) == (match, len(rows))
        assert turn.clock_ms is not None
        mover = turn.seat
        clocks = rows[-1].remaining_us
        assert (turn.clock_ms.you, turn.clock_ms.opponent) == (clocks[mover] // 1000, clocks[1 - mover] // 1000)
        for bot in bots:
            await bot.receives(MatchEnded)
        stored = await after.store.moves(match)
        assert list(stored[: len(rows)]) == rows
        assert [move.ply for move in stored] == list(range(len(stored)))
        pending, later = stored[len(rows)], stored[len(rows) + 1]
        assert 25_000_000 <= pending.forgiven_us <= 27_000_000
        assert (pending.think_us, later.forgiven_us) == (500_000, 0)


@virtual_time
async def test_a_match_that_ended_before_the_restart_is_over_and_not_unknown() -> None:
    async with table() as before:
        ada, _, match = await before.two_seated(NIM)
        ada.say(Unseek(game=NIM))
        ada.say(Resign(match=match))
        await ada.receives(MatchEnded)
        tables = await before.crash()
    async with table(tables) as after:
        ada = await after.bot("ada")
        assert (await ada.refusal(Resign(match=match))).code == "match_over"
        assert (await ada.refusal(Resign(match=match + 1))).code == "unknown_match"


@virtual_time
async def test_a_match_told_to_nobody_is_told_after_the_restart() -> None:
    async with table() as before:
        ada, bob = await before.bot("ada", silent), await before.bot("bob", silent)
        before.store.hold_answers()
        for bot in (ada, bob):
            bot.say(Seek(game=NIM))
        await before.idle()
        tables = await before.crash()
        assert ada.received(MatchStarted) == bob.received(MatchStarted) == []
    async with table(tables) as after:
        bots = [await after.bot(name, first_legal) for name in ("ada", "bob")]
        for bot in bots:
            await bot.receives(MatchEnded)


@pytest.mark.usefixtures("errors_expected")
@virtual_time
async def test_a_match_that_cannot_be_restored_is_frozen_and_the_others_go_on() -> None:
    async with table() as before:
        first = await play_on(before, seed=1, until_plies=10)
        cyd, dan = await before.bot("cyd", silent, seek=(NIM,)), await before.bot("dan", silent, seek=(NIM,))
        second = MatchId((await cyd.receives(MatchStarted)).match)
        await dan.receives(MatchStarted)
        tables = await before.crash()
    ply = max(tables.moves[first])
    row = tables.moves[first][ply]
    tables.moves[first][ply] = type(row)(
        **{name: getattr(row, name) for name in row.__struct_fields__} | {"text": "a1a8"}
    )
    async with table(tables) as after:
        assert tables.matches[first].status == "frozen"
        assert "cannot be restored" in (tables.matches[first].frozen_reason or "")
        assert [active.record.id for active in after.dispatcher.runner.running()] == [second]
        assert (await after.bot("ada")).received(Welcome)[0].matches == ()


@pytest.mark.slow
async def test_a_server_started_again_on_its_file_goes_on_over_real_sockets(tmp_path: Path) -> None:
    database = str(tmp_path / "games.db")
    async with live_server(database, time_control="60+1") as server:
        url = server.websocket_url
        async with welcomed(url, "ada", seek=(NIM,)) as ada, welcomed(url, "bob", seek=(NIM,)) as bob:
            started = await ada.receives(MatchStarted)
            mover = (ada, bob)[started.seat]
            turn = await mover.receives(Turn)
            await asyncio.sleep(0.05)
            await mover.say(Move(match=turn.match, ply=turn.ply, move=turn.legal_moves[0]))
            await (bob, ada)[started.seat].receives(Turn)
            first_row = (await server.store.moves(MatchId(turn.match)))[-1]
            await server.stop()
    async with live_server(database, time_control="60+1") as server:
        url = server.websocket_url
        async with welcomed(url, "ada") as ada, welcomed(url, "bob") as bob:
            waiting = {"ada": ada, "bob": bob}[started.names[1]]
            again = await waiting.receives(Turn)
            assert (again.ply, again.clock_ms.you) == (turn.ply + 1, 60_000)
            assert again.clock_ms.opponent == first_row.remaining_us[0] // 1000 < 61_000
            await waiting.say(Move(match=again.match, ply=again.ply, move=again.legal_moves[0]))
            ends = await asyncio.gather(ada.plays(), bob.plays())
            assert {end.match for end in ends} == {turn.match}
        record = await server.store.match(MatchId(turn.match))
        assert record is not None
        assert record.status == "ended"
        assert broken_invariants(server.dispatcher) == []
