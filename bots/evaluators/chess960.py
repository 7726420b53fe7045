"""What plays Chess960 well: what plays chess, which learns here that castling takes no man."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.evaluators.chess.bitbase import result_of
from tabiya.bots.evaluators.chess.evaluator import ChessEvaluator, priority_of
from tabiya.bots.evaluators.chess.static_exchange import exchange_wins
from tabiya.games.chess.make import copy, pass_turn
from tabiya.games.chess960 import Chess960
from tabiya.games.chess960.castling import castles
from tabiya.games.compiled.bits import ZERO
from tabiya.games.rules import ONGOING, State


class Chess960Evaluator(ChessEvaluator, Chess960):
    """Every hook that looks at the target of a move, or makes one."""

    def priority(self, state: State, move: int) -> Any:
        return np.int64(0) if castles(state, move) else priority_of(state, move)

    def exchange(self, state: State, move: int, least: int) -> Any:
        return least <= 0 if castles(state, move) else exchange_wins(state, move, least)

    def known_result(self, state: State) -> Any:
        return result_of(state) if state.rooks == ZERO else np.int64(ONGOING)

    def skip_turn(self, state: State, child: State) -> None:
        copy(state, child)
        pass_turn(state, child)
        child.rooks = state.rooks
