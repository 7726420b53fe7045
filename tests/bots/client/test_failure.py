"""How the mistake of a bot's author is shown."""

from __future__ import annotations

import contextlib
import json
import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.error import URLError

import msgspec
import pytest

from tabiya.bots.client.bot import Bot
from tabiya.bots.client.choice import Choice
from tabiya.bots.client.class_check import check_choose, check_fields, check_init, misspelt, remarks
from tabiya.bots.client.events import BotError, EventTexts
from tabiya.bots.client.failure import (
    METHOD,
    NO_NETWORK,
    NOTEBOOK,
    OVER,
    AnswerError,
    ProgramFailure,
    RemoteFault,
    SourceLine,
    failure_of,
)
from tabiya.bots.client.turn import Turn
from tabiya.games.errors import IllegalMove
from tabiya.games.registry import load_game
from tabiya.protocol.messages import MatchStarted
from tests.bots.client.fake_server import turn


def beyond(moves: tuple[str, ...]) -> str:
    return moves[len(moves)]


def raised(function: object, *arguments: object) -> BaseException:
    assert callable(function)
    try:
        function(*arguments)
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def test_the_authors_lines_stand_above_the_error_with_what_was_at_work_in_them_marked() -> None:
    failure = failure_of(raised(beyond, ("a1",)), "choose", Turn(turn(ply=4), 0.0))
    text = failure.text()
    assert text.splitlines()[0] == "choose failed in match 1, game tictactoe, seat 0, ply 4:"
    assert text.splitlines()[-4:] == [
        f"  tests/bots/client/test_failure.py, line {beyond.__code__.co_firstlineno + 1}, in beyond",
        "    return moves[len(moves)]",
        "           ~~~~~^^^^^^^^^^^^",
        "IndexError: tuple index out of range",
    ]
    assert "  position: --------- X" in text


def test_in_a_line_it_is_the_error_behind_the_authors_last_line() -> None:
    failure = failure_of(raised(beyond, ("a1",)), "choose")
    line = beyond.__code__.co_firstlineno + 1
    assert failure.in_a_line() == f"test_failure.py, line {line}: IndexError: tuple index out of range"
    assert ProgramFailure(called="choose", error="it ended").in_a_line() == "it ended"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import no_such_module", "No module named 'no_such_module' (it is not installed where this runs, "),
        ("raise EOFError", "EOFError (nobody can type here; everything that a move needs is in the turn)"),
        ("raise MemoryError", "MemoryError (it needs more memory than it may use)"),
        ("(lambda f: f(f))(lambda f: f(f))", "(a function calls itself without end)"),
        ("(lambda: exit())()", "SystemExit: None (a bot that ends cannot answer)"),
        (
            "raise SystemExit",
            "SystemExit (the server loads the file first: put code that plays or waits below if __name__",
        ),
    ],
)
def test_an_unclear_error_of_python_gets_a_hint(text: str, words: str) -> None:
    assert words in failure_of(raised(exec, text), "choose").error


def test_a_failure_travels_between_processes_and_is_the_same_there() -> None:
    failure = failure_of(raised(beyond, ()), "choose", Turn(turn(), 0.0))
    sent = msgspec.json.decode(msgspec.json.encode(failure), type=ProgramFailure)
    assert sent == failure
    assert failure_of(RemoteFault(sent), "Mine: choose").called == "Mine: choose"


def test_what_is_not_the_authors_is_left_out_and_counted() -> None:
    failure = failure_of(raised(msgspec.json.decode, b"{"), "choose")  # compiled: no line of the library
    assert [line.function for line in failure.lines] == ["raised"]
    fault = failure_of(raised(lambda: check_choose(Bot, Bot)), "choose")
    assert [line.function for line in fault.lines] == ["raised", "<lambda>"]
    assert fault.left_out == 1
    assert "(and 1 call more, which is not of your file" in fault.text()


def test_of_a_recursion_the_first_lines_and_the_last_are_shown() -> None:
    def again(depth: int) -> int:
        return again(depth + 1) + 1

    failure = failure_of(raised(again, 0), "choose")
    assert failure.error.startswith("RecursionError: maximum recursion depth exceeded")
    assert [line.function for line in failure.lines] == ["raised", *["again"] * 7]
    assert failure.left_out > 500


def test_a_fault_in_code_that_is_not_the_authors_shows_all_of_its_lines() -> None:
    with ThreadPoolExecutor() as pool:
        error = pool.submit(json.loads, "{").exception()
    assert error is not None
    failure = failure_of(error, "choose")
    assert failure.left_out == 0
    assert failure.lines[-1].file.endswith("decoder.py")


def test_a_syntax_error_is_shown_at_its_line() -> None:
    source = "class Mine(Bot):\n    def choose(self, turn)\n        return 1\n"
    failure = failure_of(raised(compile, source, "mine.py", "exec"), "loading mine.py")
    assert failure.lines[-1] == SourceLine("mine.py", 2, "<module>", "def choose(self, turn)", " " * 22 + "^")
    assert failure.error == "SyntaxError: expected ':'"


def test_a_sentence_of_ours_is_shown_without_the_name_of_its_class() -> None:
    def plays() -> None:
        raise IllegalMove("'z9' is not legal here")

    failure = failure_of(raised(plays), "choose")
    assert failure.error == "'z9' is not legal here"
    assert failure.lines[-1].text == """raise IllegalMove("'z9' is not legal here")"""


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("len(turn.position)", f" ({METHOD})"),
        ("turn.position.legal_moves()", f" ({METHOD})"),
        ("turn.position[0]", f" ({METHOD})"),
        ("turn.legal_moves()", " (a tuple is not called: turn.legal_moves, without ())"),
        ("start[0]", " (text() writes it, legal_moves() lists its moves)"),
        ("None.winner", " (outcome() is None while the game goes on)"),
        ("None.moves", ""),
        ("turn['legal_moves']", " (its parts are attributes, as in turn.legal_moves)"),
        ("setattr(turn, 'seat', 1)", " (a turn is only read)"),
        ("pickle.dumps(turn)", " (another process can be given texts and turn.position(), not the turn)"),
        ("Choice('a1', score=20)", " (Choice(move, info=MoveInfo(score=20)))"),
        ("max(())", f" ({OVER})"),
        ("random.choice(())", f" ({OVER})"),
        ("get_ipython()", f" ({NOTEBOOK})"),
        ("compile('%matplotlib inline', 'bot.py', 'exec')", f" ({NOTEBOOK})"),
        ("open_url()", f" ({NO_NETWORK})"),
        ("turn.legal_moves['b2']", ""),
    ],
)
def test_a_missing_attribute_is_named_where_python_does_not_name_it(source: str, hint: str) -> None:
    names = {"turn": Turn(turn(), 0.0), "start": load_game("nim").start(), "Choice": Choice, "open_url": open_url}
    failure = failure_of(raised(eval, source, names | {"pickle": pickle, "random": random}), "choose")
    assert failure.error.endswith(hint)
    assert hint or " (" not in failure.error


def open_url() -> None:
    raise URLError(OSError(-3, "Temporary failure in name resolution"))


def test_a_file_that_is_beside_the_program_and_not_where_it_was_started_is_found_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "book.txt").touch()
    program = tmp_path / "bot.py"
    for name in ("book.txt", "mybot/book.txt"):
        failure = failure_of(raised(exec, compile(f"open({name!r})", program, "exec")), "loading bot.py")
        assert "(it is beside bot.py: write Path(__file__).parent / 'book.txt'" in failure.error
    missing = failure_of(raised(exec, compile("open('other.txt')", program, "exec")), "loading bot.py")
    assert missing.error == "FileNotFoundError: [Errno 2] No such file or directory: 'other.txt'"


def test_a_wrong_attribute_of_our_classes_lists_the_existing_ones() -> None:
    failure = failure_of(raised(getattr, Turn(turn(), 0.0), "moves"), "choose")
    assert failure.error.startswith("AttributeError: 'Turn' object has no attribute 'moves'")
    assert " (it has clock_ms, deadline, " in failure.error
    assert "legal_moves, " in failure.error
    assert "_" not in {name[0] for name in failure.error.partition(" (it has ")[2].split(", ")}


class SetsUpAMatch(Bot):
    def match_started(self, match: MatchStarted) -> None:
        self.seen = [match.position]

    def choose(self, turn: Turn) -> str:
        return turn.legal_moves[len(self.seen)]


def test_an_attribute_set_by_a_hook_that_only_a_server_calls_gets_a_hint() -> None:
    hint = " (match_started sets seen, and is not called without a server: set it in __init__, too)"
    assert failure_of(raised(SetsUpAMatch().choose, Turn(turn(), 0.0)), "choose").error.endswith(hint)
    assert hint not in failure_of(raised(getattr, SetsUpAMatch(), "other"), "choose").error


def test_nothing_in_a_failure_can_command_the_terminal_and_colour_is_given_only_where_asked_for() -> None:
    failure = ProgramFailure(called="choose", error="ValueError: \x1b[2J", position="\x1b]0;title\x07")
    assert "\x1b" not in failure.text()
    assert failure.text(colour=True).count("\x1b") == 4  # a bold first line, a red error


def test_the_same_mistake_is_shown_in_full_once() -> None:
    texts, first = EventTexts(), failure_of(raised(beyond, ()), "choose", Turn(turn(), 0.0))
    later = failure_of(raised(beyond, ("b2",)), "choose", Turn(turn(ply=2), 0.0))
    other = failure_of(raised(beyond, None), "choose", Turn(turn(ply=2), 0.0))  # another error at the same line
    assert texts.text(BotError(first, "the bot resigns")) == f"{first.text()}\nthe bot resigns"
    reported = texts.text(BotError(later, "the bot resigns"))
    assert reported == "match 1, ply 2: choose failed as before: IndexError: tuple index out of range; the bot resigns"
    assert texts.text(BotError(other, "then")) == f"{other.text()}\nthen"
    assert texts.failures == [first, other]


class Misspelt(Bot):
    def chose(self, turn: Turn) -> str:
        return turn.legal_moves[0]

    def search(self, turn: Turn) -> str:
        return self.chose(turn)


class Chosen(Bot):
    def choose(self, turn: Turn) -> str:
        return self.chosen(turn)

    def chosen(self, turn: Turn) -> str:
        return turn.legal_moves[0]


def test_a_method_whose_name_is_nearly_that_of_a_hook_is_warned_of() -> None:
    line = Misspelt.chose.__code__.co_firstlineno
    assert list(misspelt(Misspelt, Bot)) == [f"nothing calls Misspelt.chose (line {line}); is choose meant?"]
    assert not list(misspelt(Chosen, Bot))  # its choose is there


class LosesPositions(Bot):
    def choose(self, turn: Turn) -> str:
        position = turn.position()
        for move in turn.legal_moves:
            position.play(move)
        turn.position().play("b2")
        return turn.legal_moves[0]

    async def opponent_offers_draw(self, turn: Turn) -> bool:
        before = turn.position()
        if turn.ply:
            before.play("a1")
        return False


class KeepsPositions(Bot):
    def choose(self, turn: Turn) -> str:
        position = turn.position()
        with contextlib.suppress(ValueError):
            position.play("z9")  # is it legal?
        try:
            position.play("z9")
        except ValueError:
            position = position.play(turn.legal_moves[0])
        position.play("a1")  # it may be anything now
        turn.board.play("a1")  # type: ignore[attr-defined]
        return turn.legal_moves[0] if position.play("a1").outcome() else "a1"

    def search(self, turn: Turn) -> None:
        turn.position().play("a1")  # nobody knows what it is called with


def test_a_position_that_is_played_on_and_not_kept_is_remarked_on() -> None:
    line = LosesPositions.choose.__code__.co_firstlineno
    first, second, third = remarks(LosesPositions, Bot)
    assert first == (
        f"LosesPositions.choose, line {line + 3}: position.play(move) changes nothing; "
        "write after = position.play(move) and use after"
    )
    assert f"line {line + 4}: turn.position().play('b2') changes nothing" in second
    assert "opponent_offers_draw" in third
    assert "before.play('a1')" in third
    assert not list(remarks(KeepsPositions, Bot))


def test_a_class_without_choose_or_with_one_that_takes_no_turn_is_refused() -> None:
    class WithoutSelf(Bot):
        def choose(turn) -> str:  # type: ignore[override]  # noqa: N805
            return ""

    with pytest.raises(
        AnswerError, match=r"^Misspelt needs a method choose\(self, turn\); nothing calls Misspelt"
    ) as none:
        check_choose(Misspelt, Bot)
    assert failure_of(none.value, "choose").lines[-1].line == Misspelt.chose.__code__.co_firstlineno
    with pytest.raises(AnswerError, match=r"must be written choose\(self, turn\), not choose\(turn\)") as found:
        check_choose(WithoutSelf, Bot)
    assert (
        failure_of(found.value, "choose").lines[-1].text
        == "def choose(turn) -> str:  # type: ignore[override]  # noqa: N805"
    )
    check_choose(Chosen, Bot)


def test_a_class_that_needs_arguments_is_refused_at_its_line() -> None:
    class Deep(Bot):
        def __init__(self, depth: int) -> None:
            self.depth = depth

    class Shallow(Bot):
        def __init__(self, depth: int = 1) -> None:
            self.depth = depth

    with pytest.raises(AnswerError, match=r"created without arguments; __init__\(self, depth") as found:
        check_init(Deep)
    assert failure_of(found.value, "Deep()").lines[-1].line == Deep.__init__.__code__.co_firstlineno
    check_init(Shallow)
    check_init(Bot)


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("games", "nim", r'^games is a text, not a tuple of texts; a comma is missing: games = \("nim",\)$'),
        ("games", 3, "^games must be a tuple of texts, not 3$"),
        ("games", ("nim", 3), r"^games must be a tuple of texts, not \('nim', 3\)$"),
        ("version", 2, "^version must be a text in quotation marks, not 2$"),
        ("name", None, "^name must be a text in quotation marks, not None$"),
    ],
)
def test_a_field_of_another_type_is_refused(field: str, value: object, sentence: str) -> None:
    bot = Chosen()
    check_fields(bot)
    setattr(bot, field, value)
    with pytest.raises(AnswerError, match=sentence):
        check_fields(bot)
