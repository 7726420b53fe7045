"""The test harness of the scenarios: starts the bot, welcomes it, begins matches and asks it for moves."""

from __future__ import annotations

import asyncio
from random import Random
from zlib import crc32

from tabiya.check.bot_connection import BotConnection, PendingTurn
from tabiya.check.launcher import Launcher
from tabiya.check.outcomes import ConnectionEnded, RuleBroken
from tabiya.check.scripted_match import DEFAULT_TIMING, ScriptedMatch, Timing
from tabiya.check.scripted_server import ScriptedServer
from tabiya.check.transcript import Transcript
from tabiya.games.contract import Game
from tabiya.games.errors import GameError
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names
from tabiya.protocol.encodings import PROTOCOL_VERSION, SUBPROTOCOLS
from tabiya.protocol.limits import DEFAULT_LIMITS
from tabiya.protocol.messages import DrawOffer, Hello, Move, Turn, Welcome

WHERE = "It must connect to the address given: its last argument, {url} in the command, or TABIYA_SERVER."
START_S = 60.0  # to connect, a program that compiles itself first included
HELLO_S = DEFAULT_LIMITS.hello_timeout_s
QUIET_S = 0.4  # how long is listened for what should not come
GRACE_S = 0.25  # a busy machine's share of a time limit
RECONNECT_S = 8.0  # to come back in
POLL_S = 0.02
FIRST_MATCH = 101
EARLY_PLIES = 2
LIMITS = DEFAULT_LIMITS.for_bot()


class Harness:
    """One bot under check.

    games: those it is asked to play, once known.  failed_games: those in which it has failed a turn.
    may_leave: whether it may go when a match is over.  never_reconnects: it did not come back when it was cut off.
    """

    def __init__(
        self, launcher: Launcher, server: ScriptedServer, transcript: Transcript, games: tuple[str, ...] = ()
    ) -> None:
        """games: to play, whatever hello says; empty: those that hello names."""
        self.launcher, self.server, self.transcript = launcher, server, transcript
        self.requested_games = games
        self.games: tuple[str, ...] = ()
        self.failed_games: set[str] = set()
        self.bot: BotConnection | None = None
        self.may_leave = self.never_reconnects = False
        self.name = ""
        self.noted_failures: list[tuple[str, RuleBroken]] = []
        self._numbers = FIRST_MATCH
        self._matches: list[ScriptedMatch] = []

    # --- the bot's program and connection ---

    async def launch(self) -> BotConnection:
        """Restart the program and wait until it has connected; nothing is sent yet. Raises RuleBroken."""
        await self.stop_bot()
        await self.launcher.start(self.server.url)
        bot = await self.next_connection(START_S)
        if bot is not None:
            return bot
        raise self._no_connection()

    def _no_connection(self) -> RuleBroken:
        if self.server.rejected_subprotocols:
            return RuleBroken(
                f"It offers the subprotocols {self.server.rejected_subprotocols[-1]}, none of which is ours.",
                f"Offer {' or '.join(SUBPROTOCOLS)}, or none for JSON.",
            )
        ended = self.launcher.ended()
        if ended is not None:
            cause, cure = f"It ended before it had connected ({ended}).", f"See what it printed. {WHERE}"
            if not any(line.strip() for line in self.launcher.output()):
                what = "does a line outside of functions end it, such as exit or os._exit?"
                cause, cure = f"It ended before it had connected ({ended}) and printed nothing: {what}", WHERE
            return RuleBroken(cause, cure)
        return RuleBroken(f"It did not connect within {START_S:g} seconds.", WHERE)

    async def next_connection(self, within_s: float) -> BotConnection | None:
        """The next connection of the bot, if one comes in time; soon None when its program has ended."""
        loop = asyncio.get_running_loop()
        until = loop.time() + within_s
        while self.server.connections.empty() and loop.time() < until:
            if self.launcher.ended() is not None:
                await asyncio.sleep(POLL_S)  # it may have connected just before; the server notices that later
                break
            await asyncio.sleep(POLL_S)
        if self.server.connections.empty():
            return None
        if self.bot is not None:
            await self.bot.stop_reading()
        self.transcript.add("note", "the bot connects")
        self.bot = BotConnection(self.server.connections.get_nowait(), self.transcript, self._note)
        return self.bot

    async def stop_bot(self) -> None:
        """End the program; the next scenario starts it again."""
        await self.launcher.stop()
        if self.bot is not None:
            self.bot.cut()
            await self.bot.stop_reading()
            self.bot = None
        self._matches.clear()
        while not self.server.connections.empty():  # of the program that has ended: the next one is not to get them
            self.server.connections.get_nowait().cut()

    async def hello(self, bot: BotConnection) -> Hello:
        """The bot's hello. Raises RuleBroken."""
        try:
            # shield: asked for again later, and a timeout would cancel it for all
            return await asyncio.wait_for(asyncio.shield(bot.hello), HELLO_S)
        except TimeoutError:
            raise RuleBroken(
                f"No hello came within {HELLO_S:g} seconds.", "Send hello at once after the handshake."
            ) from None
        except ConnectionEnded as end:
            raise self.gone_failure(end) from None

    async def welcome(
        self, bot: BotConnection, running: tuple[ScriptedMatch, ...] = (), *, again: bool = False
    ) -> dict[int, PendingTurn]:
        """Answer the bot's hello, and send the turns of its matches that wait for it; these by number of the match.

        running: matches that welcome lists; any other has ended.  again: it has been connected before and may repeat
        moves that it had sent then.
        """
        hello = await self.hello(bot)
        self.name, bot.welcomed = hello.name, True
        self._matches = list(running)
        turns: dict[int, PendingTurn] = {}
        for match in running:
            bot.match_begins(match.number, match.position.ply if again else 0)
            if match.is_bots_turn:
                # expected before it is sent: the answer may come at once
                turns[match.number] = bot.expect_answer(self.turn(match))
        await bot.send(
            Welcome(
                name=hello.name,
                server="tabiya check",
                protocol=PROTOCOL_VERSION,
                session="c1",
                authenticated=bool(hello.token),
                games=names(),
                matches=tuple(match.running() for match in running),
                limits=LIMITS,
            ),
            *(pending.turn for pending in turns.values()),
        )
        return turns

    async def restarted(self) -> BotConnection:
        """The bot, restarted and welcomed. Raises RuleBroken."""
        bot = await self.launch()
        await self.welcome(bot)
        return bot

    async def connected(self) -> BotConnection:
        """The bot, welcomed; started if need be. Raises RuleBroken."""
        if self.bot is None or self.bot.ended.done() or not self.bot.welcomed:
            return await self.restarted()
        return self.bot

    async def next_reconnection(self, running: tuple[ScriptedMatch, ...]) -> dict[int, PendingTurn] | None:
        """Wait until the bot reconnects by itself and welcome it; None if it does not. Raises RuleBroken."""
        bot = await self.next_connection(RECONNECT_S)
        if bot is None:
            return None
        name = self.name
        hello = await self.hello(bot)
        if hello.name != name:
            raise RuleBroken(
                f"It reconnected as {hello.name!r}; its name was {name!r}.",
                "Say hello with the same name and token after a reconnection.",
            )
        return await self.welcome(bot, running, again=True)

    def gone_failure(self, end: ConnectionEnded) -> RuleBroken:
        """The failure of a bot whose connection or program has ended."""
        ended = self.launcher.ended()
        how = f"its program ended ({ended})" if ended is not None else f"the connection ended with {end}"
        return RuleBroken(f"It was gone: {how}.", "See what it printed; a message it does not expect must not end it.")

    # --- matches ---

    def game(self, index: int = 0) -> Game:
        """One of its games, if possible one without a failed turn, so that one error counts once."""
        good = [name for name in self.games if name not in self.failed_games] or self.games
        return load_game(good[index % len(good)])

    def new_match(
        self, position: Position, *, seat: int | None = None, timing: Timing = DEFAULT_TIMING
    ) -> ScriptedMatch:
        """A match from this position.  seat: the bot's; the side to move if not given."""
        self._numbers += 1
        at = position.to_move if seat is None else seat
        return ScriptedMatch(self._numbers, position, at, bot=self.name or "bot", timing=timing)

    def early_match(self, game: Game, timing: Timing = DEFAULT_TIMING) -> ScriptedMatch:
        """A match just out of its opening, the bot to move."""
        return self.new_match(walk(game, EARLY_PLIES), timing=timing)

    async def begin(self, match: ScriptedMatch) -> BotConnection:
        """Tell the bot that a match has begun."""
        bot = await self.connected()
        self._matches.append(match)
        bot.match_begins(match.number)
        await bot.send(match.started())
        return bot

    def turn(self, match: ScriptedMatch) -> Turn:
        """The bot's turn, with legal_moves unless its hello declined them."""
        bot = self.bot
        wanted = bot is None or not bot.hello.done() or bot.hello.result().legal_moves
        return match.turn(legal_moves=wanted)

    async def ask_for_move(self, match: ScriptedMatch) -> str:
        """Send the bot its turn, await and play its move. Raises RuleBroken, BlockedByOtherFailure."""
        bot = await self.connected()
        return await self.move(match, await bot.send_turn(self.turn(match)))

    async def play_one_turn(self, match: ScriptedMatch) -> None:
        """Begin a match, have the bot answer its turn, end the match. Raises RuleBroken, BlockedByOtherFailure."""
        await self.begin(match)
        await self.ask_for_move(match)
        await self.finish(match)

    async def move(self, match: ScriptedMatch, pending: PendingTurn) -> str:
        """The bot's answer to a turn, played. Raises RuleBroken, BlockedByOtherFailure."""
        answer = await self.answer(pending)
        if not isinstance(answer, Move):
            raise RuleBroken(
                "It accepted a draw that nobody offered.", "Send draw_offer only where draw_offered is true."
            )
        try:
            match.position = match.position.play(answer.move)
        except GameError as error:
            raise RuleBroken(f"Its move is refused: {error}.", "Send one of legal_moves, letter for letter.") from None
        return answer.move

    async def answer(self, pending: PendingTurn) -> Move | DrawOffer:
        """The answer to a turn, in time. Raises RuleBroken, BlockedByOtherFailure."""
        turn = pending.turn
        limit_s = turn.move_limit_ms / 1000
        try:
            return await asyncio.wait_for(asyncio.shield(pending.answer), limit_s + GRACE_S)
        except TimeoutError:
            raise RuleBroken(
                f"No answer came within {limit_s:g} s to the turn of match {turn.match}, ply {turn.ply}.",
                "Answer every turn with a move, well before move_limit_ms.",
            ) from None
        except ConnectionEnded as end:
            raise self.gone_failure(end) from None

    def opponent_moves(self, match: ScriptedMatch) -> None:
        """Play at random for the opponent while it is to move, the same in every run."""
        while match.position.outcome() is None and match.position.to_move != match.seat:
            match.position = match.position.play(chance(match).choice(match.position.legal_moves()))

    async def finish(self, match: ScriptedMatch) -> None:
        """End a match now: if the game is not over, the opponent resigns."""
        await self.end(match, aborted=False)

    async def end(self, match: ScriptedMatch, *, aborted: bool) -> None:
        """End a match and tell the bot, if it is connected."""
        if match in self._matches:
            self._matches.remove(match)
        if self.bot is not None:
            self.bot.match_over(match.number)
            await self.bot.send(match.aborted() if aborted else match.ended())
            if self.may_leave:
                await self.listen()  # time to see whether it goes

    async def end_all_matches(self) -> None:
        """End the matches that a scenario has left running."""
        for match in list(self._matches):
            await self.end(match, aborted=True)

    async def listen(self, seconds: float = QUIET_S) -> None:
        """Wait for messages that should not come; the connection reports them."""
        await asyncio.sleep(seconds)

    def _note(self, rule: str, fault: RuleBroken) -> None:
        self.noted_failures.append((rule, fault))


def chance(match: ScriptedMatch) -> Random:
    """Random numbers seeded by the position: the same in every run."""
    return Random(crc32(match.position.text().encode()))


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
