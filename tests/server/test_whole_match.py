"""A whole match between two bots in one process, over a local line, under virtual time: for every game."""

from __future__ import annotations

import pytest

from tabiya.games.registry import load_game, names
from tabiya.protocol.codec import Encoding
from tabiya.protocol.messages import MatchEnded, MatchStarted, Seek, Turn, Welcome
from tabiya.protocol.time_control import parse
from tabiya.storage.records import MatchId, MoveRecord
from tests.server.local_bots import Table, at_random, first_legal, table
from tests.virtual_time import now_s, virtual_time

THINK_S = (0.25, 0.4)


async def play_a_match(there: Table, game: str, time: str) -> MatchEnded:
    """One match between a bot that thinks for 0.25 s and one that thinks for 0.4 s a move; its end, as ada sees it."""
    ada = await there.bot("ada", at_random(1), THINK_S[0], encoding=Encoding.JSON)
    bob = await there.bot("bob", at_random(2), THINK_S[1])
    for bot in (ada, bob):
        bot.say(Seek(game=game, time=time))
    ended = await ada.receives(MatchEnded)
    await bob.receives(MatchEnded)
    assert [type(message) for message in ada.inbox][:2] == [Welcome, MatchStarted]
    assert (ada.received(MatchEnded)[0].winner, ada.received(MatchEnded)[0].ending) == (
        bob.received(MatchEnded)[0].winner,
        bob.received(MatchEnded)[0].ending,
    )
    return ended


@pytest.mark.parametrize("game", names())
@virtual_time
async def test_two_bots_play_a_whole_match_and_its_stored_moves_give_its_end(game: str) -> None:
    async with table() as there:
        ended = await play_a_match(there, game, "600+0.5")
        stored = await there.store.match(MatchId(ended.match))
        moves = await there.store.moves(MatchId(ended.match))
        assert stored is not None
        assert stored.result is not None
        assert (stored.result.winner, stored.result.ending) == (ended.winner, ended.ending)
        position = load_game(game).parse(stored.start_text)
        for move in moves:
            assert move.seat == position.to_move
            position = position.play(move.text)
        outcome = position.outcome()
        assert outcome is not None
        assert (outcome.winner, str(outcome.ending)) == (ended.winner, ended.ending)
        assert position.text() == ended.position
        assert ended.plies == len(moves)


@pytest.mark.parametrize("time", ["600+0.5", "40/600", "20/600+0.25", "2/move"])
@virtual_time
async def test_the_clocks_add_up_to_the_time_that_each_bot_has_thought(time: str) -> None:
    async with table() as there:
        ended = await play_a_match(there, "chess", time)
        moves = [move for move in await there.store.moves(MatchId(ended.match)) if not move.opening]
        spent = [0, 0]
        for number, move in enumerate(moves):
            assert move.think_us in {round(1e6 * think_s) for think_s in THINK_S}
            assert (move.server_us, move.credit_us, move.network_us) == (0, 0, 0)
            spent[move.seat] += move.think_us
            assert move.remaining_us[move.seat] == clock_us(
                time, spent[move.seat], 1 + count(moves[:number], move.seat)
            )
        assert ended.clock_ms == tuple(us // 1000 for us in moves[-1].remaining_us)
        assert now_s() == pytest.approx(sum(spent) / 1e6, abs=0.1)


def count(moves: list[MoveRecord], seat: int) -> int:
    """Moves of a seat."""
    return sum(move.seat == seat for move in moves)


def clock_us(time: str, spent_us: int, made: int) -> int:
    """The clock after `made` moves, by hand."""
    control = parse(time)
    base, increment = control.base_ms * 1000, control.increment_ms * 1000
    if time.endswith("/move"):
        return base
    periods = made // control.moves if control.moves else 0
    return base * (1 + periods) + increment * made - spent_us


@virtual_time
async def test_the_time_of_a_save_is_charged_to_nobody() -> None:
    async with table() as there:
        there.store.seconds_to_commit = lambda: 0.3
        ada, _, _ = await there.two_seated("chess", first_legal, first_legal, think_s=1.0, time="60+0")
        turn = await ada.receives(Turn, 3)
        clocks = [(turn.clock_ms.you, turn.clock_ms.opponent) for turn in ada.received(Turn) if turn.clock_ms]
        assert clocks == [(60_000, 60_000), (59_000, 59_000), (58_000, 58_000)]
        account = turn.last_move_account
        assert account is not None
        assert (account.think_ms, account.server_ms, account.credit_ms) == (1_000, 300, 0)


@virtual_time
async def test_a_match_begins_with_its_opening_already_played() -> None:
    async with table() as there:
        ada, _, match = await there.two_seated("chess")
        started = ada.received(MatchStarted)[0]
        position = load_game(started.game).parse(started.position)
        for move in started.opening:
            position = position.play(move)
        turn = await ada.receives(Turn)
        assert turn.position == position.text()
        assert turn.ply == len(started.opening) > 0
        opening = await there.store.moves(MatchId(match))
        assert [(move.text, move.opening) for move in opening] == [(move, True) for move in started.opening]


def test_the_same_match_takes_the_same_steps_in_every_run() -> None:
    runs: list[tuple[MoveRecord, ...]] = []

    @virtual_time
    async def run() -> None:
        async with table() as there:
            ended = await play_a_match(there, "chess", "600+0.5")
            runs.append(await there.store.moves(MatchId(ended.match)))

    run()
    run()
    assert runs[0] == runs[1]
