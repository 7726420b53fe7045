"""Bots that think for a random time, play any legal move, and note every error of the server.

Half speak JSON, half MessagePack. Some play several games and matches at once, some cut their line in the middle of a
thought and come back by token, some watch, now and then one offers a draw or resigns. Whatever the server says that
docs/reference/protocol.md does not allow goes into `Notes.faults`, and so does a board or an end that is not what the
moves lead to by the rules.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from random import Random
from typing import NamedTuple

from msgspec import Struct, field
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from tabiya.games.endings import BY_RULES, Ending
from tabiya.games.errors import GameError
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tabiya.protocol.codec import CodecError, Encoding, decode_server, encode
from tabiya.protocol.codes import RefusalCode
from tabiya.protocol.messages import (
    ClientMessage,
    DrawOffer,
    DrawOffered,
    Hello,
    MatchEnded,
    MatchStarted,
    Move,
    Notice,
    Refused,
    Resign,
    ServerMessage,
    Turn,
    Unseek,
    Watch,
    Watching,
    Welcome,
)

# Refusals of an honest bot: its message and the end of the match, or the move before a cut, have crossed.
CROSSED = frozenset({
    RefusalCode.MATCH_OVER, RefusalCode.ALREADY_PLAYED, RefusalCode.NO_DRAW_POSSIBLE, RefusalCode.UNKNOWN_MATCH,
    RefusalCode.NOT_SEEKING, RefusalCode.DRAW_ALREADY_OFFERED, RefusalCode.WRONG_PLY,
})  # fmt: skip
RESIGNS, OFFERS = 0.001, 0.005  # of the turns
COMES_BACK_S = 0.2
LEAVE_S = 10.0
MOST_WATCHED = 8
HURRY = 5  # times as fast when the run is over


class Board(NamedTuple):
    """A match as its moves have it, after `ply` of them."""

    ply: int
    position: Position


class Notes(Struct, kw_only=True):
    """What all bots of a run have seen. hurry: the run is over, the last matches are played faster.

    boards: of the running matches, shared by the two bots of each, who both hear of every move in turn.
    """

    faults: list[str] = field(default_factory=list)
    endings: Counter[str] = field(default_factory=Counter)
    ended_by_game: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    messages: Counter[str] = field(default_factory=Counter)
    latencies_ms: list[float] = field(default_factory=list)
    running: set[int] = field(default_factory=set)
    sent_at: dict[tuple[int, int], float] = field(default_factory=dict)  # (match, ply) -> when the move left
    boards: dict[int, Board] = field(default_factory=dict)
    ends: dict[int, tuple[str, int | None]] = field(default_factory=dict)  # ending and winner, as first received
    moves: int = 0
    cuts: int = 0
    hurry: bool = False
    most_faults: int = 100
    failed: asyncio.Event = field(default_factory=asyncio.Event)

    def fault(self, bot: str, what: str) -> None:
        """Note something that must not happen; too many end the run."""
        self.faults.append(f"{bot}: {what}")
        if len(self.faults) >= self.most_faults:
            self.failed.set()

    def begin(self, bot: str, started: MatchStarted) -> None:
        """The board of a new match, its opening played."""
        if started.match not in self.boards and started.match not in self.ends:
            self.boards[started.match] = Board(0, load_game(started.game).parse(started.position))
            for ply, move in enumerate(started.opening, 1):
                self._play(bot, started.match, ply, move)

    def show(self, bot: str, turn: Turn) -> None:
        """A turn must show the board that the moves so far lead to."""
        board = self._play(bot, turn.match, turn.ply, turn.last_move)
        if board is None or turn.ply < board.ply:
            return  # sent again to a bot that has come back, and overtaken by its opponent's turn
        should = board.ply, board.position.text(), board.position.legal_moves()
        if (turn.ply, turn.position, turn.legal_moves) != should:
            self.fault(bot, f"match {turn.match}, ply {turn.ply}: {turn.position} is not what was played")

    def end(self, bot: str, ended: MatchEnded) -> None:
        """Check an end: the same for both bots, and if by the rules, the outcome of the last position."""
        reported = ended.ending, ended.winner
        if (before := self.ends.setdefault(ended.match, reported)) != reported:
            self.fault(bot, f"match {ended.match} ended as {before} and as {reported}")
        board = self._play(bot, ended.match, ended.plies, ended.last_move)
        if board is None:
            return
        del self.boards[ended.match]
        outcome = board.position.outcome()
        by_the_rules = None if outcome is None else (outcome.ending, outcome.winner)
        if board.ply != ended.plies or (by_the_rules != reported if outcome is not None else ended.ending in BY_RULES):
            self.fault(
                bot, f"match {ended.match} ended after {ended.plies} plies as {reported}; the rules: {by_the_rules}"
            )

    def _play(self, bot: str, match: int, ply: int, move: str | None) -> Board | None:
        """The board after the next move, played if it is new; None if its match is unknown or over."""
        board = self.boards.get(match)
        if board is None or move is None or ply != board.ply + 1:
            return board
        try:
            board = self.boards[match] = Board(ply, board.position.play(move))
        except GameError as error:
            self.fault(bot, f"match {match}, ply {ply}: {error}")
        return board


class BotBehaviour(Struct, frozen=True, kw_only=True):
    """How one bot behaves. cuts_every_s: mean time between cuts of its line, 0 for never; these have a token."""

    name: str
    encoding: Encoding
    games: tuple[str, ...]
    max_matches: int
    think_s: float
    cuts_every_s: float = 0.0
    token: str = ""
    watches: bool = False


class RandomBot:
    """One bot: `await run(url)` until `Notes.hurry` and the end of its last match."""

    def __init__(self, behaviour: BotBehaviour, notes: Notes, draw: Random) -> None:
        self.behaviour, self.notes, self._draw = behaviour, notes, draw
        self._matches: dict[int, int] = {}  # running ones -> the ply of the last turn
        self._over: set[int] = set()
        self._thinking: dict[int, asyncio.TimerHandle] = {}
        self._socket: ClientConnection | None = None
        self._outbox: asyncio.Queue[ClientMessage] = asyncio.Queue()
        self._watched: set[int] = set()
        self._was_cut = self._may_leave = False
        self._done = asyncio.Event()

    async def run(self, url: str) -> None:
        """Play, coming back after each cut."""
        while not self._done.is_set():
            try:
                await self._connected(url)
            except (OSError, TimeoutError) as error:
                self.notes.fault(self.behaviour.name, f"cannot connect: {error!r}")
                return
            for timer in self._thinking.values():
                timer.cancel()
            self._thinking.clear()
            if not self._done.is_set():
                await asyncio.sleep(COMES_BACK_S * (1 + self._draw.random()))

    def stop_seeking(self) -> None:
        """The run is over: finish what is being played."""
        for game in self.behaviour.games:
            self._say(Unseek(game=game))

    def leave(self) -> None:
        """Leave as soon as no match runs."""
        self._may_leave = True
        self._look_done()

    async def _connected(self, url: str) -> None:
        behaviour = self.behaviour
        offered = [Subprotocol(behaviour.encoding.subprotocol)]
        async with connect(url, subprotocols=offered, compression=None, proxy=None, max_size=2**20) as socket:
            self._socket, self._outbox = socket, asyncio.Queue()
            seek = () if self.notes.hurry else behaviour.games
            self._say(Hello(name=behaviour.name, token=behaviour.token, max_matches=behaviour.max_matches, seek=seek))
            helpers = [asyncio.ensure_future(self._send(socket)), asyncio.ensure_future(self._misbehave(socket))]
            try:
                await self._listen(socket)
            finally:
                for task in helpers:
                    task.cancel()
                await asyncio.gather(*helpers, return_exceptions=True)

    async def _send(self, socket: ClientConnection) -> None:
        while True:
            message = await self._outbox.get()
            if isinstance(message, Move):
                self.notes.moves += 1
                self.notes.sent_at[message.match, message.ply] = time.perf_counter()
            await socket.send(encode(message, self.behaviour.encoding))

    async def _misbehave(self, socket: ClientConnection) -> None:
        """Cut the line after a while, or close it when all is done."""
        if self.behaviour.cuts_every_s and not self.notes.hurry:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._draw.expovariate(1 / self.behaviour.cuts_every_s)):
                    await self._done.wait()
            if not self._done.is_set():
                self.notes.cuts += 1
                self._cut()
                return
        await self._done.wait()
        await socket.close()

    def _cut(self) -> None:
        """End the connection without a close frame."""
        self._was_cut = True
        if self._socket is not None:
            self._socket.transport.abort()

    async def _listen(self, socket: ClientConnection) -> None:
        self._was_cut = False
        try:
            async for frame in socket:
                try:
                    message = decode_server(frame, self.behaviour.encoding)
                except CodecError as error:
                    self.notes.fault(self.behaviour.name, f"a frame that is no message: {error}")
                    continue
                self._hear(message)
        except ConnectionClosed as closed:
            if not self._was_cut:
                self._closed(closed)

    def _closed(self, closed: ConnectionClosed) -> None:
        """The other end has closed the line, or it broke."""
        self.notes.fault(self.behaviour.name, f"closed by the server: {closed}")
        self._done.set()

    # --- what the server says

    def _hear(self, message: ServerMessage) -> None:
        self.notes.messages[type(message).__name__] += 1
        match message:
            case Turn():
                self._turn(message)
            case MatchStarted():
                self._started(message)
            case MatchEnded():
                self._ended(message)
            case Welcome():
                self._welcome(message)
            case Refused():
                self.notes.refusals[message.code] += 1
                if message.about == "watch" and message.match is not None:
                    self._watched.discard(message.match)
                if message.code not in CROSSED:
                    self.notes.fault(self.behaviour.name, f"refused {message.code}: {message.message}")
            case DrawOffered() | Notice():
                pass  # the move that is being thought of declines; a notice may be ignored
            case Watching():
                if message.result:
                    self._watched.discard(message.match)
            case _:
                self.notes.fault(self.behaviour.name, f"nobody has asked for {message!r}")

    def _welcome(self, welcome: Welcome) -> None:
        """Matches that the server does not name any more have ended while the line was cut."""
        if welcome.name != self.behaviour.name:
            self.notes.fault(self.behaviour.name, f"is called {welcome.name}")
        still = {running.match for running in welcome.matches}
        for match in set(self._matches) - still:
            del self._matches[match]
            self._over.add(match)
        for match in still:
            self._matches.setdefault(match, -1)
        self._watched.clear()
        self._look_done()

    def _started(self, started: MatchStarted) -> None:
        self._matches[started.match] = -1
        self.notes.running.add(started.match)
        self.notes.begin(self.behaviour.name, started)
        if self.behaviour.watches and len(self._watched) < MOST_WATCHED:
            others = sorted(self.notes.running - set(self._matches))
            if others:
                self._watched.add(chosen := self._draw.choice(others))
                self._say(Watch(match=chosen))

    def _turn(self, turn: Turn) -> None:
        name = self.behaviour.name
        if turn.match in self._over:
            self.notes.fault(name, f"a turn of match {turn.match}, which has ended")
        before = self._matches.get(turn.match, -1)
        if turn.ply < before:
            self.notes.fault(name, f"ply {turn.ply} of match {turn.match} after ply {before}")
        self._matches[turn.match] = turn.ply
        self.notes.show(name, turn)
        sent = self.notes.sent_at.pop((turn.match, turn.ply - 1), None)
        if sent is not None:
            self.notes.latencies_ms.append(1e3 * (time.perf_counter() - sent))
        if not turn.legal_moves:
            self.notes.fault(name, f"a turn of match {turn.match} without a legal move")
            return
        self._answer_later(turn, self._draw.choice(turn.legal_moves))

    def _answer_later(self, turn: Turn, move: str) -> None:
        think_s = self._draw.expovariate(1 / self.behaviour.think_s) / (HURRY if self.notes.hurry else 1)
        think_s = min(think_s, turn.move_limit_ms / 4_000)
        chance = self._draw.random()
        if chance < OFFERS:
            self._say(DrawOffer(match=turn.match, ply=turn.ply))
        answer: ClientMessage = Move(match=turn.match, ply=turn.ply, move=move)
        if OFFERS < chance < OFFERS + RESIGNS:
            answer = Resign(match=turn.match)
        if (earlier := self._thinking.pop(turn.match, None)) is not None:
            earlier.cancel()
        self._thinking[turn.match] = asyncio.get_running_loop().call_later(think_s, self._say, answer)

    def _ended(self, ended: MatchEnded) -> None:
        if ended.ending not in set(Ending) or not (ended.reason or ended.ending in BY_RULES):
            self.notes.fault(self.behaviour.name, f"match {ended.match} ended by {ended.ending!r}, {ended.reason!r}")
        if ended.match in self._over:
            self.notes.fault(self.behaviour.name, f"match {ended.match} ended twice")
        self._over.add(ended.match)
        self._matches.pop(ended.match, None)
        self.notes.end(self.behaviour.name, ended)
        self.notes.sent_at.pop((ended.match, ended.plies - 1), None)
        if (timer := self._thinking.pop(ended.match, None)) is not None:
            timer.cancel()
        self.notes.running.discard(ended.match)
        if ended.seat == 0:
            self.notes.endings[ended.ending] += 1
            self.notes.ended_by_game[ended.game] += 1
        self._look_done()

    def _look_done(self) -> None:
        if self._may_leave and not self._matches:
            self._done.set()

    def _say(self, message: ClientMessage) -> None:
        self._outbox.put_nowait(message)


@contextlib.asynccontextmanager
async def playing(bots: Iterable[RandomBot], url: str) -> AsyncIterator[None]:
    """The bots play meanwhile; afterwards each goes when its last match has ended, or after LEAVE_S."""
    tasks = {bot: asyncio.ensure_future(bot.run(url)) for bot in bots}
    try:
        yield
        for bot in tasks:
            bot.leave()
        await asyncio.wait(tasks.values(), timeout=LEAVE_S)
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
