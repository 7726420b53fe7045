"""Several algorithms side by side on one position or drawn tree: what `tabiya analyse` shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tabiya.bots.textbook.catalogue import Listing
from tabiya.bots.textbook.observers import TooBig
from tabiya.bots.textbook.recording.question import SearchQuestion
from tabiya.bots.textbook.run_listing import Report, best_moves, run_listing
from tabiya.bots.textbook.tree import TreeError

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
    """What each of these algorithms finds.

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
    """The report of a checked question's search, and all best moves; compiled if it can be. Raises TooBig, TreeError.

    No best moves where finding them all takes more than the search was allowed, or unknown leaves.
    """
    if question.game and not as_printed:
        return _compiled(question, limit or MOST_NODES_COMPILED)
    return _as_printed(question, limit or MOST_NODES_AS_PRINTED)


def _as_printed(question: SearchQuestion, limit: int) -> tuple[Report, tuple[str, ...]]:
    listing, root = question.listing, question.root()
    if question.game:  # compiles or loads what the evaluation needs, so that the time is the search's
        run_listing(listing, root, 1, question.setup)
    report = run_listing(listing, root, question.depth, question.setup, question.window, limit)
    try:
        return report, best_moves(listing, root, question.depth, limit)
    except (TooBig, TreeError):
        return report, ()


def _compiled(question: SearchQuestion, limit: int) -> tuple[Report, tuple[str, ...]]:
    from tabiya.bots.textbook.compiled.searcher import CompiledListing

    position, compiled = (
        question.position_searched(),
        CompiledListing(question.listing, question.judge(), question.setup),
    )
    compiled.search(position, 1)  # compiles or loads, so that the time below is the search's
    report = compiled.search(position, question.depth, question.window, limit)
    try:
        return report, compiled.best_moves(position, question.depth, limit)
    except TooBig:
        return report, ()
