"""The compiled listings as players, so that they can be entered in matches and tournaments."""

from __future__ import annotations

from tabiya.bots.evaluators.base import Evaluator
from tabiya.bots.players.api import MatchInfo, MoveRequest
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.players.search_player import SearchPlayer
from tabiya.bots.players.time_plan import TimePlan
from tabiya.bots.search.limits import DEEPEST, SearchResult
from tabiya.bots.textbook.board import LeafEvaluator
from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.compiled.searcher import CompiledListing
from tabiya.bots.textbook.evaluations.index import book_evaluator
from tabiya.bots.textbook.node import Wins
from tabiya.bots.textbook.order import Guess
from tabiya.bots.textbook.run_listing import SearchSetup
from tabiya.games.contract import Game
from tabiya.games.position import Position
from tabiya.games.registry import load_game

ITERATED = SearchSetup(iterate=True)


class BookPlayer(SearchPlayer):
    """One listing on every game: the game's own evaluation, the first of the best moves, as the books take it.

    It searches 1, 2, 3, ... plies up to its depth, so that there is an answer when the time is over. On large boards it
    looks near the stones only. A listing that finds no move in a lost position plays the first legal one.
    """

    accepts_draws = False
    setup = ITERATED

    def __init__(self, listing: str, depth: int | None = None, time_s: float | None = None) -> None:
        """listing: its name or family.  depth: plies at most.  time_s: for a move; else it manages its clock."""
        super().__init__(depth, time_s)
        self._listing = find(listing)
        self._compiled: dict[str, CompiledListing] = {}

    def new_match(self, match: MatchInfo) -> None:
        self._compiled_for(match.game)

    def evaluator(self, game: Game) -> Evaluator:
        """The evaluator of a game."""
        return book_evaluator(game)

    def seed(self, request: MoveRequest) -> int | None:
        """The seed that chooses among equal moves; None: the first move."""
        return None

    def _search(self, request: MoveRequest, position: Position, plan: TimePlan) -> SearchResult:
        report = self._compiled_for(request.game).search(
            position,
            self._depth or DEEPEST,
            time_s=plan.hard_s,
            soft_s=plan.soft_s,
            stop=self._stop,
            seed=self.seed(request),
        )
        line = report.line or position.legal_moves()[:1]
        return SearchResult(line[0], report.value, report.depth, report.nodes, line, report.time_s, exact=False)

    def _compiled_for(self, game: str) -> CompiledListing:
        if game not in self._compiled:
            rules = load_game(game)
            wins = Wins.ONE if self._listing.precludes else Wins.SOONER
            compiled = CompiledListing(
                self._listing, LeafEvaluator(self.evaluator(rules), wins=wins, near=True), self.setup
            )
            compiled.search(rules.start(), 1)  # compiles, or loads from the cache, before any clock runs
            self._compiled[game] = compiled
        return self._compiled[game]


class PlainPlayer(BookPlayer):
    """Minimax or alpha-beta with the players' own evaluation; of equal moves one is drawn at random."""

    accepts_draws = True
    setup = SearchSetup(Guess.ITERATION)

    def evaluator(self, game: Game) -> Evaluator:
        return evaluator_for(game)

    def seed(self, request: MoveRequest) -> int | None:
        return request.seed


def plain_player(algorithm: str, depth: int | None = None, time_s: float | None = None) -> PlainPlayer:
    """algorithm: `minimax` or `alphabeta`."""
    return PlainPlayer("alphabeta-failsoft" if algorithm == "alphabeta" else algorithm, depth, time_s)
