"""Our program by Gomocup's protocol: what becomes UCI, and what is said of it."""

from __future__ import annotations

import pytest

from tabiya.bots.uci.gomocup import GomocupTranslator
from tabiya.games.registry import load_game

GAME = load_game("connect5")


class Talk:
    """A translator, what it has said, and the UCI commands of lines."""

    def __init__(self, *lines: str) -> None:
        self.printed: list[str] = []
        self.translator = GomocupTranslator("Tabiya", "1", self.printed.append)
        self.commands(*lines)

    def commands(self, *lines: str) -> list[str]:
        return list(self.translator.commands(lines))


def position(*moves: str, **sides: int) -> str:
    found = GAME.start(sides or None)
    for move in moves:
        found = found.play(move)
    return f"position fen {found.text()}"


def test_a_game_is_begun_or_answered_by_turns() -> None:
    talk = Talk("about", "start 15")
    assert talk.commands("BEGIN") == [position(), "go movetime 5000"]
    talk.translator.say("bestmove h9 ponder a1")
    assert talk.commands("TURN 7, 7")[0] == position("h9", "h8")
    assert talk.printed == ['name="Tabiya", version="1", author="the authors of Tabiya"', "7,8"]
    assert talk.commands("RESTART") == ["ucinewgame", "isready"]
    assert talk.commands("TURN 0,1")[0] == position("a2")
    talk.translator.say("readyok")
    talk.translator.say("info string hello")
    talk.translator.say("info depth 1")
    talk.translator.say("bestmove (none)")
    assert talk.printed[2:] == ["OK", "MESSAGE hello", "ERROR the game is over"]


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (("0,0,2", "1,0,1", "2,0,2"), position("a1", "b1", "c1")),
        (("0,0,1", "1,0,2"), position("a1", "b1")),
    ],
)
def test_a_whole_board_says_who_has_begun(lines: tuple[str, ...], text: str) -> None:
    assert Talk("START 15", "TURN 5,5").commands("BOARD", *lines, "DONE")[0] == text


def test_boards_of_other_sides_are_played() -> None:
    assert Talk("RECTSTART 20,12").commands("BEGIN")[0] == position(columns=20, rows=12)


@pytest.mark.parametrize(
    ("limits", "ms"),
    [
        (("timeout_turn 300",), 300),
        (("timeout_turn 30000", "timeout_match 100000", "time_left 40000"), 2_000),
        (("timeout_turn 0",), 20),
        (("timeout_turn x", "folder /tmp", "rule 0"), 5_000),
    ],
)
def test_the_limits_of_turn_and_match_give_the_time_of_a_move(limits: tuple[str, ...], ms: int) -> None:
    text = Talk("START 15", *(f"INFO {limit}" for limit in limits)).commands("BEGIN")
    assert text[-1] == f"go movetime {ms}"


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (("START 21",), "ERROR unsupported size; 5 to 20 are played"),
        (("START many",), "ERROR unsupported size; 5 to 20 are played"),
        (("RECTSTART 20",), "ERROR two numbers with a comma between them are needed, not '20'"),
        (("BEGIN",), "ERROR there is no board before START"),
        (("START 15", "TURN 15,0"), "ERROR 15,0 is not on the board"),
        (("START 15", "PLAY 1,1", "TURN 1,1"), "ERROR 1,1 has a stone already"),
        (("START 15", "BOARD", "1,1,1", "DONE"), "ERROR 1 stones against 0: it is not our turn"),
        (("START 15", "BOARD", "1,1,3", "DONE"), "ERROR not a stone of the board: 1,1,3"),
        (("SWAP2BOARD",), "UNKNOWN command"),
    ],
)
def test_lines_that_cannot_be_carried_out_are_errors(lines: tuple[str, ...], answer: str) -> None:
    assert Talk(*lines).printed[-1] == answer


def test_a_stone_can_be_taken_back_and_the_end_is_an_end() -> None:
    talk = Talk("START 15", "TURN 1,1")
    assert talk.commands("TAKEBACK 1,1", "", "TURN 2,1", "END") == [
        "isready",
        position("c2"),
        "go movetime 5000",
        "quit",
    ]
