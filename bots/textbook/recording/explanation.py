"""One search, explained: what was asked, every visit, and what came out, as text and as a picture."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tabiya.bots.textbook.recording.drawing import Drawing, Style, View
from tabiya.bots.textbook.recording.question import MOST_VISITS, SearchQuestion
from tabiya.bots.textbook.recording.recording import Recording
from tabiya.bots.textbook.run_listing import Report

MOST_LINES = 2_000


@dataclass(frozen=True)
class Explanation:
    """A search that has been made. question: checked.  view: whose values are drawn.  step: see `at`."""

    question: SearchQuestion
    recording: Recording
    report: Report
    view: View = View.MAX
    step: int | None = None

    @classmethod
    def of(cls, question: SearchQuestion, view: View = View.MAX, limit: int = MOST_VISITS) -> Explanation:
        """The search of a question. Raises what `checked` raises, and TooBig beyond `limit` nodes."""
        checked = question.checked()
        return cls(checked, *checked.recorded(limit=limit), view)

    def at(self, step: int) -> Explanation:
        """The same up to a step, from 0 on: each visit begins at one step and ends at another. Raises IndexError."""
        self.recording.at(step)
        return replace(self, step=step)

    @property
    def drawing(self) -> Drawing:
        """What is drawn."""
        question = self.question
        tree = question.tree_searched() if question.tree else None
        style = Style(self.view, question.sides, tree, question.labels)
        return Drawing(self.recording, question.listing, style, self.step)

    def __str__(self) -> str:
        lines = len(self.recording) + sum(self.recording.left_count)
        if lines > MOST_LINES:
            return f"(not drawn: it would have {lines} lines, and at most {MOST_LINES} are drawn)"
        return "\n".join(self.drawing.lines())
