"""A plain reader of SGF, written from the grammar of FF[4]: what our writer writes is read back by it."""

from __future__ import annotations

from dataclasses import dataclass, field

Node = dict[str, list[str]]


@dataclass
class Tree:
    """A game tree: nodes one after the other, then variations."""

    nodes: list[Node] = field(default_factory=list)
    variations: list[Tree] = field(default_factory=list)


class Reader:
    """Reads letter by letter. Raises AssertionError at what the grammar does not allow."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0

    def collection(self) -> list[Tree]:
        """All game trees of the text, of which there must be one at least."""
        trees = [self._tree()]
        while self._next() == "(":
            trees.append(self._tree())
        assert self._next() == "", f"more than game trees: {self._text[self._at :]!r}"
        return trees

    def _next(self) -> str:
        while self._text[self._at : self._at + 1].isspace():
            self._at += 1
        return self._text[self._at : self._at + 1]

    def _take(self, letter: str) -> None:
        assert self._next() == letter, f"{letter} expected at {self._text[self._at : self._at + 20]!r}"
        self._at += 1

    def _tree(self) -> Tree:
        tree = Tree()
        self._take("(")
        while self._next() == ";":
            tree.nodes.append(self._node())
        assert tree.nodes, "a tree without a node"
        while self._next() == "(":
            tree.variations.append(self._tree())
        self._take(")")
        return tree

    def _node(self) -> Node:
        node: Node = {}
        self._take(";")
        while self._next().isupper():
            name = ""
            while self._next().isupper():
                name += self._next()
                self._at += 1
            assert name not in node, f"{name} twice in a node"
            node[name] = [self._value()]
            while self._next() == "[":
                node[name].append(self._value())
        return node

    def _value(self) -> str:
        value = ""
        self._take("[")
        while (letter := self._text[self._at]) != "]":
            if letter == "\\":
                self._at += 1
                letter = self._text[self._at]
            value += letter
            self._at += 1
        self._at += 1
        return value


def read_sgf(text: str) -> list[Tree]:
    """The games of a text."""
    return Reader(text).collection()
