"""Games for other programs: from a server, out of a database, into a file or a pipe."""

from __future__ import annotations

import io
import json
import sqlite3
from pathlib import Path
from typing import Any

import chess.pgn
import pytest

from tabiya.cli.remote.export import TerminalWriter
from tests.games.sgf_reader import read_sgf
from tests.tabiya.cli.command_runner import ask, play_games, serving

GAME = "tictactoe"


async def test_games_of_a_server_as_transcripts_and_as_json_lines(server: Any, tmp_path: Path) -> None:
    await play_games(server, GAME, 2)
    await play_games(server, "nim", 1)
    result = await ask("export", "--game", GAME)
    assert result.out.count("[Event ") == 2
    assert result.out.count('[Game "tictactoe"]') == 2
    lines = (await ask("export", "--format", "jsonl")).out.splitlines()
    assert [json.loads(line)["match"]["game"] for line in lines] == [GAME, GAME, "nim"]
    file = tmp_path / "nim.jsonl"
    result = await ask("export", "--format", "jsonl", "--game", "nim", "--to", str(file))
    assert result.out == ""
    assert json.loads(file.read_text())["moves"]
    assert (await ask("export", "--since", "2999-01-01")).out == ""


async def test_games_out_of_a_database_that_no_server_uses(tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    async with serving(str(database)) as server:
        await play_games(server, "chess", 1)
        await play_games(server, "reversi", 1)
    result = await ask("export", "--database", str(database), "--format", "sgf")
    assert result.err == "1 game; left out 1 game that SGF does not define\n"
    assert [tree.nodes[0]["GM"] for tree in read_sgf(result.out)] == [["2"]]
    result = await ask("export", "--database", str(database), "--format", "sgf", "--game", "nim")
    assert result.sentence == "games of Nim are not written as SGF, which does not know them"
    result = await ask("export", "--database", str(database), "--game", "chess")
    assert result.err == "1 game\n"
    game = chess.pgn.read_game(io.StringIO(result.out))
    assert game is not None
    assert not game.errors
    with sqlite3.connect(database) as connection:
        stored = connection.execute("select count(*) from moves where match_id = 1").fetchone()[0]
    assert game.end().ply() == stored
    result = await ask("export", "--database", str(database), "--format", "parquet", "--to", str(tmp_path / "games"))
    assert (result.status, result.err) == (0, "2 games\n")
    assert {file.name for file in (tmp_path / "games").iterdir()} == {"games.parquet", "README.md"}
    with sqlite3.connect(database) as connection:
        connection.execute("update results set ending = 'aborted', winner = null where match_id = 1")
    for form in ("jsonl", "parquet"):
        result = await ask("export", "--database", str(database), "--format", form, "--to", str(tmp_path / form))
        assert result.err == "1 game; 1 game that had been aborted, without a result\n"
    result = await ask("export", "--database", str(database), "--format", "parquet")
    assert result.sentence == "name the folder of the data set: --to FOLDER"
    result = await ask("export", "--database", str(database), "--format", "parquet", "--to", str(tmp_path / "jsonl"))
    assert result.sentence == f"{tmp_path / 'jsonl'} is no folder, which a data set needs"
    result = await ask("export", "--format", "parquet", "--to", str(tmp_path / "games"))
    assert result.sentence.startswith("a running server cannot write data sets")


def halves(folder: Path) -> list[Path]:
    return list(folder.glob("*.new"))


async def test_what_goes_wrong_leaves_the_earlier_file_and_the_database(tmp_path: Path) -> None:
    database, file = tmp_path / "games.db", tmp_path / "games.pgn"
    async with serving(str(database)) as server:
        await play_games(server, GAME, 1)
    source = ("export", "--database", str(database), "--to")
    file.write_text("of yesterday\n")
    assert (await ask(*source, str(file), "--bot", "eve")).sentence == f"there is no bot 'eve' in {database}"
    assert (await ask(*source, str(file), "--game", "go")).sentence == f"there is no game 'go' in {database}"
    result = await ask(*source, str(database))
    assert result.sentence == f"{database} is the database that is read; name another file"
    assert file.read_text() == "of yesterday\n"
    assert (await ask(*source, "/dev/null")).status == 0
    link = tmp_path / "link.pgn"
    link.symlink_to(file)
    assert (await ask(*source, str(link))).err == "1 game\n"
    assert link.is_symlink()
    assert file.read_text().startswith("[Event ")
    assert not halves(tmp_path)


async def test_a_terminal_is_shown_whole_lines_without_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = TerminalWriter()
    terminal.write(b'{"name":"\x1b]0;mi')
    terminal.write(b'ne\x07"}\n')
    assert capsys.readouterr().out == '{"name":"\\x1b]0;mine\\x07"}\n'
    async with serving() as server:
        await play_games(server, GAME, 1)
        shown = await ask("export", "--format", "jsonl", columns=100)
        assert json.loads(shown.out)["match"]["game"] == GAME


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--game", "go"), "there is no game 'go'"),
        (("--bot", "eve"), "there is no bot 'eve'"),
        (("--format", "sgf", "--game", "nim"), "games of Nim are not written as SGF, which does not know them"),
        (("--since", "soon"), "--since is a day such as 2026-11-20, or 2026-11-20T14:30, not 'soon'"),
        (("--to", "/no/such/folder/x"), "/no/such/folder/x cannot be written: No such file or directory"),
        (("--database", "x.db", "--server", "http://localhost:1"), "games come from a server or from a database"),
        (("--database", "missing.db"), "missing.db"),
    ],
)
async def test_what_cannot_be_done_is_one_sentence(server: Any, words: tuple[str, ...], sentence: str) -> None:
    assert sentence in (await ask("export", *words)).sentence


async def test_a_tournament_is_exported_by_its_number(server: Any) -> None:
    assert (await ask("tournament", "export", "7")).sentence == "there is no tournament 7"
