"""What scenarios work with: the bot, started and seated, and questions put to it."""

from __future__ import annotations

import asyncio
from random import Random
from zlib import crc32

from tabiya.check.board import USUAL, Board, Timing
from tabiya.check.bot_connection import Ask, Contact
from tabiya.check.launcher import Launcher
from tabiya.check.outcomes import Fault, LineEnded
from tabiya.check.scripted_server import Door
from tabiya.check.transcript import Transcript
from tabiya.games.contract import Game
from tabiya.games.errors import GameError
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names
from tabiya.protocol.encodings import PROTOCOL_VERSION, SUBPROTOCOLS
from tabiya.protocol.limits import DEFAULT_LIMITS
from tabiya.protocol.messages import ConnectionLimits, DrawOffer, Hello, Move, Turn, Welcome

WHERE = "It must connect to the address given: its last argument, {url} in the command, or TABIYA_SERVER."
START_S = 60.0  # to connect, a program that compiles itself first included
HELLO_S = DEFAULT_LIMITS.hello_timeout_s
QUIET_S = 0.4  # how long is listened for what should not come
GRACE_S = 0.25  # a busy machine's share of a time limit
BACK_S = 8.0  # to come back in
LOOK_S = 0.02
FIRST_MATCH = 101
EARLY_PLIES = 2
LIMITS = ConnectionLimits(
    frame_bytes=DEFAULT_LIMITS.frame_bytes,
    messages_per_second=DEFAULT_LIMITS.messages_per_second,
    message_burst=DEFAULT_LIMITS.message_burst,
    matches=DEFAULT_LIMITS.matches_per_bot,
    watches=DEFAULT_LIMITS.watches_per_connection,
    seeks=DEFAULT_LIMITS.seeks_per_bot,
)


class Trial:
    """One bot under check.

    games: those it is asked to play, once known.  trouble: those of them in which it has failed a turn.  leaves: it may
    go when a match is over.  stays_away: it is known not to come back by itself.
    """

    def __init__(self, launcher: Launcher, door: Door, transcript: Transcript, games: tuple[str, ...] = ()) -> None:
        """games: asked for, whatever the bot says of itself; empty: those it claims."""
        self.launcher, self.door, self.transcript = launcher, door, transcript
        self.asked_for = games
        self.games: tuple[str, ...] = ()
        self.trouble: set[str] = set()
        self.contact: Contact | None = None
        self.leaves = self.stays_away = False
        self.name = ""
        self.noted: list[tuple[str, Fault]] = []
        self._numbers = FIRST_MATCH
        self._boards: list[Board] = []

    # --- the bot comes and goes ---

    async def launch(self) -> Contact:
        """Start the program anew and wait until it has connected; nothing is said yet. Raises Fault."""
        await self.drop()
        await self.launcher.start(self.door.url)
        contact = await self.arrival(START_S)
        if contact is not None:
            return contact
        raise self._nobody_came()

    def _nobody_came(self) -> Fault:
        if self.door.turned_away:
            return Fault(
                f"It offers the subprotocols {self.door.turned_away[-1]}, none of which is ours.",
                f"Offer {' or '.join(SUBPROTOCOLS)}, or none for JSON.",
            )
        ended = self.launcher.ended()
        if ended is not None:
            cure = f"See what it printed. {WHERE}"
            return Fault(f"It ended before it had connected ({ended}).", cure)
        return Fault(
            f"It did not connect within {START_S:g} seconds.",
            WHERE,
        )

    async def arrival(self, within_s: float) -> Contact | None:
        """The next connection of the bot, if one comes in time; soon None when its program has ended."""
        loop = asyncio.get_running_loop()
        until = loop.time() + within_s
        while self.door.arrivals.empty() and loop.time() < until:
            if self.launcher.ended() is not None:
                await asyncio.sleep(LOOK_S)
                break
            await asyncio.sleep(LOOK_S)
        if self.door.arrivals.empty():
            return None
        if self.contact is not None:
            await self.contact.forget()
        self.transcript.add("note", "the bot connects")
        self.contact = Contact(self.door.arrivals.get_nowait(), self.transcript, self._note)
        return self.contact

    async def drop(self) -> None:
        """End the program; the next scenario starts it anew."""
        await self.launcher.stop()
        if self.contact is not None:
            self.contact.cut()
            await self.contact.forget()
            self.contact = None
        self._boards.clear()
        while not self.door.arrivals.empty():
            self.door.arrivals.get_nowait().cut()

    async def hello(self, contact: Contact) -> Hello:
        """The bot's hello. Raises Fault."""
        try:
            return await asyncio.wait_for(asyncio.shield(contact.hello), HELLO_S)
        except TimeoutError:
            raise Fault(
                f"No hello came within {HELLO_S:g} seconds.", "Send hello at once after the handshake."
            ) from None
        except LineEnded as end:
            raise self.gone(end) from None

    async def welcome(
        self, contact: Contact, running: tuple[Board, ...] = (), *, again: bool = False
    ) -> dict[int, Ask]:
        """Answer the bot's hello, and send the turns of its matches that wait for it; these by number of the match.

        running: matches it is told to have; any other has ended.  again: it has been connected before and may repeat
        moves that it had sent then.
        """
        hello = await self.hello(contact)
        self.name, contact.welcomed = hello.name, True
        self._boards = list(running)
        asks: dict[int, Ask] = {}
        for board in running:
            contact.begins(board.number, board.position.ply if again else 0)
            if board.waits_for_bot:
                asks[board.number] = contact.expect(self.turn(board))
        await contact.tell(
            Welcome(
                name=hello.name,
                server="tabiya check",
                protocol=PROTOCOL_VERSION,
                session="c1",
                authenticated=bool(hello.token),
                games=names(),
                matches=tuple(board.running() for board in running),
                limits=LIMITS,
            ),
            *(ask.turn for ask in asks.values()),
        )
        return asks

    async def fresh(self) -> Contact:
        """The bot, started anew and welcomed. Raises Fault."""
        contact = await self.launch()
        await self.welcome(contact)
        return contact

    async def connected(self) -> Contact:
        """The bot, welcomed; started if need be. Raises Fault."""
        if self.contact is None or self.contact.ended.done() or not self.contact.welcomed:
            return await self.fresh()
        return self.contact

    async def back(self, running: tuple[Board, ...] = (), within_s: float = BACK_S) -> dict[int, Ask] | None:
        """Welcome the bot as it comes back by itself, as `welcome` does; None if it does not come. Raises Fault."""
        contact = await self.arrival(within_s)
        if contact is None:
            return None
        name = self.name
        hello = await self.hello(contact)
        if hello.name != name:
            raise Fault(
                f"It came back as {hello.name!r}; it had been welcomed as {name!r}.",
                "Say hello with the same name and token after a reconnection.",
            )
        return await self.welcome(contact, running, again=True)

    def gone(self, end: LineEnded) -> Fault:
        """The fault of a bot that is no longer there."""
        ended = self.launcher.ended()
        how = f"its program ended ({ended})" if ended is not None else f"the connection ended with {end}"
        return Fault(f"It was gone: {how}.", "See what it printed; a message it does not expect must not end it.")

    # --- matches ---

    def game(self, index: int = 0) -> Game:
        """One of the games that it plays, and plays well if there is one: so that a fault counts once."""
        good = [name for name in self.games if name not in self.trouble] or self.games
        return load_game(good[index % len(good)])

    def board(self, position: Position, *, seat: int | None = None, timing: Timing = USUAL) -> Board:
        """A match from here.  seat: the bot's; who is to move if not given."""
        self._numbers += 1
        at = position.to_move if seat is None else seat
        return Board(self._numbers, position, at, bot=self.name or "bot", timing=timing)

    def early_board(self, game: Game, timing: Timing = USUAL) -> Board:
        """A match just out of its opening, the bot to move."""
        return self.board(walk(game, EARLY_PLIES), timing=timing)

    async def begin(self, board: Board) -> Contact:
        """Tell the bot that a match has begun."""
        contact = await self.connected()
        self._boards.append(board)
        contact.begins(board.number)
        await contact.tell(board.started())
        return contact

    def turn(self, board: Board) -> Turn:
        """The bot's turn, with the list unless it has declined that."""
        contact = self.contact
        wanted = contact is None or not contact.hello.done() or contact.hello.result().legal_moves
        return board.turn(legal_moves=wanted)

    async def ask(self, board: Board) -> str:
        """Send the bot its turn, await and play its move. Raises Fault, Blocked."""
        contact = await self.connected()
        return await self.move(board, await contact.ask(self.turn(board)))

    async def move(self, board: Board, ask: Ask) -> str:
        """The bot's answer to a turn, played. Raises Fault, Blocked."""
        answer = await self.answer(ask)
        if not isinstance(answer, Move):
            raise Fault("It accepted a draw that nobody offered.", "Send draw_offer only where draw_offered is true.")
        try:
            board.position = board.position.play(answer.move)
        except GameError as error:
            raise Fault(f"Its move is refused: {error}.", "Send one of legal_moves, letter for letter.") from None
        return answer.move

    async def answer(self, ask: Ask) -> Move | DrawOffer:
        """The answer to a turn, in time. Raises Fault, Blocked."""
        limit_s = ask.turn.move_limit_ms / 1000
        try:
            return await asyncio.wait_for(asyncio.shield(ask.answer), limit_s + GRACE_S)
        except TimeoutError:
            raise Fault(
                f"No answer came within {limit_s:g} s to the turn of match {ask.turn.match}, ply {ask.turn.ply}.",
                "Answer every turn with a move, well before move_limit_ms.",
            ) from None
        except LineEnded as end:
            raise self.gone(end) from None

    def reply(self, board: Board) -> None:
        """The opponent's move."""
        board.position = board.position.play(chance(board).choice(board.position.legal_moves()))

    async def finish(self, board: Board) -> None:
        """End a match as it stands; while the game goes on the opponent resigns."""
        await self.end(board, aborted=False)

    async def end(self, board: Board, *, aborted: bool) -> None:
        """End a match, if the bot is there to be told."""
        if board in self._boards:
            self._boards.remove(board)
        if self.contact is not None:
            self.contact.match_over(board.number)
            await self.contact.tell(board.aborted() if aborted else board.ended())
            if self.leaves:
                await self.quiet()

    async def tidy(self) -> None:
        """End what a scenario has left running."""
        for board in list(self._boards):
            await self.end(board, aborted=True)

    async def quiet(self, seconds: float = QUIET_S) -> None:
        """Listen for what should not come."""
        await asyncio.sleep(seconds)

    def _note(self, rule: str, fault: Fault) -> None:
        self.noted.append((rule, fault))


def chance(board: Board) -> Random:
    """The same for the same position, in every run."""
    return Random(crc32(board.position.text().encode()))


def walk(game: Game, plies: int, seed: int = 1) -> Position:
    """A position `plies` random moves from the start in which the game goes on; fewer where it would end."""
    draw = Random(seed)
    at = game.start()
    for _ in range(plies):
        after = at.play(draw.choice(at.legal_moves()))
        if after.outcome() is not None:
            break
        at = after
    return at
