"""One game as a client of Lichess's API sees it. Knows no socket; the clock is an argument."""

from __future__ import annotations

from tabiya.lichess.feed import Feed
from tabiya.lichess.forms import COLOURS, Json, initial_fen, perf, speed, status, status_of, variant
from tabiya.protocol.messages import MatchEnded, MatchStarted, Turn, Watching
from tabiya.protocol.time_control import parse

STARTED = "started"


class Game:
    """The state of a match. id: the client's name for it, empty until it is sent.

    players: of the seats, as `forms.user` makes them.  seat: of the client's bot.
    """

    def __init__(self, begun: MatchStarted, players: tuple[Json, Json], created_ms: int) -> None:
        self.match, self.game, self.seat, self.rated = begun.match, begun.game, begun.seat, begun.rated
        self.id = ""
        self.moves: list[str] = list(begun.opening)
        self.last: Json | None = None
        """The last state, once it has ended."""
        self._start, self._position, self._players = begun.position, begun.position, players
        self._control, self._created_ms = parse(begun.time_control), created_ms
        self._clocks_ms = [self._control.base_ms, self._control.base_ms]
        self._since_ms = created_ms  # since when the clock of the player to move runs
        self._draws: set[int] = set()  # seats that have offered a draw
        self.feeds: set[Feed] = set()

    @property
    def opponent(self) -> str:
        """Name of the other bot."""
        return str(self._players[1 - self.seat]["name"])

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.last is not None

    # --- what happens

    def turn(self, message: Turn, now_ms: int) -> bool:
        """Handle the bot's turn. Returns False if earlier moves are missing."""
        missing = message.ply - len(self.moves)
        if missing < 0:  # the bot's last move was not taken
            del self.moves[message.ply :]
        elif missing == 1 and message.last_move:
            self.moves.append(message.last_move)
        elif missing:
            return False
        self._position, self._since_ms = message.position, now_ms
        self._draws = {1 - self.seat} if message.draw_offered else set()
        clocks = message.clock_ms
        self._clocks_ms[self.seat] = clocks.you if clocks else message.move_limit_ms
        self._clocks_ms[1 - self.seat] = clocks.opponent if clocks else message.move_limit_ms
        self._tell()
        return True

    def played(self, move: str, now_ms: int, *, offers_draw: bool) -> None:
        """The bot has moved. Until the server sends its clock, the clock shown is the one measured here."""
        left_ms = self._clocks_ms[self.seat] - (now_ms - self._since_ms) + self._control.increment_ms
        self._clocks_ms[self.seat], self._since_ms = max(left_ms, 0), now_ms
        self.moves.append(move)
        self._draws = {self.seat} if offers_draw else set()
        self._tell()

    def draw_offered(self) -> None:
        """The opponent offers a draw while the bot thinks."""
        self._draws.add(1 - self.seat)
        self._tell()

    def seen(self, message: Watching) -> None:
        """The whole state of a match that was joined or lost sight of."""
        self.moves, self._position = list(message.moves), message.position
        if message.clock_ms:
            self._clocks_ms = list(message.clock_ms)
        self._tell()

    def ended(self, message: MatchEnded) -> None:
        """The match has ended."""
        if message.plies == len(self.moves) + 1 and message.last_move:
            self.moves.append(message.last_move)
        del self.moves[message.plies :]
        self._position = message.position
        if message.clock_ms:
            self._clocks_ms = list(message.clock_ms)
        self.end(status_of(message.ending, message.winner), message.winner)

    def end(self, how: str, winner: int | None) -> None:
        """The end of the game, in Lichess's format."""
        self._draws.clear()
        self.last = self.state() | {"status": how} | ({} if winner is None else {"winner": COLOURS[winner]})
        self._tell()
        for feed in self.feeds:
            feed.end()

    # --- what is told

    def follow(self) -> Feed:
        """The whole game and every state from now on. Given back by `leave`."""
        feed = Feed()
        feed.put(self.full())
        if self.is_over:
            feed.end()
        else:
            self.feeds.add(feed)
        return feed

    def leave(self, feed: Feed) -> None:
        """Remove a reader."""
        self.feeds.discard(feed)

    def state(self) -> Json:
        """A `gameState`."""
        if self.last is not None:
            return self.last
        increment_ms = self._control.increment_ms
        return {
            "type": "gameState",
            "moves": " ".join(self.moves),
            "wtime": self._clocks_ms[0],
            "btime": self._clocks_ms[1],
            "winc": increment_ms,
            "binc": increment_ms,
            "status": STARTED,
            **{f"{COLOURS[seat][0]}draw": True for seat in self._draws},
        }

    def full(self) -> Json:
        """A `gameFull`."""
        return {
            "type": "gameFull",
            "id": self.id,
            "variant": variant(self.game, self._start),
            "speed": speed(self._control),
            "perf": {"name": self._perf.title()},
            "rated": self.rated,
            "createdAt": self._created_ms,
            "white": self._players[0],
            "black": self._players[1],
            "initialFen": initial_fen(self.game, self._start),
            "clock": {"initial": self._control.base_ms, "increment": self._control.increment_ms},
            "state": self.state(),
        }

    def summary(self) -> Json:
        """The game as in events and in the list of running games."""
        opponent = self._players[1 - self.seat]
        to_move = COLOURS.index("black" if self._position.split()[1] == "b" else "white")
        return {
            "id": self.id,
            "gameId": self.id,
            "fullId": self.id,
            "color": COLOURS[self.seat],
            "fen": self._position,
            "hasMoved": len(self.moves) > 1,
            "isMyTurn": to_move == self.seat and not self.is_over,
            "lastMove": self.moves[-1] if self.moves else "",
            "opponent": {"id": opponent["id"], "username": opponent["name"], "rating": opponent["rating"]},
            "perf": self._perf,
            "rated": self.rated,
            "secondsLeft": self._clocks_ms[self.seat] // 1_000,
            "source": "friend",
            "speed": speed(self._control),
            "status": status(str(self.state()["status"])),
            "variant": variant(self.game, self._start),
            "compat": {"bot": True, "board": True},
        } | ({"winner": self.last["winner"]} if self.last and "winner" in self.last else {})

    @property
    def _perf(self) -> str:
        return perf(self.game, self._control)

    def _tell(self) -> None:
        for feed in self.feeds:
            feed.put(self.state())
