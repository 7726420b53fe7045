"""Chess compiled before the first test that talks about it, so that none of them is slow by it."""

from __future__ import annotations

import pytest

from tests.bots.uci.board import Board


@pytest.fixture(scope="session")
def compiled() -> None:
    board = Board()
    board.tell("isready", "go depth 1")
    board.wait("bestmove")
