"""Moves and the other messages about a match, from the bots' side of a running server."""

from __future__ import annotations

import asyncio
import logging

import msgpack
import pytest

from tabiya.games.registry import names
from tabiya.protocol.messages import (
    DrawOffer,
    DrawOffered,
    MatchEnded,
    MatchStarted,
    Move,
    Notice,
    Refused,
    Resign,
    TakeBack,
    TakeBackAsked,
    Turn,
)
from tabiya.server.core.events import Resigned
from tabiya.storage.records import MatchId
from tests.present import present
from tests.server.local_bots import first_legal, table
from tests.virtual_time import now_ns, virtual_time

NIM, CHESS = names()[0], "chess"


def answer(turn: Turn, **changes: object) -> Move:
    """The first legal move, unless changed."""
    fields = {"match": turn.match, "ply": turn.ply, "move": first_legal(turn)} | changes
    return Move(**fields)  # type: ignore[arg-type]


@virtual_time
async def test_a_move_for_another_match_ply_or_seat_is_refused_and_the_turn_still_waits() -> None:
    async with table() as there:
        ada, bob, match = await there.two_seated(CHESS)
        eve = await there.bot("eve")
        turn = await ada.receives(Turn)
        refused = await ada.refusal(answer(turn, ply=turn.ply - 1))
        assert (refused.code, refused.match, refused.ply, refused.illegal_left) == (
            "wrong_ply",
            match,
            turn.ply - 1,
            None,
        )
        assert (await bob.refusal(answer(turn))).code == "not_your_turn"
        messages = (answer(turn), Resign(match=match), DrawOffer(match=match, ply=turn.ply))
        for message in messages:
            assert (await eve.refusal(message)).code == "not_a_player"
        for message in (answer(turn, match=99), Resign(match=99), DrawOffer(match=99, ply=0)):
            assert (await ada.refusal(message)).code == "unknown_match"
        ada.say(answer(turn))
        assert (await bob.receives(Turn)).ply == turn.ply + 1
        bob.say(Resign(match=match))
        await ada.receives(MatchEnded)
        for message in messages:
            assert (await ada.refusal(message)).code == "match_over"


@virtual_time
async def test_illegal_moves_are_refused_with_how_many_are_left_and_the_third_loses() -> None:
    async with table() as there:
        ada, bob, _ = await there.two_seated(CHESS)
        turn = await ada.receives(Turn)
        for text, code, left in (("e2e5", "illegal_move", 1), ("knight!", "unreadable_move", 0)):
            refused = await ada.refusal(answer(turn, move=text))
            assert (refused.code, refused.illegal_left, refused.ply) == (code, left, turn.ply)
            assert text in refused.message
        ada.say(answer(turn))
        bob.say(answer(await bob.receives(Turn)))
        again = await ada.receives(Turn, 2)
        assert (again.illegal_moves, again.illegal_limit) == (2, 3)
        ada.say(answer(again, move="e2e5"))
        ended = await ada.receives(MatchEnded)
        assert (ended.ending, ended.winner, ended.score) == ("illegal_moves", 1, 0)
        assert (await bob.receives(MatchEnded)).score == 1


@virtual_time
async def test_a_move_with_a_bad_info_is_played_and_kept_without_it_and_its_author_is_told_once() -> None:
    async with table() as there:
        ada, bob, match = await there.two_seated(CHESS)
        for number, bot in enumerate((ada, bob, ada), 1):
            turn = await bot.receives(Turn, (number + 1) // 2)
            fields = {"type": "move", "match": match, "ply": turn.ply, "move": first_legal(turn)}
            info = {"score": 12.5, "depth": number, "pv": ["e2e4"], "text": "hm"}
            bot.client.send_frame(msgpack.packb(fields | {"info": info}))
        await bob.receives(Turn, 2)
        (notices,) = ada.received(Notice)
        assert notices.kind == "bad_info"
        assert notices.text.startswith("move: info.score: expected an integer or null, received 12.5; the move counts")
        moves = await there.store.moves(MatchId(match))
        infos = [move.info for move in moves if move.info]
        assert infos == [{"depth": number, "pv": ["e2e4"], "text": "hm"} for number in (1, 2, 3)]
        assert ada.received(Refused) == bob.received(Refused) == []


@virtual_time
async def test_a_bot_that_has_moved_in_time_loses_at_its_own_deadline_nearer_or_farther_than_others() -> None:
    for time, thinks_s, left_s in (("5+3", (4, 4), 4), ("10+0", (9, 3), 1), ("10+0", (1, 9), 9)):
        async with table() as there:
            ada, bob, _ = await there.two_seated(CHESS, time=time)
            for bot, think_s in zip((ada, bob), thinks_s, strict=True):
                turn = await bot.receives(Turn)
                await asyncio.sleep(think_s)
                bot.say(answer(turn))
            await ada.receives(Turn, 2)
            began_s = asyncio.get_running_loop().time()
            ended = await ada.receives(MatchEnded)
            assert (ended.ending, ended.winner) == ("time", 1)
            assert asyncio.get_running_loop().time() - began_s == pytest.approx(left_s, abs=0.005)


@virtual_time
async def test_without_a_clock_the_stall_limit_ends_the_match() -> None:
    async with table(stall_limit_ms=3_000) as there:
        ada, _, _ = await there.two_seated(NIM, time="none")
        assert (await ada.receives(Turn)).move_limit_ms == 3_000
        assert (await ada.receives(MatchEnded)).ending == "stall"


@virtual_time
async def test_either_player_may_resign_at_any_moment() -> None:
    for resigns in (0, 1):
        async with table() as there:
            ada, bob, match = await there.two_seated(CHESS)
            (ada, bob)[resigns].say(Resign(match=match))
            ended = await ada.receives(MatchEnded)
            assert (ended.ending, ended.winner, ended.score) == ("resignation", 1 - resigns, resigns)
            assert (await bob.receives(MatchEnded)).score == 1 - resigns


@virtual_time
async def test_why_a_program_failed_is_logged_for_the_operator_and_others_learn_that_it_failed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    async with table() as there:
        ada, bob, match = await there.two_seated(CHESS)
        ada.say(Resign(match=match, failure="KeyError: '/home/ada/book'\n"))
        for one in (ada, bob):
            reason = (await one.receives(MatchEnded)).reason
            assert reason.endswith(" resigned: its program failed")
            assert "KeyError" not in reason
        assert f"match {match}: the program of ada failed: KeyError: '/home/ada/book'\\n\n" in caplog.text


@virtual_time
async def test_a_draw_offer_is_told_and_the_opponents_offer_accepts_it() -> None:
    async with table() as there:
        ada, bob, match = await there.two_seated(CHESS)
        turn = await ada.receives(Turn)
        bob.say(DrawOffer(match=match, ply=turn.ply))
        ada.say(answer(turn))
        assert (await ada.receives(DrawOffered)).ply == turn.ply + 1
        bob.say(answer(await bob.receives(Turn)))
        assert (await ada.receives(Turn, 2)).draw_offered
        ada.say(DrawOffer(match=match, ply=turn.ply + 1))
        ended = await ada.receives(MatchEnded)
        assert (ended.ending, ended.winner, ended.score) == ("draw_agreed", None, 0.5)


@virtual_time
async def test_a_move_taken_back_is_played_again_in_a_new_match_of_the_same_two_with_the_moves_before_it() -> None:
    async with table() as there:
        ada, bob, match = await there.two_seated(CHESS, rated=False)
        turn = await ada.receives(Turn)
        ada.say(answer(turn))
        reply = await bob.receives(Turn)
        bob.say(answer(reply))
        await ada.receives(Turn, 2)
        ada.say(TakeBack(match=match, ply=turn.ply + 2))
        asked = await bob.receives(TakeBackAsked)
        bob.say(TakeBack(match=match, ply=asked.ply, agree=True))
        ended = await bob.receives(MatchEnded)
        assert (ended.goes_on, ended.result, "took its last move back" in ended.reason) == (True, "*", True)
        begun, again = await ada.receives(MatchStarted, 2), await ada.receives(Turn, 3)
        assert (begun.match, begun.rated, begun.seat) == (match + 1, False, 0)
        assert (again.match, again.ply, again.position) == (begun.match, turn.ply, turn.position)
        assert len(await there.store.moves(MatchId(match))) == turn.ply + 2  # what was played stays written
        ada.say(answer(again))
        assert (await bob.receives(Turn, 2)).match == begun.match


@pytest.mark.parametrize("is_saved", [False, True])
@virtual_time
async def test_a_server_killed_while_a_move_is_taken_back_goes_on_with_the_move_or_without_it(is_saved: bool) -> None:
    async with table() as there:
        ada, bob, match = await there.two_seated(CHESS, rated=False)
        turn = await ada.receives(Turn)
        ada.say(answer(turn))
        await bob.receives(Turn)
        ada.say(TakeBack(match=match, ply=turn.ply + 1))
        asked = await bob.receives(TakeBackAsked)
        there.store.hold_answers() if is_saved else there.store.hold_commits()
        bob.say(TakeBack(match=match, ply=asked.ply, agree=True))
        await there.idle()
        assert ada.received(MatchEnded) == bob.received(MatchEnded) == []  # nobody has been told
        tables = await there.crash()
    async with table(tables) as there:
        going_on = [active.record.id for active in there.dispatcher.runner.running()]
        assert going_on == [match + is_saved]
        ada, bob = await there.bot("ada", lambda turn: None), await there.bot("bob", lambda turn: None)
        again = await (ada if is_saved else bob).receives(Turn)
        assert (again.match, again.ply) == (match + is_saved, turn.ply + (not is_saved))
        assert len(await there.store.moves(MatchId(match))) == turn.ply + 1  # what was played stays written


@virtual_time
async def test_events_during_an_event_follow_it_in_their_order() -> None:
    async with table() as there:
        ada, _, match = await there.two_seated(CHESS)
        runner = there.dispatcher.runner
        active = present(runner.active(match))
        active.busy = True  # as while the effects of an event are carried out
        for seat in (0, 1):
            runner.post(active, Resigned(seat, now_ns()))
        active.busy = False
        runner.snapshot(match)  # which carries out what waits
        assert (await ada.receives(MatchEnded)).winner == 1


@virtual_time
async def test_a_bot_may_do_without_the_list_of_legal_moves() -> None:
    async with table() as there:
        ada = await there.bot("ada", lambda turn: None, legal_moves=False, seek=(NIM,))
        bob = await there.bot("bob", lambda turn: None, seek=(NIM,))
        await ada.until(
            lambda: bool(ada.received(Turn) or bob.received(Turn)) or there.dispatcher.runner.active(1) is not None
        )
        await there.idle()
        lists = [turn.legal_moves for turn in ada.received(Turn)] + [turn.legal_moves for turn in bob.received(Turn)]
        assert len(lists) == 1
        assert (lists[0] is None) == bool(ada.received(Turn))


@virtual_time
async def test_a_bot_that_plays_two_matches_may_answer_in_any_order() -> None:
    async with table() as there:
        ada = await there.bot("ada", lambda turn: None, max_matches=2, seek=(CHESS,))
        others = [await there.bot(name, first_legal, seek=(CHESS,)) for name in ("bob", "cyd")]
        await ada.receives(Turn, 2)
        second, first = ada.received(Turn)[1], ada.received(Turn)[0]
        assert first.match != second.match
        for turn in (second, first):
            ada.say(answer(turn))
        await ada.receives(Turn, 4)
        assert ada.received(Refused) == []
        assert all(bot.received(Turn) for bot in others)
