"""The pictures of a game as one sequence: every element once, then the changes from ply to ply.

    sequence = PictureSequence()
    for position in positions:
        sequence.add(game.svg(position))

A picture is a document of games/picture.py, with an element a line. Most of a picture is that of the ply before.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

Edit = tuple[int, ...]  # where, how many elements go, and the numbers of those that come in their place


class Frame(NamedTuple):
    """One picture: its title, and the edits that make it of the picture before, from the last element to the first."""

    title: str
    edits: tuple[Edit, ...]


class PictureSequence:
    """Frames ply by ply, and the elements that they number. A longer sequence begins as the shorter one did."""

    def __init__(self) -> None:
        self.head = ""  # the opening tag, the same for all
        self.parts: list[str] = []  # in the order in which they were first seen
        self.frames: list[Frame] = []
        self._numbers: dict[str, int] = {}
        self._last: list[int] = []
        self._known = [0]  # how many parts there were before each frame, and now

    def add(self, svg: str) -> None:
        """The picture of the next ply. Raises ValueError if it has another size than those before."""
        head, title, *lines, _ = svg.removesuffix("\n").split("\n")
        if self.head not in ("", head):
            raise ValueError(f"the pictures of a game have one size, not {self.head} and {head}")
        self.head = head
        shown = [self._number(line) for line in lines]
        self.frames.append(Frame(title, _edits(self._last, shown)))
        self._last = shown
        self._known.append(len(self.parts))

    def parts_before(self, ply: int) -> int:
        """How many parts the frames before number `ply` have; `ply` may be one more than there are."""
        return self._known[ply]

    def _number(self, part: str) -> int:
        if part not in self._numbers:
            self._numbers[part] = len(self.parts)
            self.parts.append(part)
        return self._numbers[part]

    def picture(self, ply: int) -> str:
        """The very picture that was added as number `ply`, from 0."""
        shown: list[int] = []
        for frame in self.frames[: ply + 1]:
            for at, removed, *added in frame.edits:
                shown[at : at + removed] = added
        return "\n".join([self.head, self.frames[ply].title, *(self.parts[part] for part in shown), "</svg>\n"])


def _edits(before: Sequence[int], after: Sequence[int]) -> tuple[Edit, ...]:
    changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return tuple(
        (start, end - start, *after[low:high]) for kind, start, end, low, high in reversed(changes) if kind != "equal"
    )
