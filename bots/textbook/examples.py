"""The trees that the books draw, by name; their figures did not survive as text, so some values are ours.

What the texts tell of a tree is kept: which leaf cuts, which nodes are never visited.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tabiya.bots.textbook.tree import Tree, parse_tree


@dataclass(frozen=True, slots=True)
class Example:
    """One drawn tree. labels: by node number, as the book calls the nodes.  about: what the book shows with it."""

    name: str
    text: str
    about: str
    labels: Mapping[int, str] = field(default_factory=dict)

    def tree(self) -> Tree:
        """The tree itself, Max to move at its root."""
        return parse_tree(self.text)


EXAMPLES: dict[str, Example] = {
    example.name: example
    for example in (
        Example(
            "000",
            "[[6,9],[[4,-2],null,null],[5,8]]",
            "B is min(6, 9) = 6 and E max(4, -2) = 4, so C <= 4, and F and G are never visited (D is ours)",
            {0: "A", 1: "B", 4: "C", 5: "E", 8: "F", 9: "G", 10: "D"},
        ),
        Example(
            "001",
            "[[-4,5,-8],[4,0,9],[-3,6,2]]",
            "after node 10, worth -3, nodes 11 and 12 are skipped (the other values are ours)",
        ),
        Example("001-sorted", "[[0,4,9],[-3,2,6],[-8,-4,5]]", "the same tree, all moves perfectly sorted"),
        Example("001-worst", "[[5,-4,-8],[6,2,-3],[9,4,0]]", "the same tree, the best move always last"),
        Example(
            "002",
            "[10,[5,null]]",
            "Q = 10; R is searched with [10, inf], S returns X <= 10, T is never called",
            {0: "P", 1: "Q", 2: "R", 3: "S", 4: "T"},
        ),
        Example(
            "004", "[[9,8,7],[6,5,4],[3,2,1]]", "7 against {6, 5, 4} and {3, 2, 1}: 5, 4, 2 and 1 are not looked at"
        ),
    )
}
