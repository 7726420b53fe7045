"""The playing engine judges every move of a game: the best move's value, the played move's, and the cost.

    judged = list(judge(load_game("chess"), start, moves, nodes=20_000))
    costliest(judged, seat=0)

The same game is judged the same at every time and on every machine: each position is searched for so many nodes, on
one thread, with an empty table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from tabiya.bots.search.scores import WON, plies_to_end, value_text
from tabiya.server.archive.reviews import JudgedMove, chances_of

if TYPE_CHECKING:
    from tabiya.games.contract import Game
    from tabiya.games.position import Position

LONGEST_LINE = 6  # moves of the better line that are shown


class Judgement(Struct, frozen=True):
    """A position as the engine sees it. value: for the side to move, see bots/search/scores.py."""

    value: int
    line: tuple[str, ...] = ()


def judge(game: Game, start: str, moves: Sequence[str], nodes: int) -> Iterator[JudgedMove]:
    """Each move of the game from `start`, judged with `nodes` nodes a position.

    Raises GameError for what is no position or move of the game.
    """
    from tabiya.bots.players.catalogue import evaluator_for
    from tabiya.bots.solvers.solving_engine import SolvingEngine

    engine = SolvingEngine(evaluator_for(game), table_mb=16.0, solves=False)

    def judgement(position: Position) -> Judgement:
        if position.outcome() is not None:
            return Judgement(engine.ended_value(position))
        engine.forget()
        found = engine.search(position, None, solves=False, nodes=nodes)
        return Judgement(found.value, found.pv)

    position = game.parse(start)
    before = judgement(position)
    for move in moves:
        after_position = position.play(move)
        after = judgement(after_position)
        value = before_move(after.value, again=after_position.to_move == position.to_move)
        if before.line[:1] == (move,):  # the two searches differ by their own error only
            value = max(value, before.value)
        best_value = max(before.value, value)  # the later one sees a ply further: the move may prove better
        yield JudgedMove(
            ply=position.ply,
            seat=position.to_move,
            move=game.readable_move(position, move),
            chances=chance(best_value if position.to_move == 0 else -best_value),
            cost=max(0.0, chance(best_value) - chance(value)),
            value=value_text(value),
            best=game.readable_move(position, before.line[0]),
            best_value=value_text(best_value),
            line=tuple(readable(game, position, before.line[:LONGEST_LINE])),
        )
        position, before = after_position, after


def before_move(value: int, *, again: bool = False) -> int:
    """The value of a move for its mover. value: of the position after it, for the side to move there.

    again: which is the mover once more.
    """
    mine = value if again else -value
    if plies_to_end(mine) is None:
        return mine
    return mine + 1 if mine < 0 else mine - 1  # a ply more to the end


def chance(value: int) -> float:
    """The points that the side to move can expect, 0 to 1."""
    if abs(value) >= WON:
        return 1.0 if value > 0 else 0.0
    return chances_of(value)


def readable(game: Game, position: Position, line: Iterable[str]) -> Iterator[str]:
    """The moves of a line as people write them."""
    for move in line:
        yield game.readable_move(position, move)
        position = position.play(move)


def graph(judged: Iterable[JudgedMove]) -> str:
    """The first seat's chances before each move, in tenths of a point: one digit a ply."""
    return "".join(str(min(9, int(10 * move.chances))) for move in judged)
