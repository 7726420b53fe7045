"""One search, explained: what was asked, every visit, and what came out, as text and as a picture.

explained = explain("[[3,5],[2,7]]", "alphabeta-failsoft")
explained                # in a notebook: the picture, and the counts beside it
print(explained.at(9))   # as text, up to the tenth step
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from html import escape
from typing import TYPE_CHECKING, Any

from tabiya.bots.textbook.recording.drawing import Drawing, Style, View, number
from tabiya.bots.textbook.recording.minimum import fewest_leaves
from tabiya.bots.textbook.recording.picture import MOST_PLACES, picture
from tabiya.bots.textbook.recording.question import MOST_VISITS, SearchQuestion
from tabiya.bots.textbook.recording.recording import Recording
from tabiya.bots.textbook.recording.scenes import SCENES
from tabiya.bots.textbook.run_listing import Report

if TYPE_CHECKING:
    from tabiya.games.position import Position

MOST_LINES = 2_000
COUNTED = {
    "nodes": "nodes",
    "leaves": "leaves",
    "cuts": "cut-offs",
    "unseen": "moves not looked at",
    "researches": "nodes searched again",
}
ALWAYS = ("nodes", "leaves", "cuts")


@dataclass(frozen=True)
class Explanation:
    """A recorded search by a textbook algorithm: a notebook draws it, `str` returns it as text.

    question: what was searched and how.  recording: every visit.  report: value, principal variation, counts.
    view: see `seen_by`.  step: the last step that is drawn, see `at`; None: all.
    """

    question: SearchQuestion
    recording: Recording
    report: Report
    view: View = View.MAX
    step: int | None = None

    @classmethod
    def of(cls, question: SearchQuestion, limit: int = MOST_VISITS) -> Explanation:
        """The search of a question. Raises what `checked` raises, and TooBig beyond `limit` nodes."""
        checked = question.checked()
        return cls(checked, *checked.recorded(limit=limit))

    def at(self, step: int) -> Explanation:
        """The same up to a step, from 0; each node has a first and a last step. Raises IndexError."""
        self.recording.at(step)
        return replace(self, step=step)

    def seen_by(self, view: str) -> Explanation:
        """The same with values from the view of Max, "max", or of each node's side to move, "mover"."""
        return replace(self, view=View(view))

    def svg(self, most: int = MOST_PLACES) -> str:
        """The picture as an SVG document. most: about how many nodes are drawn; the rest is folded."""
        return picture(self.drawing, self.report.line, self._heading(), most)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><th style="text-align:left">{escape(name)}</th><td style="text-align:right">{escape(value)}</td></tr>'
            for name, value in (*self._results(), *self._counts())
        )
        return (
            '<div style="display:flex;gap:1em;align-items:flex-start">'
            f'<div style="overflow-x:auto;min-width:0">{self.svg()}</div><table>{rows}</table></div>'
        )

    def __str__(self) -> str:
        lines = len(self.recording) + sum(self.recording.left_count)
        if lines > MOST_LINES:
            return f"(not drawn: it would have {lines} lines, and at most {MOST_LINES} are drawn)"
        return "\n".join(self.drawing.lines())

    def __repr__(self) -> str:
        return f"<Explanation {'; '.join(self._heading())}>"

    @property
    def drawing(self) -> Drawing:
        """The text at each node."""
        question = self.question
        tree = question.tree_searched() if question.tree else None
        style = Style(self.view, question.sides, tree, question.labels)
        return Drawing(self.recording, question.listing, style, self.step)

    # --- in words

    def _heading(self) -> list[str]:
        listing, depth = self.question.listing, self.report.depth
        return [
            f"{listing.family or listing.name}, {depth} {'ply' if depth == 1 else 'plies'}",
            ", ".join(f"{name} {value}" for name, value in self._results()),
            ", ".join(f"{name} {value}" for name, value in self._counts()),
        ]

    def _results(self) -> Iterator[tuple[str, str]]:
        if self.step is not None:
            yield "step", f"{self.step} of {self.recording.steps - 1}"
            return
        yield f"value for {self.question.sides[self.recording.columns['seat'][0]]}", number(self.report.value)
        yield "principal variation", " ".join(self.report.line) or "none"

    def _counts(self) -> Iterator[tuple[str, str]]:
        """What has been counted by the step."""
        counts = self.recording.counts(self.recording.steps - 1 if self.step is None else self.step)
        for name, count in counts._asdict().items():
            if count or name in ALWAYS:
                yield COUNTED[name], f"{count:,}"
        minimum = fewest_leaves(self.recording, self.question.tree_searched() if self.question.tree else None)
        if minimum.is_exact:
            yield "leaves with the best moves first", f"{minimum.leaves:,}"


def explain(
    position: Position | str | Sequence[Any], algorithm: str | None = None, depth: int = 0, **switches: Any
) -> Explanation:
    """Record a search by one of the textbooks' algorithms, to draw it and step through it.

    position: a position of a game; a tree such as [[9, 8, 7], [6, 5, 4]], also as text; or the name of a textbook's
    tree, such as "001", or of its example or claim, such as "004-forgets-bounds".
    algorithm: from `tabiya analyse --list`; default alphabeta-failhard.  depth: in plies; 0: three in a
    game, the whole tree.  switches: as in `tabiya analyse`: min_begins, order, sort_top, heap, iterate,
    grain, quiescence, wins, near, evaluation, alpha, beta.
    Raises ValueError with the reason if the search is impossible; NeedsEngine for a game without the rules.
    """
    known = [field.name for field in fields(SearchQuestion)]
    for name in switches:
        if name not in known:
            raise TypeError(f"explain has no switch {name!r} (it has: {', '.join(known)})")
    given = {name: value for name, value in (("algorithm", algorithm), ("depth", depth)) if value} | switches
    return Explanation.of(replace(_asked(position), **given))


def _asked(position: Position | str | Sequence[Any]) -> SearchQuestion:
    if isinstance(position, str):
        return SCENES[position].question if position in SCENES else SearchQuestion(tree=position)
    if isinstance(position, Sequence):
        return SearchQuestion(tree=json.dumps(position))
    return SearchQuestion(game=position.game.name, position=position.start_text, moves=" ".join(position.moves))
