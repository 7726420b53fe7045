"""The switches of the playing engine, one a feature. `PLAIN` has none of them, `ENGINE` is what plays."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Options:
    """Sound switches change the nodes visited only, the others the tree too (`SOUND` names the sound ones)."""

    table: bool = False  # transposition table: values, best moves, evaluations
    exact_depth: bool = False  # take values from entries of exactly the asked depth: then they equal plain minimax
    priorities: bool = False  # the evaluator says which moves to try first
    killers: bool = False  # then quiet moves that refuted a neighbour
    history: bool = False  # then by how often a move was good, anywhere
    replies: bool = False  # and by how often it was good after the moves before it
    aspiration: bool = False  # an iteration begins with a narrow window around the value of the last
    mate_distance: bool = False  # nothing is searched that cannot be a nearer end than the one found
    quiescence: bool = False  # leaves are resolved by noisy moves
    exchange: bool = False  # captures that lose material come last, in quiescence never
    delta: bool = False  # quiescence leaves out captures that cannot reach the window
    evasion_pruning: bool = False  # quiescence out of check leaves out late quiet replies once one holds
    forced: bool = False  # where the game says so only forced replies are searched; the only move costs no depth
    check_extension: bool = False  # a check costs no depth
    internal_reduction: bool = False  # a node without a move from the table is searched one ply less
    reverse_futility: bool = False  # a node far above the window is taken for a cut-off
    null_move: bool = False  # a node that may pass and still is above the window is taken for a cut-off
    verification: bool = False  # deep null moves are verified by a search without
    late_reductions: bool = False  # late moves, quiet or losing material, are searched less deeply first
    late_pruning: bool = False  # near the leaves the latest quiet moves are left out
    futility: bool = False  # near the leaves quiet moves are left out where the evaluation is far below the window
    exchange_pruning: bool = False  # near the leaves moves that lose material are left out
    corrections: bool = False  # the evaluation is corrected by its errors with the same pawns or pieces, or last moves
    bounded_evaluation: bool = False  # a value in the table that is no deeper than needed still bounds the evaluation
    singular: bool = False  # the table's move is searched deeper where all others are clearly worse, and less where not
    cut_reductions: bool = False  # late moves are reduced more where a cut-off is expected
    endings: bool = False  # where the game knows who wins, a draw is not searched and of a win nothing is left out
    patience: bool = False  # the time planned for a move is stretched by doubt and cut by certainty

    def __post_init__(self) -> None:
        if (self.late_reductions or self.late_pruning) and not self.priorities:
            raise ValueError("reductions need priorities, which decide what a late move is")


NAMES = tuple(field.name for field in fields(Options))
# sound each by itself, and all together; the table only with exact_depth: a deeper entry knows more than was asked
SOUND = ("table", "exact_depth", "priorities", "killers", "history", "replies", "aspiration", "mate_distance")
PLAIN = Options()
ENGINE = Options(**{name: name != "exact_depth" for name in NAMES})
