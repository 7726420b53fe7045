"""What `tabiya match` is asked for, and what it refuses in a sentence before anything is played."""

from __future__ import annotations

import errno
import re
from pathlib import Path

import pytest

from tabiya.cli.affinity import cores_for
from tabiya.match.score import FinishedGame, MatchScore
from tests.live import ROOT
from tests.tabiya.cli.command_runner import tabiya
from tests.tabiya.sandbox.sandboxes import on_linux


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("random greedy third -g nim", "got unexpected extra argument(s) (third)"),
        ("random greedy -g nim --sprt elo0=0", "--sprt needs elo1, as in --sprt elo0=0 elo1=5"),
        ("random greedy -g nim --sprt elo0=0 elo1=x", "--sprt: elo1 is a number, not 'x'"),
        ("random greedy -g nim --sprt elo0=5 elo1=0", "--sprt: elo0 must be less than elo1"),
        ("random greedy -g nim --sprt power=5", "--sprt takes elo0=, elo1=, alpha=, beta=, model=, not 'power=5'"),
        ("random greedy -g nim --sprt elo0=0 elo1=5 model=x", "--sprt: model is logistic or normalized, not 'x'"),
        ("random greedy -g nim --require-better", "--require-better needs a test, such as --sprt"),
        ("random greedy -g nim --draw movecount=8 score=10", "Nim knows no draw, so its matches cannot have a draw by"),
        (
            "random greedy -g nim --max-moves 5",
            "Nim knows no draw, so its matches cannot have a largest number of moves",
        ),
        ("random greedy -g chess --max-moves 10001", "--max-moves is a whole number from 0 to 10000, not 10001"),
        ("random greedy -g nim --resume", "--resume needs the database of the match: --database FILE"),
        ("random greedy -g nim --resume -d none.db", "there is nothing to resume in none.db: there is no such file"),
        ("random greedy -g nim --pgn no/such/folder/x.pgn", "no/such/folder/x.pgn cannot be written: No such file"),
        ("uci:no-such-engine random -g chess", "'no-such-engine' cannot be started: No such file"),
        ("uci:true random -g chess", "'true' has ended with exit code 0"),
        ("uci:x?Hash random -g chess", "the options of 'uci:x?Hash' are written NAME=VALUE"),
        ("uci:x random -g nim", "nim"),
        ("uci:x?restart=2 random -g chess", "restart is on or off, not '2'"),
        ("random greedy?tc=1 -g nim -t none", "'none,1+0' gives a clock to one player only"),
        ("random uci:x -g chess --affinity", "--affinity is for programs by a protocol of engines, and 'random' is"),
        ("uci:x uci:y -g chess --affinity --sandbox auto", "leave --workers and --sandbox out"),
    ],
)
def test_what_cannot_be_played_is_one_sentence(words: str, sentence: str) -> None:
    assert sentence in tabiya("match", *words.split()).sentence


def test_an_opening_that_cannot_be_played_is_named_with_its_file(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    file.write_text("b2\na1 a1\n")
    result = tabiya("match", "random", "greedy", "-g", "tictactoe", "--openings", str(file))
    assert result.sentence.startswith(f"{file}: opening 2, 'a1 a1', is neither a position nor moves from the start: ")


@on_linux
def test_there_must_be_a_core_for_each_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {2, 3, 5})
    result = tabiya("match", "uci:x", "uci:y", "-g", "chess", "--affinity", "-j", "2")
    assert "(--concurrency 2) have 4 programs; there are 3 cores" in result.sentence
    assert cores_for(["uci:x", "uci:y"], 1) == (2, 3)


@pytest.mark.slow
@pytest.mark.parametrize("bot", ["examples/ten_line_bot.py:Squeeze", "my_bot.py:Chance"])
def test_the_bots_of_the_examples_and_the_readme_play_without_a_server_as_they_stand(bot: str) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    [source] = [block for block in blocks if "run(" in block]
    Path("my_bot.py").write_text(source)
    player = str(ROOT / bot) if bot.startswith("examples/") else bot
    result = tabiya("match", player, "random", *["--game", "reversi", "--games", "2", "--format", "json"])
    assert (result.status, result.rows["match"]["games"]) == (0, 2), result.err


def test_a_match_stopped_before_its_players_are_ready_shows_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.cli.players.match._play", lambda *_: False)
    result = tabiya("match", "random", "random", "--game", "nim")
    assert (result.status, result.out, result.err) == (130, "", "tabiya: stopped\n")


def test_a_misspelt_database_to_resume_is_not_made() -> None:
    assert "no such file" in tabiya("match", "random", "greedy", "-g", "nim", "--resume", "-d", "none.db").sentence
    assert not Path("none.db").exists()


def test_a_match_that_is_terminated_shows_the_result_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    def terminated(_: object, played: MatchScore, *__: object) -> bool:
        played.names = ("new", "old")
        played.add(FinishedGame(0, 1, 0, 0, "checkmate", ""))
        raise SystemExit(143)

    monkeypatch.setattr("tabiya.cli.players.match._play", terminated)
    result = tabiya("match", "random", "random", "-g", "nim")
    assert (result.status, result.out.splitlines()[2].split()[:2]) == (143, ["new", "1"])


@pytest.mark.parametrize(
    ("database", "says"), [("games.db", "; the same command with --resume goes on"), ("memory:", "")]
)
def test_a_stopped_match_that_is_kept_says_how_to_go_on(
    monkeypatch: pytest.MonkeyPatch, database: str, says: str
) -> None:
    def stop(_: object, played: MatchScore, *__: object) -> bool:
        played.names = ("new", "old")
        return False

    monkeypatch.setattr("tabiya.cli.players.match._play", stop)
    result = tabiya("match", "random", "random", "-g", "nim", "-d", database)
    assert (result.status, result.out, result.err) == (130, "", f"tabiya: stopped{says}\n")


@pytest.mark.parametrize(
    ("database", "says"), [("games.db", "; 1 game is kept, and --resume goes on with them"), ("memory:", "")]
)
def test_a_match_on_a_full_disk_says_what_is_kept(monkeypatch: pytest.MonkeyPatch, database: str, says: str) -> None:
    async def fills(_: object, played: MatchScore, *__: object) -> None:
        played.names = ("new", "old")
        played.add(FinishedGame(0, 1, 0, 0, "checkmate", ""))
        raise OSError(errno.ENOSPC, "No space left on device", "x.pgn")

    monkeypatch.setattr("tabiya.cli.players.match._play_here", fills)
    result = tabiya("match", "random", "random", "-g", "nim", "-d", database)
    assert result.sentence == f"x.pgn cannot be written: No space left on device{says}"
    assert result.out.splitlines()[2].split()[:2] == ["new", "1"]


@pytest.mark.parametrize(("verdict", "status"), [("accept H1", 0), ("accept H0", 3), ("", 3)])
def test_a_script_is_told_whether_the_first_is_better(
    monkeypatch: pytest.MonkeyPatch, verdict: str, status: int
) -> None:
    def play(_: object, played: MatchScore, *__: object) -> bool:
        played.names, played.verdict = ("new", "old"), verdict
        return True

    monkeypatch.setattr("tabiya.cli.players.match._play", play)
    words = ("match", "random", "greedy", "--game", "nim", "--sprt", "elo0=0", "elo1=20")
    assert tabiya(*words).status == 0
    assert tabiya(*words, "--require-better").status == status


@pytest.mark.slow
def test_what_wins_every_game_is_better() -> None:
    words = ("--game", "nim", "--games", "400", "--time", "none", "--sprt", "elo0=0", "elo1=200", "model=logistic")
    assert tabiya("match", "perfect-nim", "random", *words, "--require-better", "--format", "json").status == 0


TAKES_MEMORY = """
from tabiya import Bot

class Hungry(Bot):
    needs_rules = False

    def choose(self, turn):
        self.much = bytearray(600 << 20)
        return turn.legal_moves[0]
"""


@on_linux
@pytest.mark.slow
@pytest.mark.parametrize(("megabytes", "fails"), [("64", True), ("1024", False)])
def test_a_player_in_a_sandbox_has_the_memory_that_it_is_given(tmp_path: Path, megabytes: str, fails: bool) -> None:
    folder = tmp_path / "bots"
    folder.mkdir(mode=0o755)  # root's program becomes somebody else in a sandbox
    (folder / "hungry.py").write_text(TAKES_MEMORY)
    words = (f"{folder / 'hungry.py'}:Hungry", "random", "--game", "tictactoe", "--games", "2", "--time", "2/move")
    result = tabiya("match", *words, "--sandbox", "auto", "--memory", megabytes)
    assert ("MemoryError" in result.err or "more than 64 MB of memory" in result.err) == fails, result.err
    assert result.status == 0
