"""A policy against itself in many games at once; what comes of it are records like those of a server.

played = self_play(policy, "…", 1_000, batch=256, seed=1)
write_games(played, Path("data"))           # dataset.py: Parquet and a card; or one by one, as they end
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import ArrayLike, NDArray

from tabiya.games.position import Position
from tabiya.games.rules import Outcome
from tabiya.protocol.time_control import ControlKind
from tabiya.research.batch_env import BatchEnv
from tabiya.research.encoding import Array
from tabiya.storage.records import BotId, MatchId, MatchRecord, MoveRecord, ResultRecord, SeatRecord, StoredMatch

BatchPolicy = Callable[[Array, Array], ArrayLike]
"""Of the observations and the masks of many games: the action of each, int[games], or logits, float[games, actions]."""
NO_TIME = (0, 0)
ROOM = 64  # plies of each game, at first


def self_play(
    policy: BatchPolicy,
    game: str,
    games: int,
    *,
    batch: int = 256,
    seed: int = 0,
    opening_plies: int = 0,
    name: str = "policy",
    **options: object,
) -> Iterator[StoredMatch]:
    """Play `games` games, `batch` at once, and yield each when it has ended; `match.id` counts from 1 as they began.

    Of logits a legal action is drawn, by their softmax. opening_plies: so many first moves are drawn evenly from all
    legal ones.  seed: of both.  name: of the policy.  options: of the game's start.
    Raises UnknownGame, OptionError, and EncodingError for an action that is not legal.
    """
    environment, draw = BatchEnv(game, autoreset=True, **options), np.random.default_rng(seed)
    now, rows = environment.reset(min(batch, games), seed), np.arange(min(batch, games))
    texts: NDArray[np.bytes_] = np.zeros((len(rows), ROOM), environment.moves.dtype)
    seats: NDArray[np.int8] = np.zeros((len(rows), ROOM), np.int8)
    numbers, begun, wanted = rows + 1, np.full(len(rows), time.time()), games
    what = _record(environment.start, environment.game.read_options(options), name)
    while wanted:
        plies = environment.plies.copy()
        if plies.max() == seats.shape[1]:
            texts, seats = np.tile(texts, 2), np.tile(seats, 2)
        seats[rows, plies] = now.to_move
        chosen = _actions(policy(now.observations, now.masks), now.masks, draw)
        now = environment.step(np.where(plies < opening_plies, environment.random_actions(), chosen))
        texts[rows, plies] = environment.moves
        for row in np.flatnonzero(now.done):
            if numbers[row] <= games:  # not whichever end first: short games would come too often
                end, outcome = plies[row] + 1, environment.outcome(int(row))
                assert outcome is not None
                moves = zip(texts[row, :end].astype(str).tolist(), seats[row, :end].tolist(), strict=True)
                yield _stored(
                    replace(what, created_at=float(begun[row])), int(numbers[row]), outcome, moves, opening_plies
                )
                wanted -= 1
            numbers[row], begun[row] = numbers.max() + 1, time.time()


def _actions(answer: ArrayLike, masks: Array, draw: np.random.Generator) -> NDArray[np.int64]:
    """The policy's actions, or actions drawn from its logits: the largest after noise of Gumbel's kind is added."""
    answer = np.asarray(answer)
    if answer.ndim == 1:
        return answer
    games, actions = np.nonzero(masks.view(np.bool_))
    order = np.lexsort((answer[games, actions] + draw.gumbel(size=len(games)), games))
    largest = order[np.flatnonzero(np.diff(games, append=-1))]
    return actions[largest]


def _record(start: Position, options: dict[str, Any], name: str) -> MatchRecord:
    """What all games have in common."""
    seat = SeatRecord(bot_id=BotId(1), bot=name)
    return MatchRecord(
        id=MatchId(0),
        key="",
        game=start.game.name,
        rules_version=start.game.rules_version,
        options=options,
        start_text=start.text(),
        time_control=ControlKind.NONE,
        seats=(seat, seat),
        rated=False,
        illegal_limit=1,
        stall_limit_ms=0,
        remaining_us=NO_TIME,
        credit_left_us=NO_TIME,
        tournament_id=None,
        pairing=None,
        game_index=None,
        created_at=0.0,
        status="ended",
    )


def _stored(
    what: MatchRecord, number: int, outcome: Outcome, moves: Iterable[tuple[str, int]], opening_plies: int
) -> StoredMatch:
    """One game. moves: text and seat of each."""
    of, at = MatchId(number), time.time()
    played = tuple(
        MoveRecord(match_id=of, ply=ply, text=text, seat=seat, opening=ply < opening_plies, remaining_us=NO_TIME, at=at)
        for ply, (text, seat) in enumerate(moves)
    )
    result = ResultRecord(match_id=of, winner=outcome.winner, ending=outcome.ending, remaining_us=NO_TIME, ended_at=at)
    record = replace(what, id=of, key=f"self-play {number}", plies=len(played), result=result)
    return StoredMatch(match=record, moves=played)
