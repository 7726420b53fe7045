"""The Python side of the compiled twins.

listing = CompiledListing(find("alphabeta-failhard"), LeafEvaluator(book_evaluator(game)))
listing.search(position, depth=5).move
"""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np

from tabiya.bots.search.clock import HAS_CLOCK, SECOND_NS, now_ns
from tabiya.bots.search.kernel_calls import line_texts
from tabiya.bots.search.limits import NO_LIMIT, StopToken, timer
from tabiya.bots.search.record import HISTORY_KEYS, new_record
from tabiya.bots.search.scores import PLIES
from tabiya.bots.textbook.board import LeafEvaluator
from tabiya.bots.textbook.catalogue import Fail, Horizon, Listing
from tabiya.bots.textbook.compiled import record
from tabiya.bots.textbook.compiled.root import run
from tabiya.bots.textbook.node import INFINITY, Wins
from tabiya.bots.textbook.observers import TooBig
from tabiya.bots.textbook.order import Guess
from tabiya.bots.textbook.run_listing import PLAIN_SETUP, Report, SearchSetup
from tabiya.games.position import Position

DEEPEST = 64  # plies of a search; quiescence goes on below
UNREACHED = 2 * INFINITY
FAILS = {Fail.EXACT: record.SOFT, Fail.SOFT: record.SOFT, Fail.HARD: record.HARD, Fail.BOUND: record.BOUND}
WINS = {Wins.SOONER: record.SOONER, Wins.INFINITE: record.INFINITE, Wins.ONE: record.ONE}
GUESSES = {
    Guess.NONE: record.NO_GUESS,
    Guess.EVALUATION: record.EVALUATION,
    Guess.CAPTURES: record.CAPTURES,
    Guess.ITERATION: record.ITERATION,
    Guess.KILLER: record.KILLER,
    Guess.HISTORY: record.HISTORY,
}


def form_of(listing: Listing) -> int:
    """Which compiled function a listing has."""
    if listing.null_windows:
        return record.NULL_WINDOW
    if listing.looks is Horizon.AT_MOVES:
        return record.AT_MOVES
    return record.PLAIN if listing.fail is Fail.EXACT else record.WINDOW


class CompiledListing:
    """One listing compiled, with its memory. Searches from several threads wait for one another."""

    def __init__(self, listing: Listing, leaf_evaluator: LeafEvaluator, setup: SearchSetup = PLAIN_SETUP) -> None:
        """Raises ValueError for preclusion with values other than -1, 0 and 1."""
        if listing.precludes and leaf_evaluator.wins is not Wins.ONE:
            raise ValueError(f"{listing.name} needs the values -1, 0 and 1: LeafEvaluator(..., wins=Wins.ONE)")
        self.listing, self.leaf_evaluator, self.setup = listing, leaf_evaluator, setup
        self._work = new_record(record.record_type(leaf_evaluator.evaluator.width))
        self._stack = np.zeros(PLIES + 2, leaf_evaluator.evaluator.state).view(np.recarray)
        self._lock = threading.Lock()

    def search(
        self,
        position: Position,
        depth: int,
        window: tuple[int, int] = (-INFINITY, INFINITY),
        limit: int | None = None,
        time_s: float | None = None,
        soft_s: float | None = None,
        stop: StopToken | None = None,
        seed: int | None = None,
    ) -> Report:
        """What `run_listing` reports of the listing on this position.

        depth: 1..64 plies.  limit: raises TooBig soon after so many nodes.  time_s, soft_s, stop: as in
        bots/search/limits.py: the search ends early and reports its last finished iteration (depth 0 if none).
        seed: the line begins with a random one of the best moves; None: as the book does.
        Raises ValueError for other depths.
        """
        with self._lock:
            self._prepare(position, depth, window, limit, each=seed is not None)
            work = self._work
            work.random = (seed or 0) % 2**64
            work.deadline_ns = 0 if time_s is None or not HAS_CLOCK else now_ns() + int(time_s * SECOND_NS)
            work.soft_ns = 0 if soft_s is None else now_ns() + int(soft_s * SECOND_NS)
            with (stop or StopToken()).watching(work), timer(work, time_s):
                begun = time.perf_counter()
                run(self.leaf_evaluator.evaluator, self._stack, work)
                seconds = time.perf_counter() - begun
            _check_limit(work, limit)
            return self._report(seconds)

    def best_moves(self, position: Position, depth: int, limit: int | None = None) -> tuple[str, ...]:
        """All moves that reach the value of the position. Raises TooBig."""
        with self._lock:
            self._prepare(position, depth, (-INFINITY, INFINITY), limit, each=True)
            self._work.guess, self._work.first_depth = record.NO_GUESS, self._work.last_depth
            run(self.leaf_evaluator.evaluator, self._stack, self._work)
            _check_limit(self._work, limit)
            count = int(self._work.root_moves)
            values, moves = self._work["values"][:count], self._work["moves"][0, :count]
            best = moves[values == values.max()] if count > 0 else moves[:0]
            return tuple(
                line_texts(self.leaf_evaluator.evaluator, self._stack, best[i : i + 1])[0] for i in range(len(best))
            )

    def _prepare(self, position: Position, depth: int, window: tuple[int, int], limit: int | None, each: bool) -> None:
        if not 1 <= depth <= DEEPEST:
            raise ValueError(f"a search is 1 to {DEEPEST} plies deep, not {depth}")
        work, listing, leaf_evaluator, setup = self._work, self.listing, self.leaf_evaluator, self.setup
        depth = listing.plies(depth)
        for name in (*record.COUNTS, *record.RESULTS, "stop", "deadline_ns", "soft_ns"):
            work[name] = 0
        work.form = form_of(listing)
        work.fail, work.strict, work.resets = FAILS[listing.fail], listing.strict, listing.resets
        work.tests_ends, work.enough = listing.tests_ends, 1 if listing.precludes else UNREACHED
        work.wins, work.grain = WINS[leaf_evaluator.wins], leaf_evaluator.grain
        work.quiescence, work.near = leaf_evaluator.quiescence, leaf_evaluator.near
        work.exact_gains = getattr(leaf_evaluator.evaluator, "exact_gains", 0)
        work.guess, work.sorted_moves = GUESSES[setup.guess], setup.sorting.best
        work["killers"][:] = -1
        work["history"][:] = 0
        work.node_limit = NO_LIMIT if limit is None else limit + 1
        work.first_depth, work.last_depth = next(iter(setup.depths(depth))), depth
        work.alpha, work.beta, work.each = *window, each and listing.looks is not Horizon.AT_MOVES
        keys = position.earlier_keys[-HISTORY_KEYS:]
        work.earlier = len(keys)
        work["keys"][: len(keys)] = keys
        self._stack[0] = position.state

    def _report(self, seconds: float) -> Report:
        work = self._work
        numbers = work["best_line"][: int(work.best_line_length)].copy()
        return Report(
            value=int(work.value),
            line=line_texts(self.leaf_evaluator.evaluator, self._stack, numbers),
            depth=int(work.depth),
            nodes=int(work.nodes),
            leaves=int(work.leaves),
            cuts=int(work.cuts),
            unseen=int(work.unseen),
            researches=int(work.researches),
            quiet=int(work.quiet),
            time_s=seconds,
        )


def _check_limit(work: Any, limit: int | None) -> None:
    if limit is not None and int(work.nodes) > limit:
        raise TooBig(f"the search visits more than {limit} nodes")
