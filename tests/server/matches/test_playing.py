"""Moves and the other messages about a match, from the bots' side of a running server."""

from __future__ import annotations

import asyncio

import msgpack
import pytest

from tabiya.games.registry import load_game, names
from tabiya.protocol.messages import (
    ClientMessage,
    DrawOffer,
    DrawOffered,
    MatchEnded,
    Move,
    MoveInfo,
    Notice,
    Refused,
    Resign,
    Turn,
)
from tabiya.storage.records import MatchId
from tests.server.local_bots import first_legal, table
from tests.virtual_time import virtual_time

NIM, CHESS = names()[0], names()[-1]
DRAWLESS = next(name for name in names() if not load_game(name).draws_possible)


def answer(turn: Turn, **changes: object) -> Move:
    """The first legal move, unless changed."""
    fields = {"match": turn.match, "ply": turn.ply, "move": first_legal(turn)} | changes
    return Move(**fields)  # type: ignore[arg-type]


@virtual_time
async def test_a_stale_move_is_refused_and_the_turn_still_waits() -> None:
    async with table() as there:
        ada, bob, _ = await there.two_seated(CHESS)
        turn = await ada.hears(Turn)
        refused = await ada.refusal(answer(turn, ply=turn.ply - 1))
        assert (refused.code, refused.match, refused.ply, refused.illegal_left) == (
            "wrong_ply",
            turn.match,
            turn.ply - 1,
            None,
        )
        assert (await ada.refusal(answer(turn, ply=turn.ply + 2))).code == "wrong_ply"
        ada.say(answer(turn))
        assert (await bob.hears(Turn)).ply == turn.ply + 1


@virtual_time
async def test_the_same_move_sent_twice_counts_once() -> None:
    async with table() as there:
        ada, bob, match = await there.two_seated(CHESS)
        turn = await ada.hears(Turn)
        for _ in range(3):
            ada.say(answer(turn))
        await bob.hears(Turn)
        await ada.hears(Refused, 2)
        assert [refused.code for refused in ada.heard(Refused)] == ["already_played"] * 2
        assert len(await there.store.moves(MatchId(match))) == turn.ply + 1


@virtual_time
async def test_who_is_not_to_move_is_refused() -> None:
    async with table() as there:
        ada, bob, _ = await there.two_seated(CHESS)
        turn = await ada.hears(Turn)
        assert (await bob.refusal(answer(turn))).code == "not_your_turn"
        eve = await there.bot("eve")
        assert (await eve.refusal(answer(turn))).code == "not_a_player"


@virtual_time
async def test_moves_in_matches_that_do_not_run_are_refused() -> None:
    async with table() as there:
        ada, bob, match = await there.two_seated(CHESS)
        turn = await ada.hears(Turn)
        bob.say(Resign(match=match))
        await ada.hears(MatchEnded)
        for message in (answer(turn), Resign(match=match), DrawOffer(match=match, ply=turn.ply)):
            assert (await ada.refusal(message)).code == "match_over"
        for message in (answer(turn, match=99), Resign(match=99), DrawOffer(match=99, ply=0)):
            assert (await ada.refusal(message)).code == "unknown_match"
        assert (await ada.refusal(answer(turn))).ply == turn.ply


@virtual_time
async def test_a_move_with_a_bad_info_is_played_and_its_author_is_told_once() -> None:
    async with table() as there:
        ada, bob, match = await there.two_seated(CHESS)
        for number, bot in enumerate((ada, bob, ada), 1):
            turn = await bot.hears(Turn, (number + 1) // 2)
            fields = {"type": "move", "match": match, "ply": turn.ply, "move": first_legal(turn)}
            bot.client.send_frame(msgpack.packb(fields | {"info": {"score": 12.5, "depth": number}}))
        await bob.hears(Turn, 2)
        (told,) = ada.heard(Notice)
        assert told.kind == "bad_info"
        assert told.text.startswith("move: info.score: expected an integer or null, received 12.5; the move counts")
        moves = await there.store.moves(MatchId(match))
        assert [move.info["depth"] for move in moves if move.info] == [1, 2, 3]
        assert ada.heard(Refused) == bob.heard(Refused) == []


@pytest.mark.parametrize(("text", "code"), [("e2e5", "illegal_move"), ("knight!", "unreadable_move")])
@virtual_time
async def test_illegal_moves_are_refused_with_how_many_are_left_and_the_third_loses(text: str, code: str) -> None:
    async with table() as there:
        ada, bob, _ = await there.two_seated(CHESS)
        turn = await ada.hears(Turn)
        for left in (1, 0):
            refused = await ada.refusal(answer(turn, move=text))
            assert (refused.code, refused.illegal_left, refused.ply) == (code, left, turn.ply)
            assert text in refused.message
        assert len(ada.heard(Turn)) == 1
        ada.say(answer(turn, move=text))
        ended = await ada.hears(MatchEnded)
        assert (ended.ending, ended.winner, ended.score) == ("illegal_moves", 1, 0)
        assert (await bob.hears(MatchEnded)).score == 1


@virtual_time
async def test_after_an_illegal_move_a_legal_one_counts_and_the_next_turn_tells() -> None:
    async with table() as there:
        ada, bob, _ = await there.two_seated(CHESS)
        turn = await ada.hears(Turn)
        await ada.refusal(answer(turn, move="e2e5"))
        ada.say(answer(turn))
        bob.say(answer(await bob.hears(Turn)))
        again = await ada.hears(Turn, 2)
        assert (again.illegal_moves, again.illegal_limit) == (1, 3)


@virtual_time
async def test_a_silent_bot_loses_on_time_and_is_told_by_how_much() -> None:
    async with table() as there:
        ada, bob, _ = await there.two_seated(NIM, time="5+0")
        turn = await ada.hears(Turn)
        ended = await ada.hears(MatchEnded)
        assert (ended.ending, ended.winner, ended.clock_ms) == ("time", 1, (0, 5_000))
        assert (await ada.refusal(answer(turn))).code == "match_over"
        assert (await bob.hears(MatchEnded)).winner == 1


@virtual_time
async def test_a_bot_that_has_moved_in_time_loses_at_its_own_deadline_nearer_or_farther_than_others() -> None:
    for time, thinks_s, left_s in (("5+3", (4, 4), 4), ("10+0", (9, 3), 1), ("10+0", (1, 9), 9)):
        async with table() as there:
            ada, bob, _ = await there.two_seated(CHESS, time=time)
            for bot, think_s in zip((ada, bob), thinks_s, strict=True):
                turn = await bot.hears(Turn)
                await asyncio.sleep(think_s)
                bot.say(answer(turn))
            await ada.hears(Turn, 2)
            began_s = asyncio.get_running_loop().time()
            ended = await ada.hears(MatchEnded)
            assert (ended.ending, ended.winner) == ("time", 1)
            assert asyncio.get_running_loop().time() - began_s == pytest.approx(left_s, abs=0.005)


@virtual_time
async def test_a_move_in_the_last_millisecond_is_in_time() -> None:
    async with table() as there:
        ada, bob, _ = await there.two_seated(NIM, time="5+0")
        turn = await ada.hears(Turn)
        await asyncio.sleep(4.999)
        ada.say(answer(turn))
        account = (await bob.hears(Turn)).clock_ms
        assert account is not None
        assert account.opponent == 1


@virtual_time
async def test_without_a_clock_the_stall_limit_ends_the_match() -> None:
    async with table(stall_limit_ms=3_000) as there:
        ada, _, _ = await there.two_seated(NIM, time="none")
        assert (await ada.hears(Turn)).move_limit_ms == 3_000
        assert (await ada.hears(MatchEnded)).ending == "stall"


@virtual_time
async def test_either_player_may_resign_at_any_moment() -> None:
    for resigns in (0, 1):
        async with table() as there:
            ada, bob, match = await there.two_seated(CHESS)
            (ada, bob)[resigns].say(Resign(match=match))
            ended = await ada.hears(MatchEnded)
            assert (ended.ending, ended.winner, ended.score) == ("resignation", 1 - resigns, resigns)
            assert (await bob.hears(MatchEnded)).score == 1 - resigns


@virtual_time
async def test_a_draw_offer_is_told_and_the_opponents_offer_accepts_it() -> None:
    async with table() as there:
        ada, bob, match = await there.two_seated(CHESS)
        turn = await ada.hears(Turn)
        bob.say(DrawOffer(match=match, ply=turn.ply))
        ada.say(answer(turn))
        assert (await ada.hears(DrawOffered)).ply == turn.ply + 1
        bob.say(answer(await bob.hears(Turn)))
        assert (await ada.hears(Turn, 2)).draw_offered
        ada.say(DrawOffer(match=match, ply=turn.ply + 1))
        ended = await ada.hears(MatchEnded)
        assert (ended.ending, ended.winner, ended.score) == ("draw_agreed", None, 0.5)


@virtual_time
async def test_an_offer_goes_with_the_move_and_lapses_when_the_opponent_moves() -> None:
    async with table() as there:
        ada, bob, match = await there.two_seated(CHESS)
        turn = await ada.hears(Turn)
        ada.say(DrawOffer(match=match, ply=turn.ply))
        ada.say(answer(turn))
        offered = await bob.hears(Turn)
        assert offered.draw_offered
        bob.say(answer(offered))
        await ada.hears(Turn, 2)
        refused = await bob.refusal(DrawOffer(match=match, ply=turn.ply))
        assert refused.code == "wrong_ply"
        assert there.dispatcher.runner.active(match) is not None


@virtual_time
async def test_draws_are_not_offered_twice_nor_where_there_are_none() -> None:
    async with table() as there:
        ada, _, match = await there.two_seated(CHESS)
        turn = await ada.hears(Turn)
        ada.say(DrawOffer(match=match, ply=turn.ply))
        assert (await ada.refusal(DrawOffer(match=match, ply=turn.ply))).code == "draw_already_offered"
    async with table() as there:
        ada, _, match = await there.two_seated(DRAWLESS)
        turn = await ada.hears(Turn)
        assert (await ada.refusal(DrawOffer(match=match, ply=turn.ply))).code == "no_draw_possible"


@virtual_time
async def test_only_players_may_resign_or_offer() -> None:
    async with table() as there:
        _, _, match = await there.two_seated(CHESS)
        eve = await there.bot("eve")
        messages: tuple[ClientMessage, ...] = (Resign(match=match), DrawOffer(match=match, ply=0))
        for message in messages:
            assert (await eve.refusal(message)).code == "not_a_player"


@virtual_time
async def test_what_a_bot_says_of_its_thinking_is_kept_with_the_move() -> None:
    async with table() as there:
        ada, bob, match = await there.two_seated(CHESS)
        turn = await ada.hears(Turn)
        ada.say(answer(turn, info=MoveInfo(depth=7, score=-3, pv=("e2e4",), text="hm")))
        await bob.hears(Turn)
        info = (await there.store.moves(MatchId(match)))[-1].info
        assert info == {"depth": 7, "score": -3, "pv": ["e2e4"], "text": "hm"}


@virtual_time
async def test_a_bot_may_do_without_the_list_of_legal_moves() -> None:
    async with table() as there:
        ada = await there.bot("ada", lambda turn: None, legal_moves=False, seek=(NIM,))
        bob = await there.bot("bob", lambda turn: None, seek=(NIM,))
        await ada.until(
            lambda: bool(ada.heard(Turn) or bob.heard(Turn)) or there.dispatcher.runner.active(1) is not None
        )
        await there.idle()
        lists = [turn.legal_moves for turn in ada.heard(Turn)] + [turn.legal_moves for turn in bob.heard(Turn)]
        assert len(lists) == 1
        assert (lists[0] is None) == bool(ada.heard(Turn))


@virtual_time
async def test_a_bot_that_plays_two_matches_may_answer_in_any_order() -> None:
    async with table() as there:
        ada = await there.bot("ada", lambda turn: None, max_matches=2, seek=(CHESS,))
        others = [await there.bot(name, first_legal, seek=(CHESS,)) for name in ("bob", "cyd")]
        await ada.hears(Turn, 2)
        second, first = ada.heard(Turn)[1], ada.heard(Turn)[0]
        assert first.match != second.match
        for turn in (second, first):
            ada.say(answer(turn))
        await ada.hears(Turn, 4)
        assert ada.heard(Refused) == []
        assert all(bot.heard(Turn) for bot in others)
