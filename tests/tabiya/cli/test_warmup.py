"""`tabiya warmup`: what is compiled together, and in which order."""

from __future__ import annotations

from games.registry import names
from tabiya.cli.warmup import alike, longest_first


def test_games_that_share_their_rules_are_compiled_together_and_first() -> None:
    groups = longest_first(alike(names()))
    assert sorted(name for group in groups for name in group) == sorted(names())
    assert groups[:2] == [("tictactoe", "connect5"), ("chess",)]
    assert groups[-1] == ("nim",)
