"""Levels and their Elo as options: never stronger than asked for."""

from __future__ import annotations

import pytest

from tabiya.bots.players.catalogue import LEVELS
from tabiya.bots.uci.options import Settings
from tabiya.bots.uci.strength import StrengthLevel, StrengthOptions
from tests.bots.uci.board import Board

pytestmark = pytest.mark.usefixtures("compiled")


def test_a_level_is_never_deeper_than_it_and_full_strength_is_again() -> None:
    board = Board()
    board.tell("setoption name Level value casual", "go depth 5")
    board.wait("info depth 2 ")
    board.wait("bestmove")
    board.tell("setoption name Level value casual", "go depth 5")
    board.wait("bestmove")
    board.tell("setoption name Level value full", "go depth 3")
    board.wait("info depth 3 ")
    board.wait("bestmove")


def test_a_random_move_is_reported_last_with_its_own_line() -> None:
    board = Board()
    board.tell("setoption name Level value casual")
    for _ in range(8):
        board.printed.clear()
        board.tell("go depth 2", "ucinewgame")
        reported = [line for line in board.printed if line.startswith("info depth")]
        assert {line.split()[6] for line in reported} == {"1"}
        assert reported[-1].split(" pv ")[1].split()[0] == board.printed[-1].split()[1]


def test_an_elo_is_the_strongest_level_that_is_not_above_it() -> None:
    levels, settings = StrengthOptions("chess"), Settings(StrengthOptions("chess").options)
    assert levels.chosen(settings) is None
    settings.set("UCI_LimitStrength", "true")
    rated = [(level.name, level.elo) for level in LEVELS["chess"] if level.elo is not None]
    names = [name for name, _ in rated]
    assert names == ["casual", "medium", "hard", "expert"]
    for asked, expected in (
        ([elo for _, elo in rated], names),
        ([elo - 1 for _, elo in rated], ["casual", *names[:-1]]),  # nothing is weaker than the first
        ([0, 9999], [names[0], names[-1]]),
    ):
        for elo, name in zip(asked, expected, strict=True):
            settings.set("UCI_Elo", str(elo))
            chosen = levels.chosen(settings)
            assert chosen is not None
            assert chosen.name == name
    settings.set("Level", "hard")
    assert levels.chosen(settings) == StrengthLevel("hard", 6, 15, levels.chosen(settings).elo)  # type: ignore[union-attr]
