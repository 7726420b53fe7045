"""The worked examples and claims of the books that one search shows, by name: `SCENES["004-forgets-bounds"]`.

scenes.toml has them. A scene is `[TEXT-NAME]` with what the text says, a question and, where two searches are compared,
what is `other` in the second one; `texts` where several say it. Whether each is true is judged on many trees and
positions (docs/measurements/textbooks.md); a scene is one on which it can be seen.

All worked examples are here. Claims that no search shows are left out: scripts/docs/textbooks/items.toml says of each
what it is about instead, such as times, matches or another listing.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tabiya.bots.textbook.recording.question import SearchQuestion


@dataclass(frozen=True, slots=True)
class Scene:
    """One search, or two to be compared. text: which books say so, such as "000, 001".  says: in our words."""

    name: str
    text: str
    says: str
    question: SearchQuestion
    other: SearchQuestion | None = None

    @property
    def questions(self) -> tuple[SearchQuestion, ...]:
        """The one search or both."""
        return (self.question,) if self.other is None else (self.question, self.other)

    def given(self) -> dict[str, Any]:
        """The parameters of a link: non-default values, and as `other_...` those of the second search that differ."""
        return self.question.given(self.other)


def _scene(name: str, row: dict[str, Any]) -> Scene:
    question = SearchQuestion(**row["question"])
    other = replace(question, **row["other"]) if "other" in row else None
    return Scene(name, row.get("texts", name[:3]), row["says"], question, other)


SCENES: dict[str, Scene] = {
    name: _scene(name, row)
    for name, row in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).items()
}
