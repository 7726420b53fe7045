"""`PoolBot`: a bot whose thinking is done by worker processes."""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec.structs import replace

from tabiya.bots.client.bot import Bot
from tabiya.bots.client.choice import Choice
from tabiya.bots.client.turn import Turn
from tabiya.bots.players.api import MatchInfo, MoveReply, MoveRequest, info_of, request_of, shortened
from tabiya.bots.pool.overhead import Overhead
from tabiya.bots.pool.pool import WorkerPool
from tabiya.bots.pool.time_limits import MoveTimeLimits, move_time_limits
from tabiya.protocol.messages import MatchEnded, MatchStarted

LONGEST_NAME = 40


def say(text: str) -> None:
    """To the person who runs the bot."""
    sys.stderr.write(f"tabiya: {text}\n")


class PoolBot(Bot):
    """A player of the PLAYER grammar as a bot: `PoolBot("pvs:6", workers=2, games=("…",))`.

    player: as in `tabiya bot PLAYER`.  name: as the server shall show it; made of the player's text if empty.
    games: those it is to play; all that it can play if empty.  workers, threads, factory, path: as in `WorkerPool`.
    seed: of all chance; the same seed in the same matches plays the same moves, if the player's own time does not
    decide.  report: is told what goes wrong with workers.  Raises PlayerError for what is no player.
    """

    needs_rules = False  # the workers have them

    def __init__(
        self,
        player: str,
        *,
        name: str = "",
        version: str = "",
        games: tuple[str, ...] = (),
        workers: int = 1,
        threads: int = 1,
        seed: int = 0,
        report: Callable[[str], None] = say,
        **pool: Any,
    ) -> None:
        self.name, self.version, self.games = (
            name or name_from_player(player),
            version,
            games or _games_of(player, pool),
        )
        self._seed = seed
        self._make_pool = partial(WorkerPool, player, workers=workers, threads=threads, report=report, **pool)
        self._pool: WorkerPool | None = None
        self._matches: dict[int, MatchInfo] = {}
        self._overhead = Overhead()

    @property
    def pool(self) -> WorkerPool:
        """The workers, between `prepare` and `close`."""
        assert self._pool is not None, "the workers are started by prepare()"
        return self._pool

    async def prepare(self, games: tuple[str, ...]) -> None:
        """Start the workers and warm them up.  Raises WorkerError."""
        pool = self._make_pool(games=games)
        await pool.start()
        self._pool = pool

    async def close(self) -> None:
        """End the workers."""
        if self._pool is not None:
            pool, self._pool = self._pool, None
            await pool.close()

    async def match_started(self, match: MatchStarted) -> None:
        """Keep what turns do not contain."""
        options: dict[str, str | int | bool] = dict(match.options)
        self._matches[match.match] = self._match(match.match, match.game, match.seat, options)

    async def match_ended(self, match: MatchEnded) -> None:
        """Release the player for another match."""
        self._matches.pop(match.match, None)
        self._overhead.forget(match.match)
        await self.pool.forget(match.match)

    async def choose(self, turn: Turn) -> Choice:
        """What the player answers, as `WorkerPool.think` has it. Raises PlayerFailed."""
        # of a match that ran before this process there was no match_started, and a turn does not say its options
        match = self._matches.get(turn.match) or self._match(turn.match, turn.game, turn.seat, {})
        self._overhead.charged(turn.match, turn.ply, turn.last_move_account)
        limits = time_limits_of(turn)
        reply = await self.pool.think(match, request_now(turn, match, limits, self._overhead.seconds), limits)
        self._overhead.replied(turn.match, turn.ply, reply.time_ms)
        return choice_of(reply, turn)

    def _match(self, match: int, game: str, seat: int, options: dict[str, str | int | bool]) -> MatchInfo:
        return MatchInfo(match=match, game=game, seat=seat, options=options, seed=mixed_seed(self._seed, match))


def _games_of(player: str, pool: dict[str, Any]) -> tuple[str, ...]:
    """What the player plays; empty, any game, where only a factory of the caller's own knows it."""
    if "factory" in pool:
        return ()
    from tabiya.bots.players.build import player_games

    return player_games(player)


def name_from_player(player: str) -> str:
    """The text of a player as a valid bot name: without forbidden characters, and not too long."""
    return re.sub(r"^[\W_]+", "", re.sub(r"[^\w.:+@()/-]+", "-", player)).strip("-")[:LONGEST_NAME]


def mixed_seed(*numbers: int) -> int:
    """A seed made of several numbers: the same on every machine and in every run, unlike hash()."""
    return zlib.crc32(" ".join(map(str, numbers)).encode())


def time_limits_of(turn: Turn) -> MoveTimeLimits:
    """The bounds for this move, from now."""
    account = turn.last_move_account
    network_s = 0.0 if account is None else account.network_ms / 1000
    return move_time_limits(turn.time_left, turn.time_control, network_s)


def request_now(turn: Turn, match: MatchInfo, limits: MoveTimeLimits, overhead_s: float = 0.0) -> MoveRequest:
    """The turn as a request to a player, with the present clocks.  overhead_s: of a move besides thinking."""
    spent_s = turn.move_limit_ms / 1000 - max(0.0, turn.time_left)
    request = shortened(request_of(turn.message), limits.think_s, spent_s)
    return replace(request, overhead_s=overhead_s, options=match.options, seed=mixed_seed(match.seed, turn.ply))


def choice_of(reply: MoveReply, turn: Turn) -> Choice:
    """A player's answer as a bot's."""
    draw = reply.offer_draw or (reply.accept_draw and turn.draw_offered)
    return Choice(reply.move, info=info_of(reply), resign=reply.resign, offer_draw=draw)
