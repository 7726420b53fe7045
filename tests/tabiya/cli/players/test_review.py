"""`tabiya review`: of a match and of many games, from a database, a server and files, for people and programs."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import ParamSpec, TypeVar

import pytest

from tabiya.cli.players.game_sources import games_in_files
from tests.tabiya.cli.command_runner import ask, play_games, serving, tabiya

pytestmark = pytest.mark.slow
P = ParamSpec("P")
T = TypeVar("T")
SOON = ("--max-moves", "9")


class InThisProcess(Executor):
    """Does at once what it is given; a process of its own takes a second to start."""

    def submit(self, work: Callable[P, T], /, *values: P.args, **more: P.kwargs) -> Future[T]:
        done = Future[T]()
        done.set_result(work(*values, **more))
        return done


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.processes.parallel.parallel_processes", lambda *_: InThisProcess())


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A match of nim that `random` has lost, most likely, to a perfect player."""
    file = str(tmp_path_factory.mktemp("review") / "match.db")
    result = tabiya("match", "random", "perfect", "-g", "nim", "-n", "4", "--seed", "3", "--database", file)
    assert result.status == 0, result.err
    return file


def test_the_moves_that_cost_most_are_shown_with_the_better_ones(database: str) -> None:
    result = tabiya("review", "1", "--database", database)
    head, chances, titles, _, *lines = result.out.splitlines()
    assert head.startswith("match 1: nim, random against perfect, ")
    assert chances.startswith("chances of random before each move, in tenths: ")
    assert titles.split()[:6] == ["ply", "player", "move", "then", "cost", "better"]
    rows = [line.split() for line in lines if line]
    assert rows
    assert {row[1] for row in rows} == {"random"}  # a perfect player gives nothing away
    assert all("1.00" in row for row in rows)


def test_a_program_gets_every_move(database: str) -> None:
    found = tabiya("review", "1", "--database", database, "--format", "json").rows
    assert found["game"] == "nim"
    assert len(found["judged"]) == len(found["moves"]) == len(found["chances"])
    assert sum(move["cost"] for move in found["judged"] if found["players"][move["seat"]] == "perfect") == 0


def test_what_cannot_be_reviewed_is_said(database: str) -> None:
    assert tabiya("review", "9", "--database", database).sentence == f"there is no match 9 in {database}"
    both = tabiya("review", "1", "--database", database, "--server", "http://127.0.0.1:1")
    assert both.sentence == "a match comes from a server or from a database, not from both"


@pytest.fixture(scope="module")
def records(database: str) -> Path:
    """The same games as JSON lines, in a folder."""
    folder = Path(database).parent / "records"
    folder.mkdir()
    result = tabiya("export", "--database", database, "--format", "jsonl", "--to", str(folder / "nim.jsonl"))
    assert result.status == 0, result.err
    return folder


def test_the_moves_that_cost_a_bot_most_in_all_its_games_are_listed_the_worst_first(
    in_this_process: None, database: str
) -> None:
    rows = tabiya("review", "--bot", "RANDOM", "--database", database, "--format", "json").rows
    assert {row["player"] for row in rows} == {"random"}
    assert len({row["match"] for row in rows}) > 1
    costs = [float(row["cost"]) for row in rows]
    assert costs == sorted(costs, reverse=True)
    for row in rows:  # as each match by itself has it
        alone = tabiya("review", str(row["match"]), "--database", database, "--format", "json").rows
        (judged,) = [move for move in alone["judged"] if move["ply"] == row["ply"]]
        assert (judged["move"], judged["best"]) == (row["move"], row["best"])


def test_only_the_last_games_and_so_many_moves_are_shown(in_this_process: None, database: str, records: Path) -> None:
    for place in (("--bot", "random", "--database", database), (str(records),)):
        found = tabiya("review", *place, "--last", "1", "--format", "json").rows
        assert found["match"] == 4  # one game is shown as a match
    rows = tabiya("review", str(records), "--most", "1", "--format", "json").rows
    assert len(rows) == 1


def test_files_are_reviewed_like_the_database_that_they_come_from(database: str, records: Path) -> None:
    stored = tabiya("review", "--bot", "random", "--database", database)
    for place in (records, records / "nim.jsonl"):
        result = tabiya("review", str(place), "--bot", "random", "--workers", "1")
        assert (result.status, result.out) == (0, stored.out)
    assert stored.out.startswith("4 games: the moves that cost random most\n")


async def test_a_server_is_asked_for_the_games_of_a_bot(in_this_process: None) -> None:
    async with serving() as server:
        await play_games(server, "tictactoe", 2)
        result = await ask("review", "--bot", "ada", "--nodes", "300", "--format", "json")
    assert result.status == 0, result.err
    assert {row["player"] for row in result.rows} <= {"ada"}


def test_a_game_that_cannot_be_judged_is_left_out_and_said(
    in_this_process: None, records: Path, tmp_path: Path
) -> None:
    whole = (records / "nim.jsonl").read_text()
    (tmp_path / "games.jsonl").write_text(whole + whole.splitlines()[0].replace('"game":"nim"', '"game":"ludo"'))
    result = tabiya("review", str(tmp_path))
    assert result.status == 0
    assert "match 1 is left out: " in result.err


@pytest.mark.parametrize(("game", "ends"), [("nim", ()), ("reversi", SOON), ("chess", SOON)])
def test_what_the_export_writes_as_pgn_is_reviewed_like_its_json_lines(
    game: str, ends: tuple[str, ...], tmp_path: Path, in_this_process: None
) -> None:
    words = ("match", "random", "random", "-g", game, "-n", "2", "--seed", "3", *ends)
    files = [tmp_path / name for name in ("pgn/games.pgn", "lines/games.jsonl")]
    for file in files:
        file.parent.mkdir()
    assert tabiya(*words, "--pgn", str(files[0]), "--export", str(files[1])).status == 0
    both = [tabiya("review", str(file), "--nodes", "100", "--most", "99", "--format", "json") for file in files]
    assert both[0].out == both[1].out
    openings = {found.match: found.opening_plies for found in games_in_files(files[0], None, 2)}
    assert game == "nim" or min(openings.values()) > 0
    assert all(row["ply"] >= openings[row["match"]] for row in both[0].rows)  # nobody has chosen an opening's moves
    one = [
        tabiya("review", str(file.parent), "--last", "1", "--nodes", "100", "--format", "json").rows for file in files
    ]
    assert one[0] == one[1]
    assert len(one[0]["moves"]) >= 2


FOREIGN = """[Event "Casual"]
[White "Müller"]
[Black "Eve"]
[Result "1-0"]

1. e4! {best} e5 $1 (1... c5 {Sicilian (open)} 2. Nf3) 2. Qh5 Nc6 3. Bc4 Nf6?? 4. Qxf7# 1-0

[White "Ann"]
[Black "Eve"]
[FEN "4k3/8/8/8/8/8/4p3/K7 b - - 3 41"]

41... e1=Q+ 42. Kb2 0-1
"""


def test_pgn_of_other_programs_is_reviewed(tmp_path: Path) -> None:
    file = tmp_path / "foreign.pgn"
    file.write_bytes(FOREIGN.encode("latin-1"))
    first = tabiya("review", str(file), "--bot", "müller", "--nodes", "100", "--format", "json").rows
    assert (first["players"], first["result"], first["match"]) == (["Müller", "Eve"], "1-0", 1)
    assert [move["move"] for move in first["judged"]] == ["e4", "e5", "Qh5", "Nc6", "Bc4", "Nf6", "Qxf7#"]
    second = tabiya("review", str(file), "--last", "1", "--nodes", "100", "--format", "json").rows
    assert (second["start"], second["moves"]) == ("4k3/8/8/8/8/8/4p3/K7 b - - 3 41", ["e2e1q", "a1b2"])
    assert second["match"] == 2


def test_pgn_that_cannot_be_read_is_said_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "damaged.pgn"

    def sentence(text: str) -> str:
        file.write_text(text)
        return tabiya("review", str(file), "--nodes", "100").sentence

    assert sentence(FOREIGN + "\n1. e4\n").startswith(f"{file}, line 8: there are several games, and only those")
    assert sentence(FOREIGN.replace("42. Kb2", "42. Kh8")).startswith(f"{file}, line 12, ply 1: 'Kh8' is not legal")
    assert sentence(FOREIGN.replace("8/8/4p3", "8/9/4p3")).startswith(f"{file}, line 12: the FEN tag is wrong: ")
    assert sentence('[Game "ludo"]\n1. a1 *').startswith("there is no game 'ludo' (there are: ")
    assert sentence("1. e4 {never ends").startswith(f"{file}, line 1: a comment begun with {{ does not end")
    assert sentence("% nothing\n") == f"{file}, line 1: there is no game"


def test_a_set_of_games_that_cannot_be_found_is_said(database: str, records: Path, tmp_path: Path) -> None:
    def sentence(*words: str) -> str:
        return tabiya("review", *words).sentence

    broken = tmp_path / "broken.jsonl"
    broken.write_text("\n[Event]\n")
    assert sentence() == "name a match by its number, a file, a folder, or a bot with --bot"
    assert sentence("--bot", "eve", "--database", database) == f"there is no bot 'eve' in {database}"
    assert sentence(str(records), "--bot", "eve") == "there is no game of 'eve' to review"
    assert sentence("1", "--bot", "eve", "--database", database) == "'eve' has not played match 1"
    assert sentence(str(broken)).startswith(f"{broken}, line 2 is not a game; readable are JSON lines")
    assert sentence(str(tmp_path / "none")) == f"{tmp_path / 'none'} cannot be read: No such file or directory"
    broken.rename(tmp_path / "games.txt")
    assert sentence(str(tmp_path)) == f"there is no file *.jsonl or *.pgn in {tmp_path}"
    named = sentence("x", "--database", database)
    assert named == "a match of a server or database is named by its number, not 'x'"


def test_a_position_of_a_stored_match_is_analysed(database: str) -> None:
    found = tabiya("review", "1", "--database", database, "--format", "json").rows
    at = ("analyse", "--match", "1", "--database", database, "--depth", "2", "--format", "json", "--ply")
    assert tabiya(*at, "0").rows["position"] == found["start"]
    one, two = tabiya(*at, "1").rows, tabiya(*at, "2").rows
    played = tabiya("analyse", "nim", "-p", found["start"], "-m", found["moves"][0], "-d", "2", "--format", "json")
    assert one["position"] == played.rows["position"]
    assert one["to_move"] != two["to_move"]


def test_a_position_of_a_match_that_is_not_there_is_said(database: str) -> None:
    def sentence(*words: str) -> str:
        return tabiya("analyse", *words).sentence

    stored = ("--match", "1", "--database", database)
    assert "say with --ply, from 0 to " in sentence(*stored)
    assert "say with --ply, from 0 to " in sentence(*stored, "--ply", "1000")
    assert "leave out GAME" in sentence("nim", *stored, "--ply", "1")
    assert sentence("nim", "--ply", "1") == "--ply, --server and --database are for --match, the number of a match"
    assert "there is no match 9" in sentence("--match", "9", "--ply", "1", "--database", database)


def test_a_match_reviewed_before_is_read_and_not_judged_again(
    in_this_process: None, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = ("review", "1", "--database", database, "--nodes", "400")
    every = ("review", "--bot", "random", "--database", database, "--nodes", "400")
    before = tabiya(*one), tabiya(*every).out

    def judged_again(*_: object) -> None:
        raise AssertionError("it is judged again")

    monkeypatch.setattr("tabiya.review.judge.judge", judged_again)
    monkeypatch.setattr(InThisProcess, "submit", judged_again)
    assert (tabiya(*one), tabiya(*every).out) == before
    with pytest.raises(AssertionError, match="judged again"):  # with other nodes it is
        tabiya("review", "1", "--database", database, "--nodes", "401")


def test_a_kept_review_that_is_damaged_is_judged_anew(database: str) -> None:
    words = ("review", "1", "--database", database, "--nodes", "402")
    before = tabiya(*words)
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        assert connection.execute("UPDATE reviews SET judged = '[{' WHERE match_id = 1").rowcount == 1
    assert tabiya(*words) == before
