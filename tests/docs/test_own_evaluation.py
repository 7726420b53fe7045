"""The page about an evaluation of one's own: its classes compile and play, its text about mistakes is what is said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tabiya.bots.custom_evaluation.player import CustomEvaluatorPlayer
from tabiya.bots.players.api import MatchInfo
from tabiya.bots.players.from_file import load_custom_evaluator
from tabiya.games.registry import load_game
from tests.bots.requests import request_at

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "your-own-evaluation.md").read_text("utf-8")
*PROGRAMS, TUNING = re.findall(r"```python\n(.+?)```", PAGE, re.DOTALL)

POSITION = re.findall(r'parse\("(.+?)"\)', TUNING)[0]


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS, ids=["reversi", "chess", "parameters"])
def test_what_the_page_shows_compiles_and_plays(program: str, tmp_path: Path) -> None:
    (tmp_path / "shown.py").write_text(program)
    name = re.findall(r"class (\w+)", program)[0]
    own, lines = load_custom_evaluator(str(tmp_path / "shown.py"), name), list[str]()
    assert own is not None
    game = own.games[0]
    player = CustomEvaluatorPlayer(own, depth=3, table_mb=1, report=lines.append)
    player.new_match(MatchInfo(match=1, game=game))
    position = load_game(game).start()
    assert player.choose(request_at(position)).move in position.legal_moves()
    assert lines == []


@pytest.mark.slow
def test_the_tuning_that_the_page_shows_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tuned.py").write_text(PROGRAMS[-1])
    monkeypatch.chdir(tmp_path)
    exec(TUNING, {})  # noqa: S102 (what the page shows)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [line[0] for line in lines] == ["0", "100", "200", "300"]
    assert len({line[1] for line in lines}) == 4
    legal = load_game("reversi").parse(POSITION).legal_moves()
    assert {line[2] for line in lines} <= set(legal)


def test_the_page_shows_three_programs_and_a_tuning() -> None:
    assert len(PROGRAMS) == 3
