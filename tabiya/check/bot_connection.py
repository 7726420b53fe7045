"""One connection of the bot: turns sent on it, their answers, and messages that break a rule.

A move belongs to the turn that it answers, by match and ply. Any other is noted as a fault of the rule it breaks, in
whichever scenario it comes, and answered with the refusal that a real server would send.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from tabiya.check.outcomes import BlockedByOtherFailure, ConnectionEnded, RuleBroken
from tabiya.check.scripted_server import Frame, RawConnection
from tabiya.check.transcript import Transcript
from tabiya.protocol.codec import CodecError, decode_client, encode
from tabiya.protocol.codes import CloseCode, RefusalCode, close_text, refusal_text
from tabiya.protocol.messages import (
    Accept,
    Challenge,
    ClientMessage,
    Decline,
    DrawOffer,
    Hello,
    Message,
    Move,
    Refused,
    Resign,
    Seek,
    Turn,
    Unseek,
    Watch,
)
from tabiya.protocol.messages.client import WireMessage

MATCH_AND_PLY, OUT_OF_TURN, MATCH_OVER, MESSAGES = "match-and-ply", "out-of-turn", "match-over", "messages"

MOST_REFUSALS = 20  # on one connection: a bot that answers refusals would go on forever

OnRuleBroken = Callable[[str, RuleBroken], None]
Key = tuple[int, int]  # match, ply


@dataclass(slots=True)
class PendingTurn:
    """A turn that was sent. answers: how many moves for it are still expected, one for each time it was sent."""

    turn: Turn
    answers: int = 1
    answer: asyncio.Future[Move | DrawOffer] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def __post_init__(self) -> None:
        self.answer.add_done_callback(_seen)

    def fail(self, error: Exception) -> None:
        """Raise this error where the answer is awaited."""
        if not self.answer.done():
            self.answer.set_exception(error)


class BotConnection:
    """The bot on one connection."""

    def __init__(self, raw: RawConnection, transcript: Transcript, report: OnRuleBroken) -> None:
        """report: called with the name of the broken rule, where that is not the rule under test."""
        self.raw = raw
        self.hello: asyncio.Future[Hello] = asyncio.get_running_loop().create_future()
        self.hello.add_done_callback(_seen)
        self.ended: asyncio.Future[ConnectionEnded] = asyncio.get_running_loop().create_future()
        self.welcomed = False
        self.before_welcome: list[ClientMessage] = []  # messages between hello and welcome
        self.seeks: list[str] = []
        self._transcript, self._report = transcript, report
        self._rule_for_strays = self._rule_after_end = ""  # see attributing_to
        self._refusals = 0
        self._pending: dict[Key, PendingTurn] = {}
        self._matches: set[int] = set()
        self._ended_matches: set[int] = set()
        self._late_answers: set[Key] = set()  # turns that wait for no answer any more, but may still get one
        self._reading = asyncio.create_task(self._read())

    # --- from the checker to the bot ---

    async def send(self, *messages: WireMessage) -> None:
        """Send messages in order, those of no present version too."""
        for message in messages:
            self._transcript.message("server", message)
            # cast: the codec promises this for known messages only, and writes any Struct
            await self.raw.send(encode(cast("Message", message), self.raw.encoding))

    async def send_turn(self, turn: Turn, times: int = 1) -> PendingTurn:
        """Send a turn, `times` times at once; its answer comes by the PendingTurn."""
        pending = self.expect_answer(turn, times)  # first: the answer may come while we still send
        await self.send(*[turn] * times)
        return pending

    def expect_answer(self, turn: Turn, times: int = 1) -> PendingTurn:
        """Expect at most `times` answers to this turn, which the caller sends."""
        pending = PendingTurn(turn, times)
        self._pending[turn.match, turn.ply] = pending
        self._matches.add(turn.match)
        if self.ended.done():
            pending.fail(self.ended.result())
        return pending

    def match_begins(self, match: int, ply: int = 0) -> None:
        """Note that the bot knows of a match.  ply: of a match that runs already; the bot may repeat earlier moves."""
        self._matches.add(match)
        self._late_answers.update((match, earlier) for earlier in range(ply))

    def match_over(self, match: int) -> None:
        """Note the end of a match: a further move for it breaks a rule, except an answer sent before."""
        self._ended_matches.add(match)
        self._late_answers = {key for key in self._late_answers if key[0] != match}
        for key in [key for key in self._pending if key[0] == match]:
            pending = self._pending.pop(key)
            if not pending.answer.done():  # it may be on its way, sent before the end was read
                self._late_answers.add(key)
            pending.fail(BlockedByOtherFailure(MATCH_OVER))

    async def close(self, code: int, reason: str) -> None:
        self._transcript.add("note", f"the server closes with {code}: {reason}")
        await self.raw.close(code, reason)

    def cut(self) -> None:
        """Break the connection without a close frame."""
        self._transcript.add("note", "the connection is cut")
        self.raw.cut()

    async def stop_reading(self) -> None:
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)

    @contextlib.contextmanager
    def attributing_to(self, rule: str, *, over: bool = False) -> Iterator[None]:
        """Within the block an unexpected move breaks this rule.  over: also a move after the end of a match."""
        self._rule_for_strays, self._rule_after_end = rule, rule if over else ""
        try:
            yield
        finally:
            self._rule_for_strays = self._rule_after_end = ""

    # --- from the bot to the checker ---

    async def _read(self) -> None:
        try:
            while True:
                await self._frame(await self.raw.receive())
        except ConnectionEnded as end:
            self._transcript.add("note", f"the connection ended with {end}")
            if end.code == CloseCode.OVERSIZE:
                text = close_text(CloseCode.OVERSIZE)
                self._report(MESSAGES, RuleBroken(f"It sent too much at once: {text.cause}", text.cure))
            self._end(end)

    def _end(self, end: ConnectionEnded) -> None:
        self.ended.set_result(end)
        if not self.hello.done():
            self.hello.set_exception(end)
        for pending in self._pending.values():
            pending.fail(end)

    async def _frame(self, frame: Frame) -> None:
        try:
            message = decode_client(frame, self.raw.encoding)
        except CodecError as error:
            self._transcript.add("bot", str(frame))
            await self._unreadable(error)
            return
        self._transcript.message("bot", message)
        if not self.hello.done():
            self._first(message)
        elif self.hello.exception() is None:  # after a wrong hello nothing is judged any more
            if not self.welcomed:
                self.before_welcome.append(message)
            await self._handle(message)

    def _first(self, message: ClientMessage) -> None:
        if isinstance(message, Hello):
            self.hello.set_result(message)
        else:
            text = close_text(CloseCode.BAD_HELLO)
            self.hello.set_exception(RuleBroken(f"Its first message was not hello but {_type_of(message)}.", text.cure))

    async def _unreadable(self, error: CodecError) -> None:
        text = close_text(CloseCode.GARBAGE) if error.garbage else refusal_text(error.code)
        cause = f"It sent what is no message: {error}."
        if error.move is not None:
            cause = f"It sent an info that is dropped: {error}; the move counts."
        fault = RuleBroken(cause, text.cure)
        if not self.hello.done():
            self.hello.set_exception(fault)
        if self.hello.exception() is not None:
            return
        self._report(MESSAGES, fault)
        if error.move is not None:
            await self._handle(error.move)
            return
        # it may have been the answer to any turn; other messages are none
        if error.garbage or error.about in ("", "move"):
            self._block(MESSAGES, error.match)
        await self._refuse(error.code, str(error)[:500], error.about, error.match)

    async def _handle(self, message: ClientMessage) -> None:
        match message:
            case Move():
                await self._move(message)
            case Resign():
                self._resign(message)
            case DrawOffer():
                self._draw_offer(message)
            case Seek():
                self.seeks.append(message.game)
            case Unseek():
                self.seeks = [game for game in self.seeks if game != message.game]
            case Accept() | Decline():
                await self._refuse(RefusalCode.UNKNOWN_CHALLENGE, "the challenge has lapsed", _type_of(message))
            case Challenge():
                await self._refuse(RefusalCode.UNKNOWN_BOT, "nobody else is here", "challenge")
            case Watch():
                await self._refuse(RefusalCode.UNKNOWN_MATCH, "there is nothing to watch", "watch", message.match)
            case Hello():
                self._report(
                    MESSAGES, RuleBroken("It said hello twice.", refusal_text(RefusalCode.ALREADY_WELCOME).cure)
                )
            case _:
                pass

    async def _move(self, move: Move) -> None:
        key = (move.match, move.ply)
        pending = self._pending.get(key)
        if pending is not None and pending.answers > 0:
            pending.answers -= 1
            if not pending.answer.done():
                pending.answer.set_result(move)
        elif key in self._late_answers:
            self._late_answers.discard(key)
            code = RefusalCode.MATCH_OVER if move.match in self._ended_matches else RefusalCode.ALREADY_PLAYED
            await self._refuse(code, f"nothing waits for ply {move.ply}", "move", move.match, move.ply)
        else:
            await self._unexpected_move(move)

    async def _unexpected_move(self, move: Move) -> None:
        """Report a move that answers no turn under the rule that it breaks, and refuse it as a server does."""
        where = f"match {move.match}, ply {move.ply}"
        waiting = [pending for pending in self._pending.values() if not pending.answer.done()]
        mine = [pending for pending in waiting if pending.turn.match == move.match]
        if move.match in self._ended_matches:
            rule, code = MATCH_OVER, RefusalCode.MATCH_OVER
            fault = RuleBroken(
                f"It sent a move for {where} after match_ended.", "Send nothing about a match that has ended."
            )
        elif mine or (waiting and move.match not in self._matches):
            rule, code = MATCH_AND_PLY, RefusalCode.WRONG_PLY if mine else RefusalCode.UNKNOWN_MATCH
            asked = ", ".join(f"match {pending.turn.match}, ply {pending.turn.ply}" for pending in mine or waiting)
            fault = RuleBroken(
                f"Its move names {where}; it was asked for {asked}.", refusal_text(RefusalCode.WRONG_PLY).cure
            )
        else:
            rule, code = OUT_OF_TURN, RefusalCode.NOT_YOUR_TURN
            fault = RuleBroken(f"It sent a move for {where} that answers no turn.", refusal_text(code).cure)
        rule = (self._rule_after_end if rule == MATCH_OVER else self._rule_for_strays) or rule
        self._report(rule, fault)
        # it was meant for a turn that waits, whose time would run out for the same fault once more
        if mine or move.match not in self._matches:
            self._block(rule, move.match if mine else None)
        await self._refuse(code, f"there is no turn for {where}", "move", move.match, move.ply)

    def _resign(self, resign: Resign) -> None:
        for pending in self._pending.values():
            if pending.turn.match == resign.match:
                pending.fail(
                    RuleBroken(
                        f"It resigned match {resign.match} instead of answering the turn.",
                        "Look at what it printed: most often its code has failed.",
                    )
                )

    def _draw_offer(self, offer: DrawOffer) -> None:
        """A draw offer at a turn that offers a draw accepts it; any other needs no answer."""
        for key, pending in self._pending.items():
            if key == (offer.match, offer.ply) and pending.turn.draw_offered and not pending.answer.done():
                pending.answer.set_result(offer)

    def _block(self, rule: str, match: int | None) -> None:
        for pending in self._pending.values():
            if match is None or pending.turn.match == match:
                pending.fail(BlockedByOtherFailure(rule))

    async def _refuse(
        self, code: RefusalCode, text: str, about: str, match: int | None = None, ply: int | None = None
    ) -> None:
        self._refusals += 1
        if self._refusals <= MOST_REFUSALS:
            await self.send(Refused(code=code, message=text, about=about[:64], match=match, ply=ply))


def _type_of(message: ClientMessage) -> str:
    return str(type(message).__struct_config__.tag)


def _seen(future: asyncio.Future[Any]) -> None:
    """Fetch the exception, so that the event loop does not log it as never retrieved."""
    if not future.cancelled():
        future.exception()
