"""What a bot is asked and what it answers, on a real socket: refusals, errors, hooks, draws, challenges."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tabiya.bots.client.events import BotError, MatchOver, MoveOverdue, Note
from tabiya.bots.client.summary import Summary
from tabiya.bots.client.turn import Turn
from tabiya.protocol.messages import (
    Accept,
    Challenged,
    Decline,
    DrawOffer,
    DrawOffered,
    MatchEnded,
    MatchStarted,
    Move,
    Refused,
    Resign,
)
from tests.bots.client.fake_server import GAME, ended, started, turn
from tests.bots.client.running_bot import Amy, Slow, playing
from tests.waiting import until


async def test_a_refused_move_is_asked_for_again_with_the_reason() -> None:
    class Stubborn(Amy):
        def choose(self, turn: Turn) -> str:
            self.calls.append(turn.refused)
            return "b2" if turn.refused else "z9"

    bot = Stubborn()
    async with playing(bot) as (peer, run):
        await peer.send(turn())
        assert (await peer.expect(Move)).move == "z9"
        await peer.send(
            Refused(code="illegal_move", message="no such square", about="move", match=1, ply=0, illegal_left=2)
        )
        assert (await peer.expect(Move)).move == "b2"
        assert bot.calls == ["", "z9: no such square"]
        assert "no such square" in str(run.received(Note)[0])


async def test_an_error_in_the_bot_is_reported_with_its_position_and_the_match_resigned() -> None:
    class Broken(Amy):
        def choose(self, turn: Turn) -> str:
            return turn.legal_moves[99]

    async with playing(Broken()) as (peer, run):
        await peer.send(turn(ply=4))
        printed = await peer.expect(Resign)
        assert printed.failure.startswith("test_playing.py, line ")
        assert printed.failure.endswith(": IndexError: tuple index out of range")
        (fault,) = run.received(BotError)
        text = str(fault)
        assert text.startswith("amy: choose failed in match 1, game tictactoe, seat 0, ply 4:\n")
        assert "IndexError: tuple index out of range" in text
        assert "position: --------- X" in text
        assert "return turn.legal_moves[99]" in text
        assert "hooks.py" not in text
        assert "resigns" in text


async def test_an_error_in_the_bot_may_be_answered_with_a_legal_move() -> None:
    class Broken(Amy):
        async def choose(self, turn: Turn) -> str:  # type: ignore[override]
            raise KeyError("x")

    async with playing(Broken(), on_error="legal") as (peer, run):
        await peer.send(turn())
        played = await peer.expect(Move)
        assert played.move == "a1"
        assert played.info is not None
        assert played.info.text == "not the bot's own move: KeyError: 'x'"
        assert "plays a1 instead" in str(run.received(BotError)[0])


async def test_a_thought_past_its_deadline_is_reported_and_its_answer_still_sent() -> None:
    bot = Slow()
    async with playing(bot) as (peer, run):
        await peer.send(turn(move_limit_ms=0))
        await until(lambda: bool(run.received(MoveOverdue)))
        assert "has used all of its 0 s" in str(run.received(MoveOverdue)[0])
        bot.answer.set_result("b2")
        await peer.expect(Move)


async def test_the_end_of_a_match_stops_its_thought() -> None:
    bot = Slow()
    async with playing(bot, matches=1) as (peer, run):
        await peer.send(started(), turn())
        await bot.asked.wait()
        await peer.send(ended(score=0.0))
        assert await run.result() == Summary("amy", lost=1)
        assert bot.calls[0].stopped
        assert bot.answer.cancelled()


async def test_an_error_in_a_thought_that_is_no_longer_needed_is_reported_with_its_position() -> None:
    class InVain(Amy):
        def choose(self, turn: Turn) -> str:
            asked.set()
            go_on.wait(10)
            raise LookupError("found nothing")

    asked, go_on = threading.Event(), threading.Event()
    async with playing(InVain()) as (peer, run):
        await peer.send(started(), turn(ply=4))
        await until(asked.is_set)
        await peer.send(ended(score=0.0))
        await until(lambda: bool(run.received(MatchOver)))
        assert not run.received(BotError)
        go_on.set()
        await until(lambda: bool(run.received(BotError)))
        text = str(run.received(BotError)[0])
        assert "LookupError: found nothing" in text
        assert "match 1, game tictactoe, seat 0, ply 4" in text
        assert text.endswith("nobody was waiting for this move any more")


async def test_hooks_are_called_in_order_and_the_first_choice_waits_for_them() -> None:
    class Hooked(Amy):
        def match_started(self, match: MatchStarted) -> None:
            self.calls.append("started")

        def choose(self, turn: Turn) -> str:
            self.calls.append("choose")
            return "a1"

        async def match_ended(self, match: MatchEnded) -> None:
            await asyncio.sleep(0)
            self.calls.append("ended")

    bot = Hooked()
    async with playing(bot, matches=1) as (peer, run):
        await peer.send(started(), turn())
        await peer.expect(Move)
        await peer.send(ended(score=0.5))
        await run.result()
        assert bot.calls == ["started", "choose", "ended"]


async def test_a_broken_hook_is_reported_and_the_match_goes_on() -> None:
    class Broken(Amy):
        def match_started(self, match: MatchStarted) -> None:
            raise RuntimeError("no")

    async with playing(Broken()) as (peer, run):
        await peer.send(started(), turn())
        await peer.expect(Move)
        text = str(run.received(BotError)[0])
        assert text.startswith("amy: match_started failed:\n")
        assert text.endswith("RuntimeError: no\nthe match goes on")


@pytest.mark.parametrize("accepts", [True, False])
async def test_an_offered_draw_is_asked_about_before_the_move(accepts: bool) -> None:
    class Peaceful(Amy):
        def opponent_offers_draw(self, turn: Turn) -> bool:
            return accepts

    async with playing(Peaceful()) as (peer, _):
        await peer.send(turn(draw_offered=True))
        if accepts:
            assert await peer.expect(DrawOffer) == DrawOffer(match=1, ply=0)
        await peer.expect(Move)


async def test_a_draw_offered_during_the_thought_can_be_accepted() -> None:
    class Peaceful(Slow):
        async def opponent_offers_draw(self, turn: Turn) -> bool:
            return True

    bot = Peaceful()
    async with playing(bot) as (peer, _):
        await peer.send(turn(), DrawOffered(match=1, ply=0))
        await peer.expect(DrawOffer)


async def test_challenges_are_accepted_unless_the_bot_says_no_or_does_not_play_the_game() -> None:
    class Choosy(Amy):
        games = (GAME,)

        def accepts_challenge(self, challenge: Challenged) -> bool:
            return challenge.opponent != "carl"

    def challenge(number: int, opponent: str, game: str = GAME) -> Challenged:
        return Challenged(challenge=number, opponent=opponent, game=game, time="60+0", lapses_ms=1000)

    async with playing(Choosy()) as (peer, _):
        await peer.send(challenge(1, "bea"))
        assert await peer.expect(Accept) == Accept(challenge=1)
        await peer.send(challenge(2, "carl"))
        assert await peer.expect(Decline) == Decline(challenge=2)
        await peer.send(challenge(3, "bea", "nim"))
        assert await peer.expect(Decline) == Decline(challenge=3)
