"""`tabiya play`: a person at the terminal against a player."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabiya.cli.players.play import typed_move
from tabiya.games.registry import load_game
from tests.tabiya.cli.command_runner import Said, tabiya

BOT = """
from tabiya import Bot, Choice


class Last(Bot):
    def choose(self, turn):
        return turn.legal_moves[-1]


class Resigns(Bot):
    def choose(self, turn):
        return Choice(turn.legal_moves[0], resign=True)


class Cheats(Bot):
    def choose(self, turn):
        return "a1"


class Fails(Bot):
    def choose(self, turn):
        return 1 // 0


class Sings(Bot):
    def choose(self, turn):
        return "\\x1b[2J"
"""


def play(*typed: str, player: str = "bot.py:Last", game: str = "tictactoe", words: tuple[str, ...] = ()) -> Said:
    """A game in which these lines are typed."""
    Path("bot.py").write_text(BOT)
    return tabiya("play", player, "--game", game, "--seed", "1", *words, stdin="".join(f"{line}\n" for line in typed))


def test_a_game_is_played_to_its_end_and_the_result_is_said() -> None:
    printed = play("a1", "b1", "c1")
    assert printed.status == 0
    assert (
        "You are X. Type a move (column letter and row number, such as b2), or: moves, undo, resign, help"
        in printed.out
    )
    assert " 3 . . O\n 2 . . .\n 1 X . .\n   a b c\n" in printed.out
    assert "O> c3\n" in printed.out
    assert printed.out.endswith(" 1 X X X\n   a b c\n\nYou win: line.\n")


def test_as_second_player_one_sees_the_opponents_first_move() -> None:
    printed = play("resign", words=("--seat", "2"))
    assert "You are O." in printed.out
    assert printed.out.index("X> c3") < printed.out.index("O> ")


def test_losing_is_said() -> None:
    printed = play("b2", words=("--position", "3x3x3 OO-X---X- X"), player="pvs:2")
    assert printed.out.endswith("You lose: line.\n")


def test_a_draw_is_said_to_be_one() -> None:
    printed = play("c1", words=("--position", "3x3x3 XO-XOOOXX X"))
    assert printed.out.endswith("A draw: full board.\n")


@pytest.mark.parametrize(
    ("game", "typed", "move"),
    [
        ("tictactoe", "B1", "b1"),
        ("reversi", "D3", "d3"),
        ("chess", "e4", "e2e4"),
        ("chess", "Nf3", "g1f3"),
        ("chess", "E2E4", "e2e4"),
    ],
)
def test_a_move_may_be_typed_as_people_write_it(game: str, typed: str, move: str) -> None:
    assert typed_move(load_game(game).start(), typed) == move


def test_a_typed_move_is_played_whatever_the_case_of_its_letters() -> None:
    assert "\n 1 . X .\n" in play("B1", "resign").out


def test_a_move_that_is_wrong_is_explained_and_asked_again() -> None:
    printed = play("z9", "zz", "a1", "a1", "resign")
    assert printed.status == 0
    assert "'zz' is not a move in the notation of Tic-tac-toe (column letter and row number, such as b2)" in printed.out
    assert "'a1' is not legal in 3x3x3 X-------O X" in printed.out


def test_the_legal_moves_are_listed() -> None:
    assert "X> a1 b1 c1 a2 b2 c2 a3 b3 c3\n" in play("moves", "resign").out


@pytest.mark.parametrize("word", ["help", "?", ""])
def test_help_can_be_had_in_the_game(word: str) -> None:
    assert "X> type a move (column letter and row number, such as b2), or: moves, undo" in play(word, "resign").out


def test_a_move_is_taken_back_with_the_answer_to_it() -> None:
    printed = play("a1", "b1", "undo", "undo", "undo", "b2", "resign")
    boards = printed.out.split("X> ")
    assert " 1 X . .\n" in boards[3]
    assert " 1 . . .\n" in boards[4]
    assert boards[5].startswith("there is no move of yours to take back")
    assert " 2 . X .\n 1 . . .\n" in boards[6]


def test_in_the_second_seat_the_first_move_of_the_player_stays() -> None:
    printed = play("a1", "undo", "undo", "resign", words=("--seat", "2"))
    boards = printed.out.split("O> ")
    assert " 3 . . X\n 2 . . .\n 1 . . .\n" in boards[2]
    assert boards[3].startswith("there is no move of yours")


@pytest.mark.parametrize(
    "typed", [("resign",), ("quit",), ("exit",), ()], ids=["resign", "quit", "exit", "end of input"]
)
def test_a_game_can_be_given_up(typed: tuple[str, ...]) -> None:
    printed = play(*typed)
    assert printed.status == 0
    assert printed.out.endswith("You resign.\n")
    assert printed.err == ""


def test_a_player_may_resign_too() -> None:
    assert play("a1", player="bot.py:Resigns").out.endswith("O resigns. You win.\n")


def test_a_search_tells_what_it_thinks() -> None:
    printed = play("resign", player="pvs:3", game="nim", words=("--seat", "2", "--option", "heaps=1,2"))
    assert "First> b1   (depth 3, won in 3 plies, expects b1 " in printed.out


def test_options_of_the_game_are_heard() -> None:
    assert "a  5 |||||\n" in play("resign", game="nim", words=("--option", "heaps=5,1")).out


@pytest.mark.parametrize(
    ("player", "sentence"),
    [
        ("bot.py:Cheats", "bot.py:Cheats broke the rules: 'a1' is not legal in 3x3x3 X-------- O"),
        ("bot.py:Sings", "bot.py:Sings broke the rules: '\\x1b[2J' is not a move"),
    ],
)
def test_a_player_that_fails_is_named_with_what_it_did(player: str, sentence: str) -> None:
    printed = play("a1", player=player)
    assert printed.sentence.startswith(sentence)
    assert "\x1b" not in printed.out + printed.err


def test_where_a_player_failed_is_named() -> None:
    lines = play("a1", player="bot.py:Fails").err.splitlines()
    assert "tabiya: bot.py:Fails: choose failed:" in lines
    assert "  bot.py, line 22, in choose" in lines
    assert lines[-1] == "ZeroDivisionError: integer division or modulo by zero"
