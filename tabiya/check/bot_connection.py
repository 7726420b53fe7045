"""One connection of the bot: what was asked on it, what the bot has answered, and what it should not have said.

A move belongs to the turn that it answers, by match and ply. Any other is noted as a fault of the rule it breaks, in
whichever scenario it comes, and answered with the refusal that a real server would send.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from tabiya.check.outcomes import Blocked, Fault, LineEnded
from tabiya.check.scripted_server import Frame, Line
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
from tabiya.protocol.messages.client import Wire

COPIES, OUT_OF_TURN, MATCH_OVER, MESSAGES = "match-and-ply", "out-of-turn", "match-over", "messages"

MOST_REFUSALS = 20  # on one connection: a bot that answers refusals would go on for ever

Report = Callable[[str, Fault], None]
Key = tuple[int, int]  # match, ply


@dataclass(slots=True)
class Ask:
    """A turn that was sent. answers: how many moves for it are still expected, one for each time it was sent."""

    turn: Turn
    answers: int = 1
    answer: asyncio.Future[Move | DrawOffer] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def __post_init__(self) -> None:
        self.answer.add_done_callback(_seen)

    def fail(self, error: Exception) -> None:
        """There will be no answer."""
        if not self.answer.done():
            self.answer.set_exception(error)


class Contact:
    """The bot on one connection."""

    def __init__(self, line: Line, transcript: Transcript, report: Report) -> None:
        """report: is told of faults that belong to a rule and not to what is being tried."""
        self.line = line
        self.hello: asyncio.Future[Hello] = asyncio.get_running_loop().create_future()
        self.hello.add_done_callback(_seen)
        self.ended: asyncio.Future[LineEnded] = asyncio.get_running_loop().create_future()
        self.welcomed = False
        self.early: list[ClientMessage] = []  # what came between hello and welcome
        self.seeks: list[str] = []
        self._transcript, self._report = transcript, report
        self._blame = self._blame_over = ""
        self._refusals = 0
        self._asks: dict[Key, Ask] = {}
        self._matches: set[int] = set()
        self._over: set[int] = set()
        self._under_way: set[Key] = set()  # answers to what waits for none any more
        self._reading = asyncio.create_task(self._read())

    # --- what the checker says ---

    async def tell(self, *messages: Wire) -> None:
        """Send messages in order, those of no present version too."""
        for message in messages:
            self._transcript.message("server", message)
            await self.line.send(encode(cast("Message", message), self.line.encoding))

    async def ask(self, turn: Turn, times: int = 1) -> Ask:
        """Send a turn, `times` times at once; its answer comes by the Ask."""
        ask = self.expect(turn, times)
        await self.tell(*[turn] * times)
        return ask

    def expect(self, turn: Turn, times: int = 1) -> Ask:
        """An answer to this turn is to come, `times` of them at most; the turn is sent elsewhere."""
        ask = Ask(turn, times)
        self._asks[turn.match, turn.ply] = ask
        self._matches.add(turn.match)
        if self.ended.done():
            ask.fail(self.ended.result())
        return ask

    def begins(self, match: int, ply: int = 0) -> None:
        """The bot hears of a match.  ply: of a match that runs already; its earlier moves may be sent once more."""
        self._matches.add(match)
        self._under_way.update((match, earlier) for earlier in range(ply))

    def match_over(self, match: int) -> None:
        """A match ends: no more moves for it, but for answers that are under way."""
        self._over.add(match)
        self._under_way = {key for key in self._under_way if key[0] != match}
        for key in [key for key in self._asks if key[0] == match]:
            ask = self._asks.pop(key)
            if not ask.answer.done():
                self._under_way.add(key)
            ask.fail(Blocked(MATCH_OVER))

    async def close(self, code: int, reason: str) -> None:
        """Say goodbye."""
        self._transcript.add("note", f"the server closes with {code}: {reason}")
        await self.line.close(code, reason)

    def cut(self) -> None:
        """Break the connection without a word."""
        self._transcript.add("note", "the connection is cut")
        self.line.cut()

    async def forget(self) -> None:
        """Listen no more."""
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)

    @contextlib.contextmanager
    def blaming(self, rule: str, *, over: bool = False) -> Iterator[None]:
        """Within: moves that should not come are faults of this rule.  over: those after the end of a match too."""
        self._blame, self._blame_over = rule, rule if over else ""
        try:
            yield
        finally:
            self._blame = self._blame_over = ""

    # --- what the bot says ---

    async def _read(self) -> None:
        try:
            while True:
                await self._frame(await self.line.receive())
        except LineEnded as end:
            self._transcript.add("note", f"the connection ended with {end}")
            if end.code == CloseCode.OVERSIZE:
                text = close_text(CloseCode.OVERSIZE)
                self._report(MESSAGES, Fault(f"It sent too much at once: {text.cause}", text.cure))
            self._end(end)

    def _end(self, end: LineEnded) -> None:
        self.ended.set_result(end)
        if not self.hello.done():
            self.hello.set_exception(end)
        for ask in self._asks.values():
            ask.fail(end)

    async def _frame(self, frame: Frame) -> None:
        try:
            message = decode_client(frame, self.line.encoding)
        except CodecError as error:
            self._transcript.add("bot", str(frame))
            await self._unreadable(error)
            return
        self._transcript.message("bot", message)
        if not self.hello.done():
            self._first(message)
        elif self.hello.exception() is None:
            if not self.welcomed:
                self.early.append(message)
            await self._handle(message)

    def _first(self, message: ClientMessage) -> None:
        if isinstance(message, Hello):
            self.hello.set_result(message)
        else:
            text = close_text(CloseCode.BAD_HELLO)
            self.hello.set_exception(Fault(f"Its first message was not hello but {_type_of(message)}.", text.cure))

    async def _unreadable(self, error: CodecError) -> None:
        text = close_text(CloseCode.GARBAGE) if error.garbage else refusal_text(error.code)
        cause = f"It sent what is no message: {error}."
        if error.move is not None:
            cause = f"It sent an info that is dropped: {error}; the move counts."
        fault = Fault(cause, text.cure)
        if not self.hello.done():
            self.hello.set_exception(fault)
        if self.hello.exception() is not None:
            return
        self._report(MESSAGES, fault)
        if error.move is not None:
            await self._handle(error.move)
            return
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
                self._report(MESSAGES, Fault("It said hello twice.", refusal_text(RefusalCode.ALREADY_WELCOME).cure))
            case _:
                pass

    async def _move(self, move: Move) -> None:
        key = (move.match, move.ply)
        ask = self._asks.get(key)
        if ask is not None and ask.answers > 0:
            ask.answers -= 1
            if not ask.answer.done():
                ask.answer.set_result(move)
        elif key in self._under_way:
            self._under_way.discard(key)
            code = RefusalCode.MATCH_OVER if move.match in self._over else RefusalCode.ALREADY_PLAYED
            await self._refuse(code, f"nothing waits for ply {move.ply}", "move", move.match, move.ply)
        else:
            await self._stray(move)

    async def _stray(self, move: Move) -> None:
        """A move that answers no turn: whose rule it breaks, and what a server says to it."""
        where = f"match {move.match}, ply {move.ply}"
        waiting = [ask for ask in self._asks.values() if not ask.answer.done()]
        mine = [ask for ask in waiting if ask.turn.match == move.match]
        if move.match in self._over:
            rule, code = MATCH_OVER, RefusalCode.MATCH_OVER
            fault = Fault(
                f"It sent a move for {where} after match_ended.", "Send nothing about a match that has ended."
            )
        elif mine or (waiting and move.match not in self._matches):
            rule, code = COPIES, RefusalCode.WRONG_PLY if mine else RefusalCode.UNKNOWN_MATCH
            asked = ", ".join(f"match {ask.turn.match}, ply {ask.turn.ply}" for ask in mine or waiting)
            fault = Fault(
                f"Its move names {where}; it was asked for {asked}.", refusal_text(RefusalCode.WRONG_PLY).cure
            )
        else:
            rule, code = OUT_OF_TURN, RefusalCode.NOT_YOUR_TURN
            fault = Fault(f"It sent a move for {where} that answers no turn.", refusal_text(code).cure)
        rule = (self._blame_over if rule == MATCH_OVER else self._blame) or rule
        self._report(rule, fault)
        if mine or move.match not in self._matches:
            self._block(rule, move.match if mine else None)
        await self._refuse(code, f"there is no turn for {where}", "move", move.match, move.ply)

    def _resign(self, resign: Resign) -> None:
        for ask in self._asks.values():
            if ask.turn.match == resign.match:
                ask.fail(
                    Fault(
                        f"It resigned match {resign.match} instead of answering the turn.",
                        "Look at what it printed: most often its code has failed.",
                    )
                )

    def _draw_offer(self, offer: DrawOffer) -> None:
        """The opponent's offer is accepted by one's own; any other stands until the checker's next move."""
        for key, ask in self._asks.items():
            if key == (offer.match, offer.ply) and ask.turn.draw_offered and not ask.answer.done():
                ask.answer.set_result(offer)

    def _block(self, rule: str, match: int | None) -> None:
        for ask in self._asks.values():
            if match is None or ask.turn.match == match:
                ask.fail(Blocked(rule))

    async def _refuse(
        self, code: RefusalCode, text: str, about: str, match: int | None = None, ply: int | None = None
    ) -> None:
        self._refusals += 1
        if self._refusals <= MOST_REFUSALS:
            await self.tell(Refused(code=code, message=text, about=about[:64], match=match, ply=ply))


def _type_of(message: ClientMessage) -> str:
    return str(type(message).__struct_config__.tag)


def _seen(future: asyncio.Future[Any]) -> None:
    """What a future raises is not reported again by the event loop when nobody has waited for it."""
    if not future.cancelled():
        future.exception()
