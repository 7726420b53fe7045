"""Games of a tournament that end by what the bots say of them, in play and after the server has died."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tabiya.protocol.messages import MatchEnded, MoveInfo, Turn
from tabiya.server.core.adjudication import Adjudication, DrawRule, ResignRule
from tabiya.server.tournaments.settings import TournamentError, read_tournament
from tests.server.local_bots import LocalBot, Table, at_random, table
from tests.server.tournaments.cups import order, over, played
from tests.virtual_time import virtual_time

LONG = "reversi"  # of some thirty moves each, none of which can be taken back
Says = Callable[[Turn], MoveInfo | None]
DRAW = Adjudication(draw=DrawRule(movenumber=6, movecount=2, score=20))
BOTH = Adjudication(
    draw=DrawRule(movecount=4, score=20), resign=ResignRule(movecount=3, score=500, twosided=True), maxmoves=12
)


def always(score: int | None) -> Says:
    """The same score with every move, or none."""
    return lambda turn: None if score is None else MoveInfo(score=score)


async def two_bots(there: Table, ada: Says, bob: Says, seed: int = 0) -> list[LocalBot]:
    """Ada and Bob, who play at random and say this."""
    bots = []
    for name, says in (("ada", ada), ("bob", bob)):
        bot = await there.bot(name, at_random(seed + len(name + name[0])), 0.1)
        bot.says = says
        bots.append(bot)
    return bots


async def endings(there: Table, rule: Adjudication) -> list[Any]:
    """How the two games of Ada and Bob end: winner's name, ending, moves of each."""
    record = await played(there, order(("ada", "bob"), game=LONG, adjudication=rule, concurrency=1))
    found = []
    for match in await there.store.tournament_matches(record.id):
        assert match.result is not None
        winner = match.result.winner
        moves = [move for move in await there.store.moves(match.id) if not move.opening]
        name = None if winner is None else match.seats[winner].bot
        found.append((name, match.result.ending, [sum(move.seat == seat for move in moves) for seat in (0, 1)]))
    return found


@virtual_time
async def test_two_bots_that_call_it_level_are_drawn_when_the_rule_says() -> None:
    async with table() as there:
        await two_bots(there, always(20), always(-20))
        assert await endings(there, DRAW) == [(None, "drawn_by_scores", [6, 6])] * 2


@virtual_time
async def test_a_bot_that_sees_that_it_loses_has_lost_whatever_seat_it_has_and_both_hear_why() -> None:
    async with table() as there:
        bots = await two_bots(there, always(-700), always(700))
        ended = await endings(there, BOTH)
        assert [(winner, ending) for winner, ending, _ in ended] == [("bob", "resigned_by_scores")] * 2
        assert {max(moves) for _, _, moves in ended} == {3}
        for bot in bots:
            assert len(bot.received(MatchEnded)) == 2
            for message in bot.received(MatchEnded):
                assert message.ending == "resigned_by_scores"
                assert message.reason.startswith("ada (")
                assert "judged its own position -5.00 or worse 3 times in a row, and bob (" in message.reason
                assert message.score == float(bot.name == "bob")


@virtual_time
async def test_bots_that_say_nothing_play_on_to_the_largest_number_of_moves() -> None:
    async with table() as there:
        await two_bots(there, always(None), always(-700))
        assert await endings(there, BOTH) == [(None, "move_limit", [12, 12])] * 2


@pytest.mark.parametrize("killed_at_ply", [4, 7, 10])
@virtual_time
async def test_a_server_that_dies_has_counted_as_one_that_lives(killed_at_ply: int) -> None:
    async with table() as there:
        bots = await two_bots(there, always(3), always(0))
        rule = Adjudication(draw=DrawRule(movenumber=7, movecount=6, score=20))
        created = await there.server.tournaments.create(
            order(("ada", "bob"), game=LONG, adjudication=rule, concurrency=1)
        )
        await bots[0].until(lambda: any(turn.ply >= killed_at_ply for turn in bots[0].received(Turn)))
        tables = await there.crash()
    async with table(tables) as again:
        await two_bots(again, always(3), always(0), seed=1)
        record = await over(again, created.id)
        assert read_tournament(record).settings.adjudication == rule
        for match in await again.store.tournament_matches(record.id):
            moves = [move for move in await again.store.moves(match.id) if not move.opening]
            assert match.result is not None
            assert (match.result.ending, len(moves)) == ("drawn_by_scores", 14)


@virtual_time
async def test_impossible_rules_are_refused_before_anything_is_stored_and_a_rule_that_ends_nothing_is_none() -> None:
    async with table() as there:
        await two_bots(there, always(None), always(None))
        for game, rule, sentence in (
            ("nim", DRAW, "Nim knows no draw, so its matches cannot have a draw by scores"),
            (
                LONG,
                Adjudication(draw=DrawRule(movecount=1, score=9), resign=ResignRule(movecount=1, score=9)),
                "a score cannot be both level and lost",
            ),
        ):
            with pytest.raises(TournamentError, match=sentence):
                await there.server.tournaments.create(order(("ada", "bob"), game=game, adjudication=rule))
        assert await there.store.list_tournaments() == ()
        nothing = order(("ada", "bob"), game=LONG, adjudication=Adjudication(), start=False)
        created = await there.server.tournaments.create(nothing)
        assert read_tournament(created).settings.adjudication is None
