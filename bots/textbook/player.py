"""The compiled listings as players, so that they can be entered in matches and tournaments."""

from __future__ import annotations

from tabiya.bots.players.api import ThinkMatch, ThinkRequest, Thought
from tabiya.bots.players.lazy_rules import position_of
from tabiya.bots.players.time_plan import SOFT_SHARE, UNTIMED_S, plan_time
from tabiya.bots.search.limits import StopToken
from tabiya.bots.search.scores import WON, value_text
from tabiya.bots.textbook.board import Judge, Wins
from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.compiled.searcher import DEEPEST, Twin
from tabiya.bots.textbook.evaluations.index import book_evaluator
from tabiya.bots.textbook.run_listing import Manner, Report
from tabiya.games.registry import load_game


class BookPlayer:
    """One listing on every game: the game's own evaluation, the first of the best moves, as the books take it.

    It searches 1, 2, 3, ... plies up to its depth, so that there is an answer when the time is over. On large boards it
    looks near the stones only. A listing that finds no move in a lost position plays the first legal one.
    """

    def __init__(self, listing: str, depth: int | None = None, time_s: float | None = None) -> None:
        """listing: its name or family.  depth: plies at most.  time_s: for a move; else it manages its clock."""
        self._listing, self._depth, self._time_s = find(listing), depth, time_s
        self._twins: dict[str, Twin] = {}
        self._stop = StopToken()

    def warm(self, game: str) -> None:
        """Compile, or load from the cache, all that a match of `game` will need."""
        self._twin(game).search(load_game(game).start(), 1)

    def new_match(self, match: ThinkMatch) -> None:
        """Get the memory ready; nothing is carried over from one search to the next."""
        self._twin(match.game)

    def choose(self, request: ThinkRequest) -> Thought:
        """The move the listing finds; the only move at once."""
        self._stop = StopToken()
        position = position_of(request.game, request.history_position or request.position, request.history_moves)
        legal = position.legal_moves()
        if len(legal) == 1:
            return Thought(move=legal[0], text="the only move")
        untimed_s = UNTIMED_S if self._depth is None else request.budget_s / SOFT_SHARE
        plan = plan_time(request, self._time_s, untimed_s, position.game.max_plies)
        report = self._twin(request.game).search(
            position, self._depth or DEEPEST, time_s=plan.hard_s, soft_s=plan.soft_s, stop=self._stop
        )
        return _thought(report, legal[0])

    def stop(self) -> None:
        """Make a running `choose` answer with what it has."""
        self._stop.stop()

    def _twin(self, game: str) -> Twin:
        if game not in self._twins:
            wins = Wins.ONE if self._listing.precludes else Wins.SOONER
            judge = Judge(book_evaluator(load_game(game)), wins=wins, near=True)
            self._twins[game] = Twin(self._listing, judge, Manner(iterate=True))
        return self._twins[game]


def _thought(report: Report, instead: str) -> Thought:
    return Thought(
        move=report.move or instead,
        depth=report.depth,
        score=report.value if report.depth else None,
        nodes=report.nodes,
        pv=report.line,
        time_ms=round(report.time_s * 1000),
        text=value_text(report.value) if abs(report.value) > WON else "",
    )
