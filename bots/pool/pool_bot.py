"""`PoolBot`: a bot whose thinking is done by worker processes."""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

from tabiya.bots.client.bot import Bot
from tabiya.bots.client.choice import Choice
from tabiya.bots.client.turn import Turn
from tabiya.bots.players.api import ThinkMatch, ThinkRequest, Thought
from tabiya.bots.pool.overhead import Overhead
from tabiya.bots.pool.pool import WorkerPool
from tabiya.bots.pool.time_limits import Allowance, allowance
from tabiya.protocol.messages import MatchEnded, MatchStarted, MoveInfo

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
        self.name, self.version, self.games = name or plain_name(player), version, games or _games_of(player, pool)
        self._seed = seed
        self._make_pool = partial(WorkerPool, player, workers=workers, threads=threads, report=report, **pool)
        self._pool: WorkerPool | None = None
        self._matches: dict[int, ThinkMatch] = {}
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
        """Keep what the turns do not say."""
        options: dict[str, str | int | bool] = dict(match.options)
        self._matches[match.match] = self._match(match.match, match.game, match.seat, options)

    async def match_ended(self, match: MatchEnded) -> None:
        """Give the player free for another match."""
        self._matches.pop(match.match, None)
        self._overhead.forget(match.match)
        await self.pool.forget(match.match)

    async def choose(self, turn: Turn) -> Choice:
        """What the player answers, in time in any case."""
        match = self._matches.get(turn.match) or self._match(turn.match, turn.game, turn.seat, {})
        self._overhead.charged(turn.match, turn.ply, turn.last_move_account)
        bounds = allowance_of(turn)
        thought = await self.pool.think(match, request_of(turn, match, bounds, self._overhead.seconds), bounds)
        self._overhead.thought(turn.match, turn.ply, thought.time_ms)
        return choice_of(thought, turn)

    def _match(self, match: int, game: str, seat: int, options: dict[str, str | int | bool]) -> ThinkMatch:
        return ThinkMatch(match=match, game=game, seat=seat, options=options, seed=mixed(self._seed, match))


def _games_of(player: str, pool: dict[str, Any]) -> tuple[str, ...]:
    """What the player plays; empty, any game, where only a factory of the caller's own knows it."""
    if "factory" in pool:
        return ()
    from tabiya.bots.players.build import player_games

    return player_games(player)


def plain_name(player: str) -> str:
    """The text of a player as a name: without what names of bots may not have, and not too long."""
    return re.sub(r"[^\w.:+@()/-]+", "-", player).strip("-")[:LONGEST_NAME]


def mixed(*numbers: int) -> int:
    """A seed made of several numbers: the same on every machine and in every run, unlike hash()."""
    return zlib.crc32(" ".join(map(str, numbers)).encode())


def allowance_of(turn: Turn) -> Allowance:
    """The bounds for this move, from now."""
    account = turn.last_move_account
    network_s = 0.0 if account is None else account.network_ms / 1000
    return allowance(turn.time_left, turn.time_control, network_s)


def request_of(turn: Turn, match: ThinkMatch, bounds: Allowance, overhead_s: float = 0.0) -> ThinkRequest:
    """The turn as a question to a player, with the clocks as they are now.  overhead_s: of a move beside thinking."""
    left_ms = max(0, int(turn.time_left * 1000))
    spent_ms = turn.move_limit_ms - left_ms
    return ThinkRequest(
        match=turn.match,
        game=turn.game,
        seat=turn.seat,
        ply=turn.ply,
        position=turn.position_text,
        history_position=turn.history.position,
        history_moves=turn.history.moves,
        legal_moves=turn.message.legal_moves,
        last_move=turn.last_move,
        time_control=turn.time_control,
        remaining_ms=None if turn.clock_ms is None else max(0, turn.clock_ms - spent_ms),
        opponent_ms=turn.opponent_clock_ms,
        increment_ms=turn.increment_ms,
        moves_to_go=turn.moves_to_go,
        move_limit_ms=left_ms,
        budget_s=bounds.think_s,
        overhead_s=overhead_s,
        draw_offered=turn.draw_offered,
        options=match.options,
        seed=mixed(match.seed, turn.ply),
    )


def choice_of(thought: Thought, turn: Turn) -> Choice:
    """A player's answer as a bot's."""
    info = MoveInfo(
        depth=thought.depth,
        score=thought.score,
        nodes=thought.nodes,
        pv=thought.pv,
        time_ms=None if thought.time_ms is None else round(thought.time_ms),
        text=thought.text,
    )
    draw = thought.offer_draw or (thought.accept_draw and turn.draw_offered)
    return Choice(thought.move, info=info, resign=thought.resign, offer_draw=draw)
