"""Several algorithms side by side on one position or drawn tree: what `tabiya analyse` shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tabiya.bots.textbook.catalogue import Listing
from tabiya.bots.textbook.observers import TooBig
from tabiya.bots.textbook.recording.question import SearchQuestion
from tabiya.bots.textbook.run_listing import Report, best_moves, run_listing
from tabiya.bots.textbook.tree import TreeError

if TYPE_CHECKING:
    from tabiya.bots.textbook.compiled.searcher import CompiledListing

MOST_NODES_COMPILED = 200_000_000
MOST_NODES_AS_PRINTED = 300_000
ADVICE = "ask for less depth, or allow more with --max-nodes"


@dataclass(frozen=True, slots=True)
class Finding:
    """One algorithm's answer. best: all the best moves, if they could be found.  problem: why there is no report."""

    name: str
    listing: Listing
    report: Report | None = None
    best: tuple[str, ...] = ()
    problem: str = ""


def analyse(
    question: SearchQuestion, names: Sequence[str], limit: int | None = None, as_printed: bool = False
) -> list[Finding]:
    """The findings of these algorithms.

    limit: nodes at most, each.  as_printed: the book forms even for games, function by function, instead of their
    compiled twins.  Raises what `SearchQuestion.checked` raises, but for what only some of the algorithms cannot do.
    """
    return [_finding(name, replace(question, algorithm=name), limit, as_printed) for name in names]


def _finding(name: str, question: SearchQuestion, limit: int | None, as_printed: bool) -> Finding:
    try:
        report, best = found(question.checked(), limit, as_printed)
    except TooBig as error:
        return Finding(name, question.listing, problem=f"{error}: {ADVICE}")
    except TreeError as error:
        return Finding(name, question.listing, problem=str(error))
    return Finding(name, question.listing, report, best)


def found(
    question: SearchQuestion, limit: int | None = None, as_printed: bool = False
) -> tuple[Report, tuple[str, ...]]:
    """The report of a checked question's search, and all best moves. As `searched`.

    No best moves where finding them all takes more than the search was allowed, or unknown leaves.
    """
    report = searched(question, limit, as_printed)
    try:
        return report, _all_best(question, limit, as_printed)
    except (TooBig, TreeError):
        return report, ()


def searched(question: SearchQuestion, limit: int | None = None, as_printed: bool = False) -> Report:
    """The report of a checked question's search; compiled if it can be. Raises TooBig, TreeError."""
    if question.game and not as_printed:
        compiled, position = _compiled(question), question.position_searched()
        compiled.search(position, 1)  # compiles or loads, so that the time below is the search's
        return compiled.search(position, question.depth, question.window, limit or MOST_NODES_COMPILED)
    listing, root = question.listing, question.root()
    if question.game:
        run_listing(listing, root, 1, question.setup)  # likewise what the evaluation needs
    return run_listing(listing, root, question.depth, question.setup, question.window, limit or MOST_NODES_AS_PRINTED)


def _all_best(question: SearchQuestion, limit: int | None, as_printed: bool) -> tuple[str, ...]:
    if question.game and not as_printed:
        position = question.position_searched()
        return _compiled(question).best_moves(position, question.depth, limit or MOST_NODES_COMPILED)
    return best_moves(question.listing, question.root(), question.depth, limit or MOST_NODES_AS_PRINTED)


def _compiled(question: SearchQuestion) -> CompiledListing:
    from tabiya.bots.textbook.compiled.searcher import CompiledListing

    return CompiledListing(question.listing, question.leaf_evaluator(), question.setup)
