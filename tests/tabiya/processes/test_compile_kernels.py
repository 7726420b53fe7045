"""Warming up: what is compiled together, in which order, and that nothing is left to compile."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabiya.games.registry import names
from tabiya.processes.compile_kernels import groups_with_same_rules, longest_first
from tests.processes import python

WARM = """if True:
    from tabiya.processes.compile_kernels import PLAYERS, warm_some
    warm_some(("reversi",), [player for player in PLAYERS if player.startswith("pvs")])
"""
PLAY = """if True:
    from numba.core import event
    from tests.bots.uci.board import Board

    with event.install_recorder("numba:compile") as recorder:
        board = Board("reversi")
        board.tell("position startpos", "setoption name MultiPV value 3", "go depth 3")
        board.wait("bestmove")
        end = "OXXXXXXXOOXXXXXXOOOXXXXXOOOOXXXXOOOOOXXXOOOOOOXXOOOOO-X-OOOO---- X"
        board.tell("setoption name MultiPV value 1", f"position fen {end}", "go movetime 2000")
        print(board.wait("bestmove").split()[0])
        board.tell(f"position fen {63 * 'X'}O X", "go depth 1")
        print(board.wait("bestmove"))
    print(*{str(record.data["dispatcher"]) for _, record in recorder.buffer})
"""


def test_games_that_share_their_rules_are_compiled_together_and_first() -> None:
    groups = longest_first(groups_with_same_rules(names()))
    assert sorted(name for group in groups for name in group) == sorted(names())
    assert groups[:3] == [("tictactoe", "connect5"), ("chess960",), ("chess",)]
    assert groups[-1] == ("nim",)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_board_program_finds_everything_compiled(tmp_path: Path) -> None:
    """Search, several lines, the solver of endings, and a game that is over."""
    python("-c", WARM, NUMBA_CACHE_DIR=str(tmp_path))
    assert python("-c", PLAY, NUMBA_CACHE_DIR=str(tmp_path)) == "bestmove\nbestmove (none)\n\n"
