"""`tabiya check-game --twin`: rules that are written twice are compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tabiya.cli.command_runner import tabiya

TWIN = """
from tabiya.game import Outcome, PythonGame

LINES = ("012", "345", "678", "036", "147", "258", "048", "246")


class Twin(PythonGame):
    def read(self, text):
        return text.split()[1] + text.split()[2]

    def written(self, position):
        return f"3x3x3 {position[:9]} {position[9]}"

    def mover(self, position):
        return "XO".index(position[9])

    def moves(self, position):
        return [f"{'abc'[cell % 3]}{cell // 3 + 1}" for cell in range(9) if position[cell] == "-"]

    def after(self, position, move):
        cell, side = "abc".index(move[0]) + 3 * int(move[1]) - 3, position[9]
        return position[:cell] + side + position[cell + 1 : 9] + "XO"[side == "X"]

    def result(self, position):
        for line in LINES:
            if (row := "".join(position[int(cell)] for cell in line)) in ("XXX", "OOO"):
                return Outcome("XO".index(row[0]), "line")
        return None if "-" in position else Outcome(None, "full_board")


class Wrong(Twin):
    def result(self, position):
        return None if position[:3] == "XXX" else super().result(position)
"""


@pytest.mark.slow
def test_a_twin_that_differs_is_told_with_the_moves_that_lead_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("twin.py").write_text(TWIN)
    agreed = tabiya("check-game", "tictactoe", "--twin", "twin.py:Twin")
    assert (agreed.status, agreed.out.splitlines()[-1]) == (0, "twin: passed")
    differs = tabiya("check-game", "tictactoe", "--twin", "twin.py:Wrong")
    assert differs.status == 1
    assert "twin: FAILED\n  the rules say ['3x3x3 XXX" in differs.out
    refused = tabiya("check-game", "tictactoe", "--twin", "twin.py:Outcome")
    assert "--twin takes FILE.py:CLASS, a class that derives from PythonGame, not 'twin.py:Outcome'" in refused.err
