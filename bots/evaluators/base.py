"""What a game must add to its rules so that the search can play it well: the hooks.

An evaluator is a class that derives from `Evaluator` and from the game's rules, and overrides hooks:

    class ReversiEvaluator(Evaluator, Reversi):
        def evaluate(self, state):
            return 100 * popcount(playable(state.mine, state.theirs))

Its hooks run compiled (and interpreted when NUMBA_DISABLE_JIT=1), so the rules for kernels hold: see
games/compiled/bits.py for 64-bit sets, keep tables small (they are frozen into the machine code), return int64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tabiya.games.compiled.bits import ZERO
from tabiya.games.compiled.kernel_types import compiled
from tabiya.games.contract import Game
from tabiya.games.rules import ONGOING, Rules, State

if TYPE_CHECKING:
    from tabiya.bots.solvers.base import EndingSolver

EVALUATION_LIMIT = 19_999  # |evaluate| at most; larger values are decided games
FORCING = 10_000  # priorities from here on are tried before killer moves, and not reduced, unless they lose material
SLOTS = 512  # how many kinds of moves the search tells apart when it learns which are good


class Evaluator(Game):
    """A game's rules with what the search asks beyond them. Every hook has a default that is always right."""

    width: ClassVar[int] = 512  # moves in one position, at most, over all instances of the game

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Have an old name of a hook mean the same as the new one, and `prioritise` agree with `priority`."""
        if "theme" in vars(cls):
            cls.correction_key = cls.theme  # type: ignore[method-assign]
        elif "correction_key" in vars(cls):
            cls.theme = cls.correction_key
        if "priority" in vars(cls) and "prioritise" not in vars(cls):
            cls.prioritise = Evaluator.prioritise  # type: ignore[method-assign]
        super().__init_subclass__(**kwargs)

    @compiled
    def evaluate(self, state: State) -> Any:
        """How good `state` is for the side to move, in hundredths of the game's unit (pawn, disc, ...).

        Zero is even; |value| <= EVALUATION_LIMIT. Asked only while the game goes on: ends are judged by `outcome`.
        Must be symmetric: the same position with exchanged seats gets the same value.
        """
        return np.int64(0)

    @compiled
    def priority(self, state: State, move: int) -> Any:
        """How early `move` deserves to be tried: from FORCING on before the killers, else about -1000..1000."""
        return np.int64(0)

    @compiled
    def prioritise(self, state: State, moves: Any, count: int, scores: Any) -> None:
        """Write the priority of each of `count` moves into `scores`. Default: asks `priority` for one after another.

        Only for speed. A class that defines `priority` and not this one gets the default.
        """
        for i in range(count):
            move: Any = np.int64(moves[i])
            scores[i] = self.priority(state, move)

    @compiled
    def candidates(self, state: State, moves: Any) -> Any:
        """Write the moves worth searching, return how many; at least one if any is legal. Default: all."""
        return self.generate(state, moves)

    @compiled
    def forced(self, state: State, moves: Any) -> Any:
        """Write the only moves that matter when all others lose at once, or one wins at once; return how many.

        Zero, the default, when it is not so or the game is over. Asked only by the playing engine.
        """
        return np.int64(0)

    @compiled
    def noisy(self, state: State, moves: Any) -> Any:
        """Write the legal moves that must be resolved before `evaluate` means something (captures); default none."""
        return np.int64(0)

    @compiled
    def in_check(self, state: State) -> Any:
        """Whether standing pat makes no sense because the side to move is under attack; default never."""
        return False

    @compiled
    def mobile(self, state: State, moves: Any) -> Any:
        """What `outcome` needs as its count: zero exactly when no move is legal. `moves` is scratch space."""
        return self.generate(state, moves)

    @compiled
    def margin(self, state: State) -> Any:
        """By how much an ended game was won, 1..5000, where that matters; 0: only sooner or later matters."""
        return np.int64(0)

    @compiled
    def solve_depth(self, state: State) -> Any:
        """A depth that reaches every end of the game, when so few plies are left that it pays to see all; else 0.

        Only where `swing` is zero too: then nothing is left out, and what is found is exact.
        """
        return np.int64(0)

    @compiled
    def known_result(self, state: State) -> Any:
        """The seat that wins by right play, or DRAW; ONGOING, the default, where that is not known.

        Asked while the game goes on. A draw is searched no further, and of a won position all moves are searched until
        one has won, since it may be the only one.
        """
        return np.int64(ONGOING)

    @compiled
    def slot(self, state: State, move: int) -> Any:
        """A number 0..SLOTS - 1 under which the search notes how often moves like this one were good."""
        return np.int64(move & (SLOTS - 1))

    @compiled
    def exchange(self, state: State, move: int, least: int) -> Any:
        """Whether a capture, and all captures on its square that follow, win at least `least` for the mover.

        In the units of `evaluate`, by material alone; a move that is no capture counts too (a man that can be taken).
        """
        return True

    @compiled
    def gives_check(self, state: State, move: int) -> Any:
        """Whether a quiet move attacks what the game is about, so that it must not be left out unseen; default never.

        It need not find every such move: this is asked of moves that are about to be pruned.
        """
        return False

    @compiled
    def swing(self, state: State) -> Any:
        """How much a quiet move may change the evaluation, about; the unit of all pruning by the evaluation.

        Zero, the default: here nothing is ever left out because the evaluation is high or low.
        """
        return np.int64(0)

    @compiled
    def correction_key(self, state: State) -> Any:
        """A hash (uint64) of what the evaluation may misjudge alike in many positions; 0, the default, for nothing."""
        return ZERO

    theme = correction_key  # its name before

    @compiled
    def piece_key(self, state: State, seat: int) -> Any:
        """A hash (uint64) of the pieces of one seat, for the same use; asked where `correction_key` is not 0."""
        return ZERO

    @compiled
    def may_pass(self, state: State) -> Any:
        """Whether doing nothing is nearly certainly worse than the best move (no zugzwang); default never.

        Then the search may try it to see that a position is good enough. Asked only of a side that is not in check.
        """
        return False

    @compiled
    def skip_turn(self, state: State, child: State) -> None:
        """Write the position after doing nothing into `child`; needed where `may_pass` can be true."""
        return

    def ending_solver(self, table_mb: float) -> EndingSolver | None:
        """What solves this game's endings exactly, made again; None, the default, where only the search does.

        table_mb: memory for its table.  On the Python side: it is never called from compiled code.
        """
        return None


def bound(evaluator_class: type[Evaluator], game: Rules) -> Evaluator:
    """An evaluator for this very game. Raises TypeError for a game whose own `width` would hide the evaluator's."""
    if "width" in vars(game):
        raise TypeError(f"{game.name}: the rules have an attribute width, which is the evaluator's; name it otherwise")
    evaluator = evaluator_class.__new__(evaluator_class)
    evaluator.__dict__.update(game.__dict__)
    return evaluator
