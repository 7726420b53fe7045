"""The programs of docs/how-to/reinforcement-learning.md run, and its table of shapes holds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

from tabiya.games.registry import load_game
from tabiya.research.encoding import Encoding
from tabiya.research.policy_bot import PolicyBot
from tests.source_rules.sources import ROOT

PAGE = (ROOT / "docs" / "how-to" / "reinforcement-learning.md").read_text("utf-8")


@pytest.mark.slow
def test_the_programs_of_the_page_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    started: list[Any] = []
    monkeypatch.setattr("tabiya.run", lambda bot, address, **more: started.append((bot, more)), raising=False)
    names: dict[str, Any] = {"__name__": "page"}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(block.replace("10_000", "10"), "page", "exec"), names)  # noqa: S102  # our own page
    assert names["now"].masks.shape == (256, names["batch"].encoding.actions)
    assert parquet.read_table("data/games.parquet").num_rows == 10
    start = load_game("reversi").start()
    for bot in (started[0][0], names["Mine"]()):
        assert isinstance(bot, PolicyBot)
        assert bot._encoding.move(start, names["policy"](np.zeros(1), bot._encoding.mask(start))) in start.legal_moves()
    assert started[0][1] == {"seek": "reversi"}


def test_the_shapes_of_the_page_are_those_of_the_encodings() -> None:
    found = re.findall(r"^\| `(\w+)`.*\| ([\dx ]+) \| ([\d,]+) \|$", PAGE.partition("## A policy")[0], re.MULTILINE)
    assert len(found) == 5
    for game, shape, actions in found:
        encoding = Encoding(load_game(game).start())
        assert (encoding.shape, encoding.actions) == (
            tuple(map(int, shape.split(" x "))),
            int(actions.replace(",", "")),
        )
