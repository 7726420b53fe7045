"""A pair to be played by another process, and how it goes there: pickled, since it comes from ourselves."""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from tabiya.dask_cluster.player_files import PlayerFiles, player_files
from tabiya.match.pairs import Answer, PairOpenings, PairPlayer, answer, pair_openings
from tabiya.match.plan import MatchPlan


class PairTask(NamedTuple):
    """Everything that a worker must know. files: of the players that are taken along, none where they lie there."""

    plan: MatchPlan
    pair: int
    openings: PairOpenings
    files: tuple[PlayerFiles, ...] = ()


def packed_task(plan: MatchPlan, pair: int, *, takes_files: bool) -> bytes:
    """A task of a plan. takes_files: whether the worker may be on another machine. Raises GameError, PlayerError."""
    files = tuple(map(_files, plan.players)) if takes_files else ()
    # what the worker needs not know would make another plan of it, or travel with each pair
    lean = replace(plan, pairs=1, concurrency=1, database="memory:", sprt=None, resume=False, openings=())
    return pickle.dumps(PairTask(lean, pair, pair_openings(plan, pair), files))


async def played_task(player: PairPlayer, task: bytes, folder: Path | None = None) -> bytes:
    """Play it; the answer, packed. folder: where files of players are unpacked. Raises nothing but CancelledError."""
    plan, pair, openings, files = pickle.loads(task)
    if files and folder is not None:
        try:
            plan = replace(plan, players=tuple(each.unpacked(folder) for each in files))
        except OSError as error:
            why = f"the files of the players cannot be written to {error.filename}: {error.strerror}"
            return pack_answer(Answer(None, why))
    return pack_answer(await answer(player, plan, pair, openings))


def pack_answer(given: Answer) -> bytes:
    return msgspec.msgpack.encode(given)


def unpack_answer(given: bytes) -> Answer:
    """An answer of `pack_answer`, of the same Tabiya."""
    return msgspec.msgpack.decode(given, type=Answer)


@cache
def _files(player: str) -> PlayerFiles:
    return player_files(player)  # once: an edit in mid-match would make another player
