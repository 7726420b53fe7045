"""A position of any game as a node of the listings: rules from `games/`, evaluation from `bots/evaluators/`."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tabiya.bots.evaluators.base import EVALUATION_LIMIT, Evaluator
from tabiya.bots.search.kernel_calls import (
    candidates_of,
    evaluation_of,
    priority_of,
    winners_margin,
    write_noisy,
)
from tabiya.bots.search.scores import MATE
from tabiya.bots.textbook.node import INFINITY, Wins
from tabiya.bots.textbook.quiescence import quiesce
from tabiya.games.position import Position
from tabiya.games.rules import Outcome


@dataclass(slots=True)
class LeafEvaluator:
    """The parameters of an evaluation, the same for all boards of one search.

    grain: the evaluation is divided by it, towards zero (floor division would treat the two sides differently).
    quiescence: noisy moves are played out first.  near: only the moves the evaluator thinks worth searching.
    quiet: positions visited by quiescence so far.
    """

    evaluator: Evaluator
    grain: int = 1
    quiescence: bool = False
    wins: Wins = Wins.SOONER
    near: bool = False
    quiet: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if self.grain < 1:
            raise ValueError(f"the evaluation is divided by a whole number from 1 on, not by {self.grain}")

    def visit(self) -> None:
        """Count a position of quiescence."""
        self.quiet += 1

    def of_end(self, position: Position, outcome: Outcome, ply: int) -> int:
        """The value of an ended game for the side to move, `ply` plies below the root."""
        if outcome.winner is None:
            return 0
        size = self._size(position, ply)
        return size if outcome.winner == position.to_move else -size

    def _size(self, position: Position, ply: int) -> int:
        if self.wins is Wins.ONE:
            return 1
        if self.wins is Wins.INFINITE:
            return INFINITY
        return int(winners_margin(self.evaluator, position.state)) or int(MATE) - ply

    def of_position(self, position: Position) -> int:
        """The evaluation for the side to move while the game goes on."""
        return 0 if self.wins is Wins.ONE else int(evaluation_of(self.evaluator, position.state))

    def coarse(self, value: int) -> int:
        """A value divided by the grain, towards zero; decided games keep theirs."""
        return value if self.wins is Wins.ONE or abs(value) > EVALUATION_LIMIT else int(value / self.grain)


class Board:
    """One position below a root."""

    def __init__(
        self, position: Position, leaf_evaluator: LeafEvaluator, ply: int = 0, horizon: int | None = None
    ) -> None:
        """horizon: plies below the root at which every position counts as over, for listings without a depth."""
        self.position, self.leaf_evaluator, self.ply, self.horizon = position, leaf_evaluator, ply, horizon

    @property
    def seat(self) -> int:
        """Who is to move."""
        return self.position.to_move

    @property
    def takes_turns(self) -> bool:
        """Whether the game's players always take turns."""
        return bool(self.position.game.takes_turns())

    @property
    def move(self) -> str:
        """The move that led here, "" at the root."""
        return (self.position.last_move or "") if self.ply else ""

    @property
    def ended(self) -> bool:
        """Whether the game has ended here, by the rules or by the referee."""
        return self.position.outcome() is not None

    @property
    def over(self) -> bool:
        """Whether the game has ended here, or the horizon is reached."""
        return self.ended or (self.horizon is not None and self.ply >= self.horizon)

    def moves(self) -> Sequence[str]:
        """The legal moves in the kernel's order, or those near what matters."""
        return self._near if self.leaf_evaluator.near else self.position.legal_moves()

    @functools.cached_property
    def _near(self) -> list[str]:
        return self._texts(candidates_of(self.leaf_evaluator.evaluator, self.position.state))

    def _texts(self, numbers: list[int]) -> list[str]:
        texts = dict(zip(self.position.move_codes(), self.position.legal_moves(), strict=True))
        return [texts[number] for number in numbers]

    def play(self, move: str) -> Board:
        """The position after the move. Raises IllegalMove."""
        return Board(self.position.play(move), self.leaf_evaluator, self.ply + 1, self.horizon)

    def rooted(self, horizon: int) -> Board:
        """The same position as the root of a search."""
        return Board(self.position, self.leaf_evaluator, horizon=horizon)

    def quiet_visits(self) -> int:
        """Positions that quiescence has looked at so far with this evaluator of leaves."""
        return self.leaf_evaluator.quiet

    def estimate(self) -> int:
        """Exact when the game is over, else the whole evaluation, for the side to move."""
        outcome = self.position.outcome()
        if outcome is not None:
            return self.leaf_evaluator.of_end(self.position, outcome, self.ply)
        return self.leaf_evaluator.of_position(self.position)

    def eval(self) -> int:
        """The value for the side to move: exact when the game is over, else by the parameters of `LeafEvaluator`."""
        if self.ended:
            return self.estimate()
        if not self.leaf_evaluator.quiescence:
            return self.leaf_evaluator.coarse(self.estimate())
        return self.leaf_evaluator.coarse(
            quiesce(Board(self.position, self.leaf_evaluator, self.ply), -INFINITY, INFINITY, self.leaf_evaluator)
        )

    def analysis(self) -> int:
        """The same for seat 0."""
        return self.eval() if self.seat == 0 else -self.eval()

    def gain(self, move: str) -> int:
        """What the evaluator's `priority` says of the move."""
        return int(
            priority_of(self.leaf_evaluator.evaluator, self.position.state, np.int64(self.position.check_move(move)))
        )

    def captures(self) -> list[str]:
        """The noisy moves, the most promising first."""
        width = self.leaf_evaluator.evaluator.max_moves
        numbers, priorities = np.empty(width, np.int32), np.empty(width, np.int64)
        count = int(write_noisy(self.leaf_evaluator.evaluator, self.position.state, numbers, priorities))
        order = sorted(range(count), key=lambda i: -int(priorities[i]))
        return self._texts([int(numbers[i]) for i in order])

    def __repr__(self) -> str:
        return f"<Board {self.position.text()}>"
