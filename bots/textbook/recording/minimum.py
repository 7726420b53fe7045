"""The fewest leaves that alpha-beta can look at: with the best move first everywhere (Knuth and Moore; 001)."""

from __future__ import annotations

from dataclasses import dataclass

from tabiya.bots.textbook.recording.recording import Recording


@dataclass(frozen=True, slots=True)
class Minimum:
    """leaves: b^(d/2 up) + b^(d/2 down) - 1 for `moves` = b and `depth` = d.

    moves: of a node on the average.  is_uniform: whether all have so many and all leaves are equally deep, so that the
    formula is exact and no estimate.
    """

    leaves: int
    moves: float
    depth: int
    is_uniform: bool


def fewest_leaves(recording: Recording) -> Minimum:
    """The formula for a searched tree, as far as the search has seen of it."""
    inner = [visit for visit, size in enumerate(recording.sizes) if size > 1]
    widths = [
        recording.left_count[visit] + len({recording.columns["move"][below] for below in recording.below(visit)})
        for visit in inner
    ]
    depth = max(recording.ply)
    moves = sum(widths) / len(widths) if widths else 0.0
    ends = {ply for ply, size in zip(recording.ply, recording.sizes, strict=True) if size == 1}
    leaves = moves ** -(-depth // 2) + moves ** (depth // 2) - 1
    return Minimum(round(leaves), round(moves, 2), depth, len(set(widths)) <= 1 and ends == {depth})
