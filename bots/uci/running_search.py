"""One search in a thread of its own, from `go` to `bestmove`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import islice

from tabiya.bots.players.api import MoveRequest
from tabiya.bots.players.time_plan import SOFT_SHARE, TimePlan, plan_time
from tabiya.bots.search.limits import DEEPEST, Line, SearchResult, StopToken
from tabiya.bots.search.scores import plies_to_end
from tabiya.bots.solvers.solving_engine import SolvingEngine
from tabiya.bots.uci.options import MOST_LINES
from tabiya.bots.uci.output import best_line, info_lines, score_text
from tabiya.bots.uci.parse import GoCommand
from tabiya.games.perft import DEEPEST as DEEPEST_PERFT
from tabiya.games.perft import perft
from tabiya.games.position import Position

NO_MOVE = "bestmove (none)"
SHORTEST_S = 0.001
WHOLE_PLIES, WHOLE_LEAVES = 3, 10**6  # counted at once
STOP_S = 2.0  # a stop is heard in milliseconds
POLL_S = 0.05  # how often a thread that waits for an answer looks whether it must hurry
MOST_MARGIN = 0.1  # of a time for one move, kept for the way back

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SearchTask:
    """A search to run.

    lines: how many are searched; shown: of them.  overhead_ms: that pass between our answer and the runner's clock.
    base_ms: the most that was on our clock in this game.  depth: at most.  choose: picks the answer.  complaint: what
    else there is to say of the search, if anything.  position_unknown: there is no move to find.
    """

    position: Position
    go: GoCommand
    lines: int = 1
    overhead_ms: int = 0
    base_ms: int = 0
    depth: int | None = None
    shown: int = MOST_LINES
    choose: Callable[[SearchResult], SearchResult] = field(default=lambda found: found)
    complaint: Callable[[], str] = str
    position_unknown: bool = False


class RunningSearch:
    """A running search. `stop` and `ponderhit` may be called from any thread, at any time, more than once."""

    def __init__(self, engine: SolvingEngine, task: SearchTask, say: Say) -> None:
        self._engine, self._task, self._say = engine, task, say
        self._stop, self._released = StopToken(), threading.Event()
        self._alarm: threading.Timer | None = None
        self._last_found: SearchResult | None = None  # the last reported result: the answer begins with its line
        if not (task.go.infinite or task.go.ponder):
            self._released.set()
        self._thread = threading.Thread(target=self._run, name="search", daemon=True)  # it may never end

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Make it answer now."""
        self._stop.stop()
        self._released.set()

    def ponderhit(self, clocks: GoCommand | None = None) -> None:
        """The move that was expected has been played: the search goes on, its clock runs from now.

        clocks: as they stand now; None: as the search was begun.
        """
        if self._released.is_set() or self._task.go.infinite:
            return
        plan = time_plan(self._task if clocks is None else replace(self._task, go=clocks))
        if plan is not None:
            self._alarm = threading.Timer(min(plan.hard_s, plan.soft_s / SOFT_SHARE), self._stop.stop)
            self._alarm.daemon = True
            self._alarm.start()
        self._released.set()

    def join(self, hurry: threading.Event) -> bool:
        """Wait for the answer, after `hurry` is set at most STOP_S longer; returns whether it has come."""
        while self._thread.is_alive() and not hurry.is_set():
            self._thread.join(POLL_S)
        self._thread.join(STOP_S)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            answer = self._answer()
        except Exception as error:  # UCI demands a bestmove after every go
            self._say(f"info string the search failed: {' '.join(repr(error).split())}")
            answer = self._best_so_far()
        self._released.wait()
        if self._alarm is not None:
            self._alarm.cancel()
        if self._task.go.perft is None:
            self._say(answer)

    def _answer(self) -> str:
        if self._task.position_unknown or (self._task.go.perft is not None and self._count()):
            return NO_MOVE
        return self._search()

    # --- the search ---

    def _search(self) -> str:
        task = self._task
        position = searchable(task.position)
        legal = task.position.legal_moves()
        if position is None:  # over by the rules, even if there are moves
            self._say(f"info depth 0 score {score_text(self._engine.ended_value(task.position))}")
            return _any_move(task)
        chosen = chosen_moves(task)
        plan = None if task.go.ponder else time_plan(task)
        depth = task.go.depth if task.go.depth is None else max(1, min(DEEPEST, task.go.depth))
        if task.depth is not None:
            depth = min(task.depth, depth or DEEPEST)
        if plan is not None and task.go.movetime_ms is None and len(chosen or legal) == 1:
            depth = 1  # the only move
        found = self._engine.search(
            position,
            plan,
            solves=depth is None and task.go.nodes is None and not task.go.mate and task.lines == 1 and not chosen,
            stop=self._stop,
            depth=depth,
            nodes=None if task.go.nodes is None else max(1, task.go.nodes),
            remember=True,
            lines=task.lines,
            moves=chosen,
            report=self._report,
        )
        answer = task.choose(found)
        if answer.move != found.move:
            self._tell(answer._replace(lines=(Line(answer.value, answer.pv),)))
        elif self._last_found is None or self._last_found.pv != found.pv:  # the result of the unfinished iteration
            self._tell(found)
        if complaint := task.complaint():
            self._say(f"info string {' '.join(complaint.split())}")
        return best_line(answer)

    def _report(self, found: SearchResult) -> None:
        self._tell(found)
        distance, mate = plies_to_end(found.value), self._task.go.mate
        if mate and found.value > 0 and distance is not None and distance <= 2 * mate - 1:
            self._stop.stop()

    def _tell(self, found: SearchResult) -> None:
        self._last_found = found
        for line in islice(info_lines(found, self._engine.fullness), self._task.shown):
            self._say(line)

    def _best_so_far(self) -> str:
        """The answer after an error in the search: the line reported last, or any legal move if there is none."""
        return _any_move(self._task) if self._last_found is None else best_line(self._last_found)

    # --- counting ---

    def _count(self) -> bool:
        depth, total = max(1, min(DEEPEST_PERFT, self._task.go.perft or 1)), 0
        begun = time.perf_counter()
        for move in self._task.position.legal_moves():
            count = count_leaves(self._task.position.play(move), depth - 1, self._stop)
            if self._stop.stopped:
                break
            total += count
            self._say(f"{move}: {count}")
        spent_s = time.perf_counter() - begun
        self._say(f"info nodes {total} time {round(1000 * spent_s)}")
        self._say(f"Nodes searched: {total}")
        return True


def count_leaves(position: Position, depth: int, stop: StopToken) -> int:
    """Perft in pieces of milliseconds, with a stop possible between them; a stopped count means nothing."""
    legal = position.legal_moves()
    if depth == 0 or not legal or (depth <= WHOLE_PLIES and len(legal) ** depth <= WHOLE_LEAVES):
        return perft(position, depth)
    total = 0
    for move in legal:
        if stop.stopped:
            break
        total += count_leaves(position.play(move), depth - 1, stop)
    return total


def time_plan(task: SearchTask) -> TimePlan | None:
    """When to end, None if no time was given."""
    go, position = task.go, task.position
    if go.movetime_ms is not None:
        asked_s = max(SHORTEST_S, go.movetime_ms / 1000)
        seconds = max(asked_s - task.overhead_ms / 1000, (1 - MOST_MARGIN) * asked_s)
        return TimePlan(seconds, seconds)
    seat = position.to_move
    clock_ms = go.clocks_ms[seat]
    if clock_ms is None:
        return None
    left_ms = max(1, clock_ms - task.overhead_ms)
    request = MoveRequest(
        match=0,
        game=position.game.name,
        seat=seat,
        ply=position.ply,
        position="",
        history_position="",
        remaining_ms=left_ms,
        opponent_ms=go.clocks_ms[1 - seat],
        increment_ms=go.increments_ms[seat],
        moves_to_go=go.moves_to_go,
        time_control=f"{max(left_ms, task.base_ms, 1000) // 1000}+0",
        budget_s=left_ms / 1000,
        overhead_s=task.overhead_ms / 1000,
    )
    return plan_time(request, most_plies=position.game.max_plies)


def searchable(position: Position) -> Position | None:
    """The position, without its history if only that ends the game; None if it is over by itself."""
    if position.outcome() is not None:
        position = Position.at(position.game, position.state)
    return position if position.outcome() is None else None


def chosen_moves(task: SearchTask) -> tuple[str, ...]:
    """The legal ones among the moves to choose from, each once; none for all."""
    legal = task.position.legal_moves()
    return tuple(move for move in dict.fromkeys(task.go.moves) if move in legal)


def _any_move(task: SearchTask) -> str:
    moves = chosen_moves(task) or task.position.legal_moves()
    return f"bestmove {moves[0]}" if moves else NO_MOVE
