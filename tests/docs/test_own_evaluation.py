"""The page about an evaluation of one's own: its classes compile and play, its text about mistakes is what is said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bots.adapters.python_file import load_own
from bots.own.player import OwnPlayer
from bots.think import ThinkMatch
from games.registry import load_game
from tests.bots.requests import request_at

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "your-own-evaluation.md").read_text("utf-8")
PROGRAMS = re.findall(r"```python\n(.+?)```", PAGE, re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS, ids=["reversi", "chess"])
def test_what_the_page_shows_compiles_and_plays(program: str, tmp_path: Path) -> None:
    (tmp_path / "shown.py").write_text(program)
    name = re.findall(r"class (\w+)", program)[0]
    own, said = load_own(str(tmp_path / "shown.py"), name), list[str]()
    assert own is not None
    game = own.games[0]
    player = OwnPlayer(own, depth=3, table_mb=1, tell=said.append)
    player.new_match(ThinkMatch(match=1, game=game))
    position = load_game(game).start()
    assert player.choose(request_at(position)).move in position.legal_moves()
    assert said == []


def test_the_page_shows_two_programs() -> None:
    assert len(PROGRAMS) == 2
