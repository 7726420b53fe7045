"""Our program by xboard's protocol: what becomes UCI, and what is said of it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator

import pytest

from tabiya.bots.uci.loop import NOT_UNDERSTOOD, UciProgram
from tabiya.bots.uci.xboard import XboardTranslator
from tests.waiting import WITHIN_S


class Talk:
    """A translator, what it has said, and the UCI commands of lines."""

    def __init__(self, *lines: str) -> None:
        self.printed: list[str] = []
        self.translator = XboardTranslator(self.printed.append)
        self.commands(*lines)

    def commands(self, *lines: str) -> list[str]:
        return list(self.translator.commands(lines))

    def hear(self, *lines: str) -> list[str]:
        """What the UCI program says, and what is said then."""
        before = len(self.printed)
        for line in lines:
            self.translator.say(line)
        return self.printed[before:]


def test_it_introduces_itself_with_its_options() -> None:
    talk = Talk()
    assert talk.commands("xboard", "protover 2", "accepted ping") == ["uci", "isready"]
    options = (
        "option name Hash type spin default 16 min 1 max 64",
        "option name Slow type check default true",
        "option name Move Overhead type spin default 10 min 0 max 50",
        "option name Clear Hash type button",
        "option name Level type combo default full var full var easy",
        "option name corner type string default 5",
    )
    printed = talk.hear("id name Tabiya", "id author us", *options, "uciok", "readyok")
    assert printed[0].startswith('feature done=0 myname="Tabiya" ping=1 setboard=1 usermove=1')
    assert printed[1:] == [
        'feature option="Slow -check 1"',
        'feature option="Move Overhead -spin 10 0 50"',
        'feature option="Clear Hash -button"',
        'feature option="Level -combo *full /// easy"',
        'feature option="corner -string 5"',
        "feature done=1",
    ]
    assert talk.commands("option Slow=0", "option Clear Hash", "memory 64", "cores 2") == [
        "setoption name Slow value false",
        "setoption name Clear Hash",
        "setoption name Hash value 64",
        "setoption name Threads value 2",
    ]
    assert talk.commands("ping 7") == ["isready"]
    assert talk.hear("readyok") == ["pong 7"]


def test_it_plays_black_by_default() -> None:
    talk = Talk("new", "level 40 5 0", "time 30000", "otim 29000")
    assert talk.commands("usermove e2e4") == [
        "position startpos moves e2e4",
        "go wtime 290000 btime 300000 winc 0 binc 0 movestogo 40",
    ]
    assert talk.hear("bestmove e7e5 ponder g1f3") == ["move e7e5"]
    assert talk.commands("force", "usermove d2d4", "playother", "st 2", "usermove e5d4", "?") == [
        *["stop", "position startpos moves e2e4 e7e5 d2d4", "stop"],
        *["position startpos moves e2e4 e7e5 d2d4 e5d4", "go movetime 2000", "stop"],
    ]


@pytest.mark.parametrize(
    ("lines", "go"),
    [
        (("level 0 2:05 1.5",), "go wtime 125000 btime 125000 winc 1500 binc 1500"),
        (("level 0 1 0", "sd 5"), "go depth 5 wtime 60000 btime 60000 winc 0 binc 0"),
        (("st 1",), "go movetime 1000"),
        (("level nonsense", "st x"), "go"),
    ],
)
def test_time_controls_become_those_of_uci(lines: tuple[str, ...], go: str) -> None:
    assert Talk("new").commands(*lines, "go")[-1] == go


def test_an_answer_that_is_no_longer_wanted_is_dropped() -> None:
    talk = Talk("new", "go")
    fen = "4k3/8/8/8/8/8/8/4K2R b K - 0 1"
    assert talk.commands("force", f"setboard {fen}") == ["stop", "stop", f"position fen {fen}"]
    assert talk.commands("go") == ["go"]
    assert talk.hear("bestmove e2e4", "bestmove e8d7") == ["move e8d7"]
    assert talk.commands("remove", "undo", "nopost")[0] == "stop"


def test_a_move_that_is_not_legal_is_taken_back() -> None:
    talk = Talk("new", "usermove e2e5")
    assert talk.hear(f"info string {NOT_UNDERSTOOD}: no", "bestmove (none)") == ["Illegal move: e2e5"]
    assert talk.commands("usermove e2e4")[0] == "position startpos moves e2e4"
    talk.commands("setboard nonsense")
    assert talk.hear(f"info string {NOT_UNDERSTOOD}: no") == ["tellusererror Illegal position: nonsense"]


def test_a_move_that_comes_while_it_thinks_is_refused_by_its_own_name_and_changes_nothing() -> None:
    talk = Talk("new", "usermove e2e4")
    assert talk.commands("usermove e7e5") == []
    assert talk.printed[-1] == "Illegal move (it is my turn): e7e5"
    assert talk.hear("bestmove c7c5") == ["move c7c5"]
    assert talk.commands("usermove g1f3")[0] == "position startpos moves e2e4 c7c5 g1f3"
    talk.commands("force")  # nobody wants its answer any more
    assert talk.commands("usermove d7d6") == ["position startpos moves e2e4 c7c5 g1f3 d7d6"]


def test_its_thinking_is_shown_if_wanted() -> None:
    thought = "info depth 5 seldepth 9 multipv 1 score {} nodes 77 nps 9 hashfull 0 time 1234 pv e2e4 e7e5"
    talk = Talk("new")
    assert talk.hear(thought.format("cp 31")) == []
    talk.commands("post")
    printed = talk.hear(*(thought.format(score) for score in ("cp -31", "mate 3", "mate -2")), "info string hello")
    assert printed == [f"5 {score} 123 77 e2e4 e7e5" for score in (-31, 100_003, -100_002)] + ["# hello"]


def pondering() -> Talk:
    """It has answered e4 with e5 and thinks on about Nf3."""
    talk = Talk("new", "hard", "post", "level 0 5 0", "usermove e2e4")
    assert talk.hear("bestmove e7e5 ponder g1f3") == ["move e7e5"]
    assert talk.commands() == ["position startpos moves e2e4 e7e5 g1f3", "go ponder"]
    return talk


def test_it_thinks_on_in_the_opponents_time_and_goes_on_by_its_clock_if_it_was_right() -> None:
    talk = pondering()
    thought = "info depth 5 seldepth 9 multipv 1 score cp 31 nodes 77 nps 9 hashfull 0 time 1234 pv b8c6 f1c4"
    assert talk.hear(thought) == ["5 31 123 77 g1f3 b8c6 f1c4"]
    assert talk.commands("?", "ping 1", "time 29000", "otim 28000") == ["isready"]
    clocks = "wtime 280000 btime 290000 winc 0 binc 0"
    assert talk.commands("usermove g1f3") == [f"ponderhit {clocks}"]
    assert talk.hear(thought, "bestmove b8c6") == ["5 31 123 77 b8c6 f1c4", "move b8c6"]
    moves = "position startpos moves e2e4 e7e5 g1f3 b8c6 f1c4"
    assert talk.commands("usermove f1c4", "?") == [moves, f"go {clocks}", "stop"]


@pytest.mark.parametrize(
    ("lines", "reported"),
    [
        (("usermove d2d4",), ["stop", "position startpos moves e2e4 e7e5 d2d4"]),
        (("memory 64",), ["stop", "setoption name Hash value 64"]),
        (("easy", "usermove g1f3"), ["stop"]),
        (("undo",), ["stop"]),
        (("new",), ["stop", "ucinewgame"]),
        (("go",), ["stop", "position startpos moves e2e4 e7e5"]),
    ],
)
def test_thinking_about_a_move_that_is_not_played_gives_no_answer(lines: tuple[str, ...], reported: list[str]) -> None:
    talk = pondering()
    commands = talk.commands(*lines)
    assert commands[: len(reported)] == reported
    assert talk.hear("bestmove b8c6 ponder f1c4") == []
    if commands[-1].startswith("go"):
        assert talk.hear("bestmove d7d6") == ["move d7d6"]


@pytest.mark.parametrize("line", ["undo", "force", "new", "easy"])
def test_it_does_not_begin_to_think_on_where_something_else_has_come_meanwhile(line: str) -> None:
    talk, has_come, is_answered = Talk("new", "hard"), threading.Event(), threading.Event()

    def lines() -> Iterator[str]:
        yield from ("usermove e2e4", line)
        has_come.set()
        is_answered.wait(WITHIN_S)

    commands = talk.translator.commands(lines())
    assert [next(commands), next(commands)] == ["position startpos moves e2e4", "go"]
    assert has_come.wait(WITHIN_S)
    talk.hear("bestmove e7e5 ponder g1f3")
    is_answered.set()
    assert not [command for command in commands if command.startswith("go")]


def test_a_game_is_played_whose_moves_it_has_expected(compiled: None) -> None:
    printed, received = queue.Queue[str](), queue.Queue[str]()
    translator = XboardTranslator(printed.put)
    program = UciProgram("chess", "Test", translator.say)
    playing = threading.Thread(target=program.run, args=(translator.commands(iter(received.get, "")),))
    playing.start()

    def until(word: str) -> list[str]:
        while (line := printed.get(timeout=WITHIN_S).split())[0] != word:
            pass
        return line

    for line in ("new", "hard", "post", "sd 3", "usermove e2e4"):
        received.put(line)
    until("move")
    for _ in range(3):
        received.put(f"usermove {until('3')[4]}")  # the move that its thinking begins with
        assert len(until("move")) == 2
    received.put("quit")
    received.put("")
    playing.join(WITHIN_S)
    assert not playing.is_alive()


FISCHERANDOM = "setoption name UCI_Chess960 value {}"


def test_chess960_is_a_variant_in_which_castling_has_words() -> None:
    talk = Talk()
    assert talk.hear("option name UCI_Chess960 type check default false") == ['feature variants="normal,fischerandom"']
    fen = "rk2r3/pppppppp/8/8/8/8/PPPPPPPP/RK2R3 w KQkq - 0 1"
    begun = ["stop", "ucinewgame", FISCHERANDOM.format("true"), "stop", "stop", f"position fen {fen}"]
    assert talk.commands("new", "variant fischerandom", "force", f"setboard {fen}") == begun
    talk.commands("go")
    assert talk.hear("bestmove b1e1") == ["move O-O"]
    assert talk.commands("usermove O-O-O") == [f"position fen {fen} moves b1e1 b8a8", "go"]
    talk.hear("bestmove a2a3")
    assert talk.commands("usermove O-O") == []
    assert talk.printed[-1] == "Illegal move: O-O"
    assert talk.commands("new", "variant normal") == ["stop", FISCHERANDOM.format("false"), "ucinewgame"]


@pytest.mark.parametrize("variant", ["fischerandom", "crazyhouse"])
def test_a_variant_that_is_not_offered_is_an_error(variant: str) -> None:
    talk = Talk()
    assert talk.commands(f"variant {variant}") == []
    assert talk.printed == [f"Error (unknown variant): {variant}"]


def test_an_unknown_command_is_an_error_and_quit_ends() -> None:
    talk = Talk()
    assert talk.commands("analyze", "", "quit") == ["quit"]
    assert talk.printed == ["Error (unknown command): analyze"]
