"""Options of a command in a file: they count as on the command line, which wins; what is wrong is one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabiya.match.plan import MatchPlan
from tabiya.server.ratings.sprt import Sprt
from tests.tabiya.cli.command_runner import tabiya

SETTINGS = """
players = ["greedy?tc=5", "random"]
game = "reversi"
games = 6
time = "10+0.1"
maxmoves = 40
sprt = "elo0=0 elo1=5"
option = []
"""


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[MatchPlan]:
    """The matches that would have been played."""
    asked = list[MatchPlan]()

    def play(plan: MatchPlan, *_: object) -> bool:
        asked.append(plan)
        raise KeyboardInterrupt

    monkeypatch.setattr("tabiya.cli.players.match._play", play)
    return asked


def test_options_of_a_file_count_and_those_beside_it_win(plans: list[MatchPlan], tmp_path: Path) -> None:
    file = tmp_path / "match.toml"
    file.write_text(SETTINGS)
    tabiya("match", "--config", str(file))
    tabiya("match", "random", "greedy", "--config", str(file), "--time", "none", "-n", "2", "--sprt", "elo0=1 elo1=2")
    [of_file, beside] = plans
    assert (of_file.players, of_file.game, of_file.games) == (("greedy", "random"), "reversi", 6)
    assert (of_file.time_control, of_file.sprt) == ("5+0,10+0.1", Sprt(elo0=0, elo1=5))
    assert of_file.adjudication is not None
    assert of_file.adjudication.maxmoves == 40
    assert (beside.players, beside.game, beside.games) == (("random", "greedy"), "reversi", 2)
    assert (beside.time_control, beside.sprt) == ("none", Sprt(elo0=1, elo1=2))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('gmae = "nim"', "has 'gmae', which is no option of this command; did you mean game?"),
        ("game = true", "game is a text or a number, not True"),
        ("option = [[1]]", "option is a text or a number or a list of texts, not [[1]]"),
        ('resume = "yes"', "resume is true or false, not 'yes'"),
        ('players = "random"', "players are a list of 2 texts"),
        ("game = ", "is no TOML: Invalid value"),
        ('game = "nim"\ngames = "many"', "invalid value for '--games' / '-n': it should be a valid integer"),
        ('config = "other.toml"', "has 'config', which is no option of this command"),
    ],
)
def test_what_a_file_cannot_say_is_one_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "match.toml"
    file.write_text(text)
    assert sentence in tabiya("match", "random", "greedy", "--config", str(file)).sentence


def test_a_file_that_is_not_there_is_one_sentence() -> None:
    assert "none.toml cannot be read: No such file" in tabiya("match", "--config", "none.toml").sentence
