"""A bot for long runs: thinks for a moment and plays any legal move, in every game.

tabiya bot scripts/long_runs/harness/any_move.py:AnyMove --workers 2
"""

import random
import time

from tabiya import Bot, Turn

LONGEST_S = 0.04


class AnyMove(Bot):
    """Thinks up to 40 ms, with the processor idle."""

    def choose(self, turn: Turn) -> str:
        """One of the moves that the server lists."""
        time.sleep(random.uniform(0.0, LONGEST_S))
        return str(random.choice(turn.legal_moves))
