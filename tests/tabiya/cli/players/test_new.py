"""`tabiya new` writes a bot that works as it stands."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tabiya.bots.client.turn import Turn
from tabiya.bots.players.from_file import load_bot
from tabiya.cli.players import new
from tabiya.errors import UserError
from tabiya.games.registry import load_game
from tabiya.protocol.messages import History
from tests.bots.client.fake_server import turn as turn_message

APP = typer.Typer(pretty_exceptions_enable=False)
APP.command()(new.new)


def write(path: Path) -> str:
    """What the command says. Raises UserError as the command does."""
    result = CliRunner().invoke(APP, [str(path)], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stderr


def test_the_file_has_a_bot_named_after_it(tmp_path: Path) -> None:
    file = tmp_path / "deep_thought.py"
    assert "deep_thought.py:DeepThought" in write(file)
    assert type(load_bot(str(file), "DeepThought")).__name__ == "DeepThought"
    text = file.read_text("utf-8")
    assert "$" not in text
    assert max(map(len, text.splitlines())) <= 120
    ast.parse(text)


@pytest.mark.slow
def test_the_bot_takes_a_win_and_otherwise_plays_a_legal_move(tmp_path: Path) -> None:
    file = tmp_path / "my_bot.py"
    write(file)
    bot = load_bot(str(file), "MyBot")
    for text, wins in (("3x3x3 XX-OO---- X", {"c1"}), ("3x3x3 X---O---- X", None)):
        legal = load_game("tictactoe").parse(text).legal_moves()
        message = turn_message(position=text, history=History(position=text), legal_moves=legal)
        assert bot.choose(Turn(message, 0.0)) in (wins or legal)


def test_a_file_that_exists_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "my_bot.py"
    file.write_text("mine")
    with pytest.raises(UserError, match="exists already"):
        write(file)
    assert file.read_text() == "mine"


def test_a_folder_that_does_not_exist_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be written: No such file"):
        write(tmp_path / "nowhere" / "my_bot.py")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("my_bot", "such as my_bot.py"),
        ("my-bot.py", "letters, digits and _"),
        ("class.py", "letters, digits and _"),
        ("7.py", "letters, digits and _"),
        ("random.py", "would hide the package random"),
        ("tabiya.py", "would hide the package tabiya"),
        ("websockets.py", "would hide the package websockets"),
    ],
)
def test_a_name_that_python_cannot_use_or_that_hides_another_is_refused(name: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=why):
        write(tmp_path / name)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize(
    ("file", "name"),
    [("my_bot.py", "MyBot"), ("x.py", "X"), ("deepThought.py", "DeepThought"), ("__.py", "MyBot"), ("bot.py", "MyBot")],
)
def test_the_class_is_named_after_the_file(file: str, name: str) -> None:
    assert new.class_name(Path(file)) == name
