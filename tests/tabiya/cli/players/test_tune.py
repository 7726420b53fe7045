"""`tabiya tune` with real games, killed and resumed; and what it refuses in a sentence before anything is played."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.tabiya.cli.command_runner import Shell, tabiya

ENGINE = """
import sys

skill = 0
for line in sys.stdin:
    words = line.split()
    if line.startswith("uci\\n"):
        print("option name Skill type spin default 0 min 0 max 99\\nuciok")
    elif line.startswith("setoption"):
        skill = int(words[-1])
    elif line.startswith("isready"):
        print("readyok")
    elif line.startswith("position"):
        move = ("a1a8" if int(words[7]) <= skill else "h1g1") if words[3] == "w" and "moves" not in words else "g8f8"
    elif line.startswith("go"):
        print("bestmove", move)
    elif line.startswith("quit"):
        break
    sys.stdout.flush()
"""
"""Gives mate in one if its skill is not below the number of the move, and plays for a draw else."""
OPENINGS = "".join(f"6k1/5ppp/8/8/8/8/8/R6K w - - 0 {number}\n" for number in range(1, 100))
WORDS = "-g chess -p Skill,50,0,99,10,0.1 --pairs 4 -t none --max-moves 1 -n 24 --seed 3 --state run"
NUMBERS = """
from tabiya.evaluators import evaluator


class Mine(evaluator("nim")):
    weight = 1
    shares = [1, 2]
"""


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("pvs:2 -g nim --state run", "1 to 1000 parameters are tuned at a time, not 0"),
        ("pvs:2 -g nim --state run -p margin,5,0", "a parameter is NAME,START,MIN,MAX and if wanted C_END,R_END"),
        ("pvs:2 -g nim --state run -p margin,5,0,4", "margin: START must lie between MIN and MAX, 5 is not in 0 to 4"),
        ("pvs:2 -g nim --state run -p depth,1,0,9", "pvs takes one option"),
        ("pvs:2 -g nim --state run -p margin,1.0,0,9", "pvs takes one option"),
        (
            "greedy -g nim --state run -p margin,1,0,9",
            "'greedy' takes no options; uci:COMMAND, nboard:COMMAND, xboard:COMMAND",
        ),
        ("pvs:2 -g chss --state run -p margin,1,0,9", "there is no game 'chss'"),
        ("pvs:2 -g nim --state no/such/run -p margin,1,0,9", "no/such/run cannot be used: No such file"),
        ("pvs:2 -g nim --state text -p margin,1,0,9", "text was not written by `tabiya tune`; name another file"),
        ("pvs:2 -g nim --state run --parameters none", "the file of parameters 'none' cannot be read: No such file"),
        ("pvs:2 -g nim --state run --parameters bytes", "the file of parameters 'bytes' cannot be read: it is no text"),
        ("pvs:2 -g nim --state run -p margin,1,0,9 --draw movecount=8 score=10", "Nim knows no draw"),
        ("pvs:2 -g nim --state run -p margin,1,0,9 --picture no/such.svg", "no/such.svg cannot be used"),
        ("uci:no-such-engine -g chess --state run -p A,1,0,9", "'no-such-engine' cannot be started: No such file"),
        ("uci:x?A=1 -g chess --state run -p A,1,0,9", "'uci:x?A=1' has the option 'A' already"),
        ("mine.py:Mine -g nim --state run -p wieght,1,0,9", "Mine has no parameter 'wieght' (it has weight, shares)"),
        ("mine.py:Mine -g nim --state run -p weight,1.0,0,9", "weight of Mine takes a whole number"),
        ("mine.py:Mine -g nim --state run -p shares[2],1,0,9", "shares of Mine takes 2 whole numbers, not '1' at 2"),
    ],
)
def test_what_cannot_be_tuned_is_one_sentence(words: str, sentence: str) -> None:
    Path("text").write_text("my notes\n")
    Path("bytes").write_bytes(b"\xff")
    Path("mine.py").write_text(NUMBERS)
    assert sentence in tabiya("tune", *words.split()).sentence
    assert Path("text").read_text() == "my notes\n"


def words_for(folder: Path) -> tuple[str, ...]:
    """A run of the engine that gives mate."""
    (folder / "engine.py").write_text(ENGINE)
    (folder / "mates").write_text(OPENINGS)
    player = f"uci:{sys.executable} {folder}/engine.py"
    return ("tune", player, *WORDS.split(), "--openings", f"{folder}/mates", "--format", "json")


@pytest.mark.slow
def test_bounds_that_the_engine_does_not_take_are_said_before_anything_is_played() -> None:
    words = [word.replace("0,99", "0,100") for word in words_for(Path.cwd())]
    assert "takes Skill as a whole number from 0 to 99, not '100'" in tabiya(*words).sentence
    assert len(Path("run").read_bytes().splitlines()) == 1


def started(shell: Shell, *words: str, state: Path) -> subprocess.Popen[bytes]:
    """The command in a process of its own, when two of its iterations are over."""
    process = shell.start(*words).process
    while not state.exists() or len(state.read_bytes().splitlines()) < 3:
        assert process.poll() is None
        time.sleep(0.005)
    return process


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_run_with_real_games_finds_the_better_value_and_goes_on_after_a_kill_as_if_there_was_none(
    shell: Shell, tmp_path: Path
) -> None:
    words, state = words_for(Path.cwd()), tmp_path / "shell" / "command0" / "run"
    whole = tabiya(*words)
    assert whole.status == 0, whole.err
    assert whole.rows["run"]["games"] == 192
    assert whole.rows["parameters"][0]["tuned"] > 75
    killed = started(shell, *words, state=state)
    killed.kill()
    killed.wait()
    assert 3 <= len(state.read_bytes().splitlines()) < 25
    Path("engine.py").rename("away")
    sentence = tabiya(*words, "--state", str(state)).sentence
    assert "engine.py" in sentence
    assert sentence.endswith("of 24 iterations are kept, and the same command goes on with them")
    Path("away").rename("engine.py")
    rest = tabiya(*words, "--state", str(state), "--workers", "2", "--picture", "course.svg")
    assert (rest.status, rest.rows) == (0, whole.rows), rest.err
    assert "going on after iteration" in rest.err
    assert state.read_bytes() == Path("run").read_bytes()
    assert ElementTree.parse("course.svg").getroot().tag.endswith("svg")
    assert "run belongs to a run with other options (--seed), and" in tabiya(*words, "--seed", "4").sentence
    verified = tabiya(*words, "--format", "table").out.splitlines()[-1]
    assert verified.startswith("verify: tabiya match 'uci:")
    assert verified.endswith("mates --max-moves 1")
