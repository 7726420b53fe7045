"""One grammar for a player everywhere; every mistake is one clear sentence."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tabiya.bots.players.api import Player
from tabiya.bots.players.build import build_player, player_games
from tabiya.bots.players.catalogue import level_games, level_names, levels_of
from tabiya.bots.players.spec import DEEPEST, PlayerError, PlayerKind, PlayerSpec, parse_player, with_options
from tabiya.games.registry import names

BOT = """
from tabiya import Bot

class First(Bot):
    games = ("reversi",)

    def choose(self, turn):
        return turn.legal_moves[0]

class Broken(Bot):
    def __init__(self):
        raise KeyError("weights")

class NoBot:
    pass
"""
MAKING = "from tabiya import Bot\n\nclass Mine(Bot):\n\n    def __init__(self):\n        {}\n"


@pytest.mark.parametrize(
    ("text", "depth", "time_s"),
    [
        ("pvs", None, None),
        ("pvs:6", 6, None),
        ("minimax:3", 3, None),
        ("alphabeta:64", 64, None),
        ("pvs:2s", None, 2.0),
        ("pvs:0.5s", None, 0.5),
        ("pvs:500ms", None, 0.5),
        ("pvs:8@0.5s", 8, 0.5),
        ("alphabeta:4@250ms", 4, 0.25),
    ],
)
def test_an_algorithm_takes_a_depth_a_time_or_both(text: str, depth: int | None, time_s: float | None) -> None:
    name = text.partition(":")[0]
    assert parse_player(text) == PlayerSpec(PlayerKind.SEARCH, text, name=name, depth=depth, time_s=time_s)


@pytest.mark.parametrize("text", level_names())
def test_every_level_of_the_roster_is_a_player_of_its_games(text: str) -> None:
    assert parse_player(text) == PlayerSpec(PlayerKind.LEVEL, text, name=text)
    assert player_games(text) == level_games(text)


@pytest.mark.parametrize(
    ("text", "command", "games"),
    [
        ("uci:stockfish", ("stockfish",), ("chess", "chess960")),
        ("uci:'/opt/my engine' --hash 64", ("/opt/my engine", "--hash", "64"), ("chess", "chess960")),
        ("nboard:./engine", ("./engine",), ("reversi",)),
        ("xboard:./engine", ("./engine",), ("chess", "chess960")),
    ],
)
def test_a_program_is_a_command_line(text: str, command: tuple[str, ...], games: tuple[str, ...]) -> None:
    found = parse_player(text)
    assert (found.kind.value, found.command) == (text.partition(":")[0], command)
    assert player_games(text) == games


@pytest.mark.parametrize(
    ("text", "command", "options"),
    [
        ("uci:stockfish?Hash=64", ("stockfish",), (("Hash", "64"),)),
        (
            "uci:'my engine' -x?Skill Level=3&Clear Hash=",
            ("my engine", "-x"),
            (("Skill Level", "3"), ("Clear Hash", "")),
        ),
        ("uci:stockfish?Book File=/a=b?c=1", ("stockfish?Book", "File=/a=b"), (("c", "1"),)),
        ("uci:engine --odd?name?", ("engine", "--odd?name"), ()),
        ("nboard:edax?depth=8", ("edax",), (("depth", "8"),)),
    ],
)
def test_options_of_an_engine_follow_its_last_question_mark(
    text: str, command: tuple[str, ...], options: tuple[tuple[str, str], ...]
) -> None:
    found = parse_player(text)
    assert (found.command, found.options) == (command, options)


@pytest.mark.parametrize(
    ("written", "options"),
    [
        ("File=/a%26b%3F.nn&Hash=4", (("File", "/a&b?.nn"), ("Hash", "4"))),
        ("a%3db=%3f%3D", (("a=b", "?="),)),
        ("Share=50%&Text=%2526%20%", (("Share", "50%"), ("Text", "%26%20%"))),
    ],
)
def test_the_signs_between_options_can_be_written_in_them(written: str, options: tuple[tuple[str, str], ...]) -> None:
    assert parse_player(f"uci:engine?{written}").options == options
    assert parse_player(with_options("uci:engine", options)).options == options


@pytest.mark.parametrize(
    "text", ["nboard:edax?depth=x", "nboard:edax?depth=61", "nboard:edax?depth=0600", "nboard:edax?Hash=1"]
)
def test_an_nboard_engine_has_one_option(text: str) -> None:
    with pytest.raises(PlayerError, match="NBoard takes one option, depth=1 to depth=60, not"):
        build_player(text)


@pytest.mark.parametrize(
    ("text", "path"), [("my_bot.py:MyBot", "my_bot.py"), (r"C:\bots\my bot.py:MyBot", r"C:\bots\my bot.py")]
)
def test_a_python_file_names_its_class(text: str, path: str) -> None:
    assert parse_player(text) == PlayerSpec(PlayerKind.FILE, text, name="MyBot", path=path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a player is a text of 1 to 20000 characters"),
        ("x" * 20_001, "a player is a text of 1 to 20000 characters"),
        ("gredy", "there is no player 'gredy'; did you mean greedy"),
        ("pvs6", "did you mean pvs"),
        ("alphabta:4", "did you mean alphabeta"),
        ("my_bot:Mine", "there is no player 'my_bot:Mine'; did you mean my_bot.py:Mine?"),
        ("my_bot.ipynb:Mine", "save a notebook as a Python file; in Jupyter: File, Save"),
        ("quantum", "there is no player 'quantum' (levels: random, greedy,"),
        ("pvs:", "pvs takes a depth (pvs:6), a time (pvs:2s) or both (pvs:8@0.5s)"),
        ("pvs:six", "'pvs:six' is not understood"),
        ("pvs:-1", "'pvs:-1' is not understood"),
        ("pvs:@2s", "'pvs:@2s' is not understood"),
        ("pvs:62s5", "'pvs:62s5' is not understood"),
        ("minimax:0", "asks for 0 plies; a search is 1 to 64 plies deep"),
        ("minimax:65", "asks for 65 plies"),
        ("pvs:0s", "asks for 0 s a move"),
        ("pvs:86401s", "asks for 86401 s a move"),
        ("uci:", "uci: needs a command, such as uci:./engine"),
        ("nboard: ", "nboard: needs a command"),
        ("uci:stockfish?Hash", "the options of 'uci:stockfish?Hash' are written NAME=VALUE&NAME=VALUE"),
        ("uci:stockfish?=64", "are written NAME=VALUE"),
        ("uci:'open", "cannot be read: No closing quotation"),
        ("bot.py", "'bot.py' needs the name of a class: 'bot.py:MyBot'"),
        ("bot.py:", "needs the name of a class"),
        ("bot.py:My Bot", "needs the name of a class"),
    ],
)
def test_every_mistake_is_one_sentence_that_says_what_is_allowed(text: str, message: str) -> None:
    with pytest.raises(PlayerError) as caught:
        parse_player(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_player_is_asked_for_no_more_depth_than_a_search_has() -> None:
    from tabiya.bots.search.limits import DEEPEST as SEARCHED

    assert DEEPEST == SEARCHED


def test_every_registered_game_has_levels_from_random_up_and_each_can_be_built() -> None:
    for game in names():
        levels = levels_of(game)
        assert levels[0].name == "random"
        assert "greedy" in [level.name for level in levels[:3]]
        assert len({level.name for level in levels}) == len(levels) >= 4
        for level in levels:
            assert isinstance(build_player(level.name), Player)
            assert isinstance(build_player(level.player), Player)
            assert game in player_games(level.player)


def test_reading_a_player_loads_no_compiler() -> None:
    code = (
        "import sys; from tabiya.bots.players.build import player_games\n"
        "from tabiya.bots.players.spec import parse_player\nfrom tabiya.bots.players.catalogue import levels_of\n"
        "[player_games(t) for t in ('greedy', 'pvs:6', 'uci:x', 'perfect')];"
        "sys.exit(bool({'numba', 'numpy', 'llvmlite'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def test_a_bot_in_a_file_is_asked_for_its_games(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(BOT)
    assert player_games(f"{file}:First") == ("reversi",)
    assert isinstance(build_player(f"{file}:First"), Player)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Second", "there is no class Second in FILE (it has First, Broken)"),
        ("NoBot", "NoBot in FILE is no class that derives from tabiya.Bot (it has First, Broken)"),
        ("Bot", "Bot in FILE is no class that derives from tabiya.Bot"),
        ("Broken", "Broken() in FILE fails: line 12: KeyError: 'weights'"),
    ],
)
def test_a_file_without_the_bot_is_one_clear_sentence(tmp_path: Path, name: str, message: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(BOT)
    with pytest.raises(PlayerError) as caught:
        build_player(f"{file}:{name}")
    assert message.replace("FILE", str(file)) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("path", ["./mine.py", "deeper/../mine.py"])
@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import no_such_module", "cannot be loaded: line 1: ModuleNotFoundError: No module named 'no_such_module'"),
        ("x = 1\ny = x / 0\n", "cannot be loaded: line 2: ZeroDivisionError: division by zero"),
        ("def f(:\n", "cannot be loaded: line 1: SyntaxError"),
        ("import sys\nsys.exit(2)\n", "cannot be loaded: line 2: SystemExit: 2"),
        (MAKING.format("int('x')"), "fails: line 6: ValueError"),
        (MAKING.format("raise SystemExit(3)"), "fails: line 6: SystemExit: 3"),
    ],
)
def test_a_bot_that_cannot_be_made_names_line_and_cause_however_its_path_is_written(
    source: str, message: str, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "deeper").mkdir()
    (tmp_path / "mine.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PlayerError) as caught:
        build_player(f"{path}:Mine")
    assert f"{Path(path)} {message}" in str(caught.value)


def test_a_file_that_is_not_there_is_one_clear_sentence() -> None:
    with pytest.raises(PlayerError, match=r"the file 'nowhere/mine.py' cannot be read: No such file"):
        build_player("nowhere/mine.py:Mine")


def test_two_files_with_one_class_name_are_two_bots_and_an_edited_file_is_read_again(tmp_path: Path) -> None:
    answers = []
    for folder, number in (("a", 0), ("b", 1), ("a", 2)):
        (tmp_path / folder).mkdir(exist_ok=True)
        file = tmp_path / folder / "mine.py"
        file.write_text(BOT.replace("legal_moves[0]", f"legal_moves[{number}]"))
        from tabiya.bots.players.from_file import load_bot

        answers.append(load_bot(str(file), "First").choose.__code__.co_consts)
    assert answers[0] != answers[1] != answers[2]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("uci:./engine --hash 4", "uci:./engine --hash 4?A=1&Skill Level=2"),
        ("uci:./engine?Hash=4", "uci:./engine?Hash=4&A=1&Skill Level=2"),
        ("uci:./engine --why?" + "?", "uci:./engine --why??A=1&Skill Level=2"),
        ("my.py:Mine:6", "my.py:Mine:6?A=1&Skill Level=2"),
        ("my.py:Mine?best.json", "my.py:Mine?best.json&A=1&Skill Level=2"),
    ],
)
def test_a_player_with_further_options_is_the_same_player(text: str, written: str) -> None:
    added = (("A", "1"), ("Skill Level", "2"))
    assert with_options(text, added) == written
    before, after = parse_player(text), parse_player(written)
    assert after == replace(before, text=written, options=before.options + added)


def test_the_engine_takes_its_margin_and_a_program_its_depth() -> None:
    assert parse_player(with_options("pvs:4", [("margin", "30")])).margin == 30
    assert with_options("nboard:./edax", [("depth", "8")]) == "nboard:./edax?depth=8"


@pytest.mark.parametrize(
    ("text", "name", "why"),
    [
        (
            "greedy",
            "a",
            "gomocup:COMMAND, pvs and a class with numbers of its own",
        ),
        ("minimax:3", "a", "'minimax:3' takes no options"),
        ("program:./bot", "a", "'program:./bot' takes no options"),
        ("uci:./engine?Hash=4", "hash", "'uci:./engine?Hash=4' has the option 'hash' already"),
        ("pvs:4", "depth", "pvs takes one option"),
        ("pvs:4?margin=3", "margin", "pvs takes one option"),
    ],
)
def test_options_that_a_player_does_not_take_are_refused_in_a_sentence(text: str, name: str, why: str) -> None:
    with pytest.raises(PlayerError) as refused:
        with_options(text, [(name, "1")])
    assert why in str(refused.value)
