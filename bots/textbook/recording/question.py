"""What is searched and how, as texts and numbers that fit into a link: `SearchQuestion`.

question = SearchQuestion(tree="[[9,8,7],[6,5,4]]", algorithm="alphabeta-failhard")
question.recorded().packed({})
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from tabiya.bots.textbook.catalogue import Listing, find
from tabiya.bots.textbook.examples import EXAMPLES
from tabiya.bots.textbook.node import INFINITY, Node, Wins
from tabiya.bots.textbook.order import Guess, Sorting
from tabiya.bots.textbook.random_trees import best_first, worst_first
from tabiya.bots.textbook.recording.drawing import MAX_AND_MIN
from tabiya.bots.textbook.recording.minimum import fewest_leaves
from tabiya.bots.textbook.recording.recording import Recorder, Recording
from tabiya.bots.textbook.run_listing import Report, SearchSetup, run_listing
from tabiya.bots.textbook.tree import DEEPEST, Tree, TreeError, parse_tree

if TYPE_CHECKING:
    from tabiya.bots.textbook.board import LeafEvaluator
    from tabiya.games.position import Position

USUAL_DEPTH = 3
MOST_VISITS = 1_000_000
DEEPEST_GAME = 64
UNDECIDED = "the search stops at the value 1, so every leaf must be -1, 0 or 1"


class Order(StrEnum):
    """How moves are ordered: the guesses of `order.py`, and for drawn trees two that know the answer."""

    NONE = "none"
    EVALUATION = "evaluation"
    CAPTURES = "captures"
    ITERATION = "iteration"
    KILLER = "killer"
    HISTORY = "history"
    PERFECT = "perfect"
    WORST = "worst"


KNOWING = (Order.PERFECT, Order.WORST)


OTHERS = ("algorithm", "depth", "order", "sort_top", "heap", "iterate", "grain", "quiescence")
"""The settings in which two searches of the same tree may differ."""


class QuestionError(ValueError):
    """The question is invalid; the text is one sentence."""


@dataclass(frozen=True, slots=True)
class SearchQuestion:
    """One search of one listing. Either a tree or a game is searched.

    algorithm: name or family of a listing.  tree: nested lists, or the name of a book's example.  min_begins: at the
    root of the tree.  game, position, moves: a position text ("" for the start) and moves from there.  depth: plies;
    0: three in a game, the whole of a tree.  order, sort_top, heap: see `Order` and `Sorting`.  iterate: 1, 2, 3, ...
    plies before.  grain: the evaluation is divided by it.  quiescence: captures are played out before evaluating.
    wins: what a won game is worth.  near: only moves that the evaluator thinks worth searching.  evaluation: of the
    books.  alpha, beta: for the side to move at the root.
    """

    algorithm: str = "alphabeta-failhard"
    tree: str = ""
    min_begins: bool = False
    game: str = ""
    position: str = ""
    moves: str = ""
    depth: int = 0
    order: str = "none"
    sort_top: int = 0
    heap: bool = False
    iterate: bool = False
    grain: int = 1
    quiescence: bool = False
    wins: str = "sooner"
    near: bool = False
    evaluation: str = ""
    alpha: int = -INFINITY
    beta: int = INFINITY

    def checked(self) -> SearchQuestion:
        """The same with everything filled in: the listing's name, the depth, the whole tree.

        Raises QuestionError, TreeError, UnknownListing, or the errors of the game's texts.
        """
        listing = find(self.algorithm)
        if bool(self.tree) == bool(self.game):
            raise QuestionError("a search is of a game or of a drawn tree: give one of game and tree")
        if not -INFINITY <= self.alpha < self.beta <= INFINITY:
            raise QuestionError(f"a window has alpha below beta, not {self.alpha} and {self.beta}")
        if self.order not in set(Order) or self.wins not in set(Wins):
            raise QuestionError(f"an order is one of {', '.join(Order)}; a won game is worth one of {', '.join(Wins)}")
        try:
            Sorting(self.sort_top, self.heap)
        except ValueError as error:
            raise QuestionError(str(error)) from None
        return self._checked_tree(listing) if self.tree else self._checked_game(listing)

    def _checked_tree(self, listing: Listing) -> SearchQuestion:
        given = replace(
            self, position="", moves="", evaluation="", grain=1, quiescence=False, near=False, wins="sooner"
        )
        if self.tree.strip() not in EXAMPLES and not re.match(r"\s*(\[|-?[1-9]|0\s*$)", self.tree):
            raise TreeError(f"a drawn tree is a list such as [[9,8,7],[6,5,4]], or one of {', '.join(EXAMPLES)}")
        tree = self.tree_searched()
        if self.depth > DEEPEST:
            raise TreeError(f"a tree is at most {DEEPEST} plies deep")
        if listing.precludes and not tree.is_decided():
            raise TreeError(UNDECIDED)
        return replace(given, algorithm=listing.name, depth=self.depth or max(1, tree.height()))

    def _checked_game(self, listing: Listing) -> SearchQuestion:
        if self.order in KNOWING:
            raise QuestionError(f"the order {self.order} knows the answer beforehand; it is for drawn trees only")
        if self.depth > DEEPEST_GAME or self.grain < 1:
            raise QuestionError(f"a search is at most {DEEPEST_GAME} plies deep, and a grain is 1 or more")
        position = self.position_searched()
        if position.outcome() is not None:
            raise QuestionError(f"the game is over, there is nothing to search: {position.text()}")
        wins = "one" if listing.precludes else self.wins
        return replace(self, algorithm=listing.name, depth=self.depth or USUAL_DEPTH, wins=wins, min_begins=False)

    # --- what is searched

    @property
    def listing(self) -> Listing:
        """The listing. Raises UnknownListing."""
        return find(self.algorithm)

    @property
    def labels(self) -> dict[int, str]:
        """What the book calls the nodes of its example, by number."""
        example = EXAMPLES.get(self.tree.strip())
        return dict(example.labels) if example else {}

    @property
    def sides(self) -> tuple[str, str]:
        """What the two seats are called."""
        return self.position_searched().game.seat_names if self.game else MAX_AND_MIN

    @property
    def window(self) -> tuple[int, int]:
        """For the side to move."""
        return self.alpha, self.beta

    @property
    def setup(self) -> SearchSetup:
        """Order, sorting and iterations, as a search takes them."""
        guess = Guess.NONE if self.order in KNOWING else Guess(self.order)
        return SearchSetup(guess, Sorting(self.sort_top, self.heap), self.iterate)

    def tree_searched(self) -> Tree:
        """The drawn tree, its moves sorted by exact value if the order says so. Raises TreeError."""
        example = EXAMPLES.get(self.tree.strip())
        tree = parse_tree(example.text if example else self.tree, int(self.min_begins))
        if self.order in KNOWING:
            return best_first(tree) if self.order == Order.PERFECT else worst_first(tree)
        return tree

    def position_searched(self) -> Position:
        """The position of a game. Raises GameError, and NeedsEngine where the rules are not installed."""
        from tabiya.bots.players.lazy_rules import load_game

        game = load_game(self.game)
        at = game.parse(self.position) if self.position else game.start()
        for move in self.moves.split():
            at = at.play(game.read_move(at, move))
        return at

    def leaf_evaluator(self) -> LeafEvaluator:
        """How positions of the game are evaluated; compiles, or loads, the evaluation. Raises ValueError."""
        from tabiya.bots.textbook.board import LeafEvaluator
        from tabiya.bots.textbook.evaluations.index import book_evaluator
        from tabiya.games.registry import load_game

        evaluator = book_evaluator(load_game(self.game), self.evaluation)
        return LeafEvaluator(evaluator, self.grain, self.quiescence, Wins(self.wins), self.near)

    def root(self) -> Node:
        """The node that is searched."""
        if self.tree:
            return self.tree_searched()
        from tabiya.bots.textbook.board import Board

        return Board(self.position_searched(), self.leaf_evaluator())

    def recorded(
        self, go_on: Callable[[int], bool] | None = None, limit: int = MOST_VISITS
    ) -> tuple[Recording, Report]:
        """The search of a checked question. Raises TooBig, Stopped, TreeError."""
        recorder = Recorder(go_on)
        report = run_listing(self.listing, self.root(), self.depth, self.setup, self.window, limit, [recorder])
        return recorder.recording(of_mover=self.listing.of_mover), report

    def about(self, report: Report, recording: Recording) -> dict[str, Any]:
        """What a page needs of the search besides its columns."""
        facts: dict[str, Any] = {"question": self.given(), "fail": self.listing.fail.value, "labels": self.labels}
        facts["report"] = {name: value for name, value in asdict(report).items() if name != "time_s"} | {
            "time_ms": round(report.time_s * 1000, 1)
        }
        tree = self.tree_searched() if self.tree else None
        facts["minimum"] = asdict(fewest_leaves(recording, tree))
        searched = {"tree": str(tree)} if tree is not None else {"position": self.position_searched().text()}
        return facts | searched | {"sides": self.sides}

    def given(self, other: SearchQuestion | None = None) -> dict[str, Any]:
        """What differs from the usual: all that a link has to say. other: beside it, what differs as `other_...`."""
        usual, own, others = asdict(SearchQuestion()), asdict(self), asdict(other or self)
        differing = {f"other_{name}": value for name, value in others.items() if value != own[name]}
        return {name: value for name, value in own.items() if value != usual[name]} | differing


def names_of(one: SearchQuestion, other: SearchQuestion) -> tuple[str, str]:
    """What tells two searches apart, in a few words each."""
    differs = [name for name in OTHERS if getattr(one, name) != getattr(other, name)] or ["algorithm"]

    def name_of(question: SearchQuestion) -> str:
        words = {name: str(getattr(question, name)) for name in differs}
        algorithm = words.pop("algorithm", "")
        switches = (f"{name.replace('_', ' ')} {word}" for name, word in words.items())
        return ", ".join(filter(None, (algorithm, *switches)))

    return name_of(one), name_of(other)
