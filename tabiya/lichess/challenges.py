"""The open challenges of one bot: those it has made, and those it is to answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from tabiya.bots.players.catalogue import CHESS
from tabiya.lichess.forms import COLOURS, DECLINE_REASONS, VARIANTS, Json, challenge_id, perf, speed, time_control
from tabiya.lichess.players import Players
from tabiya.lichess.refusal import Refusal
from tabiya.protocol.messages import (
    Accept,
    Busy,
    Challenge,
    Challenged,
    ChallengeEnded,
    ClientMessage,
    Decline,
    Refused,
    ServerMessage,
)
from tabiya.protocol.time_control import parse

Answer = asyncio.Future[ChallengeEnded]
ANSWER_S = 1.5  # to a challenge and the like; clients wait two seconds


class Challenges:
    """Sends the client's challenges, follows them, and reports to the client by events."""

    def __init__(
        self,
        name: str,
        players: Players,
        say: Callable[[ClientMessage], Awaitable[None]],
        put: Callable[[Json], None],
        begins: Callable[[int, str], None],
    ) -> None:
        """say: to the server; raises Refusal.  put: an event.  begins: called with match and name of a new game."""
        self._name, self._players = name, players
        self._say, self._put, self._begins = say, put, begins
        self._open: dict[int, tuple[Challenged, Json]] = {}
        self._asking = asyncio.Lock()
        self._asked: asyncio.Future[tuple[Json, Answer]] | None = None
        self._answers: dict[int, Answer] = {}

    @property
    def open(self) -> dict[str, list[Json]]:
        """The open challenges, by direction."""
        forms = [form for _, form in self._open.values()]
        return {way: [form for form in forms if form["direction"] == way] for way in ("in", "out")}

    def is_open_with(self, opponent: str) -> bool:
        """Whether there is one between the bot and this one."""
        return any(challenge.opponent == opponent for challenge, _ in self._open.values())

    # --- what the client wants

    async def challenge(
        self, opponent: str, game: str, time: str, *, rated: bool, seat: int | None
    ) -> tuple[Json, Answer]:
        """Challenge a bot; returns the challenge and how it ended. Raises Refusal with the server's reason."""
        draws = game != CHESS  # the server the start; of chess there is one
        asking = Challenge(opponent=opponent, game=game, time=time, rated=rated, seat=seat, opening=draws)
        async with self._asking:  # the receipt does not say to which question it is
            self._asked = asyncio.get_running_loop().create_future()
            try:
                await self._say(asking)
                async with asyncio.timeout(ANSWER_S):
                    return await self._asked
            except TimeoutError:
                raise Refusal(503, "The server does not answer now") from None
            finally:
                self._asked = None

    async def accept(self, name: str) -> None:
        """Accept a challenge, and wait until its game is there. Raises Refusal."""
        number = self._number(name, "in")
        ended = await self._answered(number, Accept(challenge=number))
        if ended.outcome != "accepted":
            raise Refusal(404, f"The challenge has {ended.outcome}: {ended.reason}")

    async def decline(self, name: str, reason: str) -> None:
        """Decline a challenge. Raises Refusal."""
        number = self._number(name, "in")
        await self._answered(number, Decline(challenge=number, reason=reason))

    async def cancel(self, name: str) -> None:
        """Take a challenge back. Raises Refusal."""
        number = self._number(name, "out")
        await self._answered(number, Decline(challenge=number))

    def _answer(self, number: int) -> Answer:
        return self._answers.setdefault(number, asyncio.get_running_loop().create_future())

    async def _answered(self, number: int, message: ClientMessage) -> ChallengeEnded:
        answer = self._answer(number)
        try:
            await self._say(message)
            async with asyncio.timeout(ANSWER_S):
                return await asyncio.shield(answer)
        except TimeoutError:
            raise Refusal(503, "The server does not answer now") from None

    def _number(self, name: str, way: str) -> int:
        for number, (_, form) in self._open.items():
            if (form["id"], form["direction"]) == (name, way):
                return number
        raise Refusal(404, "Challenge not found")

    # --- what the server says

    def on_message(self, message: ServerMessage) -> None:
        """Handle a message about a challenge."""
        match message:
            case Challenged():
                self._challenged(message)
            case ChallengeEnded():
                self._ended(message)
            case Refused(about="challenge") if self._asked is not None:
                _fail(self._asked, 400, message.message)
            case Refused() if message.challenge in self._answers:
                _fail(self._answers.pop(message.challenge), 404, message.message)
            case Busy(about="challenge") if self._asked is not None:
                _fail(self._asked, 429, message.message or "The server is busy")
            case _:
                pass

    def all_lapsed(self) -> None:
        """The connection was lost, and the server has forgotten them."""
        for number, (challenge, _) in list(self._open.items()):
            self._ended(ChallengeEnded(challenge=number, opponent=challenge.opponent, outcome="lapsed"))

    def _challenged(self, message: Challenged) -> None:
        form = self._form(message)
        self._open[message.challenge] = message, form
        if message.yours and self._asked is not None and not self._asked.done():
            # with how it ends, which may be heard before anyone who asked goes on
            self._asked.set_result((form, self._answer(message.challenge)))
        self._put({"type": "challenge", "challenge": form, "compat": {"bot": True, "board": True}})

    def _ended(self, message: ChallengeEnded) -> None:
        _, form = self._open.pop(message.challenge, (None, None))
        answer = self._answers.pop(message.challenge, None)
        if answer is not None and not answer.done():
            answer.set_result(message)
        if form is None:
            return
        if message.outcome == "accepted" and message.match is not None:
            self._begins(message.match, form["id"])
        elif message.outcome == "declined" and form["direction"] == "out":
            key = message.reason if message.reason in DECLINE_REASONS else "generic"
            why = {"declineReason": message.reason or "declined", "declineReasonKey": key}
            self._put({"type": "challengeDeclined", "challenge": form | {"status": "declined"} | why})
        else:
            self._put({"type": "challengeCanceled", "challenge": form | {"status": "canceled"}})

    def _form(self, message: Challenged) -> Json:
        """A challenge in Lichess's words."""
        own, other = (self._players.user(name, message.game) for name in (self._name, message.opponent or ""))
        seat = message.seat if message.seat is None or message.yours else 1 - message.seat  # the challenger's
        name, control = challenge_id(message.challenge), parse(message.time)
        return {
            "id": name,
            "url": f"/{name}",
            "status": "created",
            "challenger": own if message.yours else other,
            "destUser": other if message.yours else own,
            "variant": VARIANTS[message.game],
            "rated": message.rated,
            "speed": speed(control),
            "timeControl": time_control(message.time),
            "color": "random" if seat is None else COLOURS[seat],
            "finalColor": COLOURS[seat or 0],
            "perf": {"icon": "", "name": perf(message.game, control).title()},
            "direction": "out" if message.yours else "in",
        }


def _fail(future: asyncio.Future[Any], status: int, sentence: str) -> None:
    if not future.done():
        future.set_exception(Refusal(status, sentence))
