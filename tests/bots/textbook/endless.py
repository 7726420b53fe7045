"""A tree without end in which every node has a value: what limits a search here is its depth alone."""

from __future__ import annotations

import random

from tabiya.bots.textbook.node import Node


class Endless:
    """A node; its value for Max is drawn from its path. It is over only at the horizon, for those who ask."""

    def __init__(self, path: tuple[str, ...] = (), seat: int = 0, width: int = 3, horizon: int | None = None) -> None:
        self.path, self.root_seat, self.width, self.horizon = path, seat, width, horizon

    @property
    def seat(self) -> int:
        return (self.root_seat + len(self.path)) % 2

    @property
    def over(self) -> bool:
        return self.horizon is not None and self.ply >= self.horizon

    @property
    def ply(self) -> int:
        return len(self.path)

    @property
    def move(self) -> str:
        return self.path[-1] if self.path else ""

    def moves(self) -> list[str]:
        return [str(number) for number in range(self.width)]

    def play(self, move: str) -> Endless:
        return Endless((*self.path, move), self.root_seat, self.width, self.horizon)

    def analysis(self) -> int:
        return random.Random(f"{self.path} {self.root_seat}").randint(-50, 50)

    def eval(self) -> int:
        return self.analysis() if self.seat == 0 else -self.analysis()

    def estimate(self) -> int:
        return self.eval()

    def gain(self, move: str) -> int:
        return -self.play(move).eval()

    def captures(self) -> list[str]:
        return []

    def rooted(self, horizon: int) -> Endless:
        return Endless((), self.root_seat, self.width, horizon)

    takes_turns = True

    def quiet_visits(self) -> int:
        return 0


def value_at(node: Endless, depth: int) -> int:
    """Minimax to a depth, for Max."""
    if depth == 0:
        return node.analysis()
    values = [value_at(node.play(move), depth - 1) for move in node.moves()]
    return max(values) if node.seat == 0 else min(values)


def is_node(node: Node) -> bool:
    """Checked by the type checker: an endless tree is a node."""
    return node.ply >= 0


assert is_node(Endless())
