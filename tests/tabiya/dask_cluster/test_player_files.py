"""A player's files travel under the name of their content, and nothing else does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabiya.bots.players.spec import PlayerError, unescaped
from tabiya.dask_cluster.player_files import PlayerFiles, player_files
from tabiya.match.executors.task import packed_task, played_task, unpack_answer
from tabiya.match.pairs import PairPlayer
from tabiya.match.participants import MatchFailed
from tabiya.match.plan import MatchPlan

BOT = "import helper\nfrom tabiya import Bot\n\nclass Mine(Bot):\n    pass\n"


def written(folder: Path, helper: str = "X = 1\n") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "bot.py").write_text(BOT)
    (folder / "helper.py").write_text(helper)
    (folder / "secret.txt").write_text("not asked for")
    return folder / "bot.py"


def test_a_file_travels_with_what_it_imports_and_no_more(tmp_path: Path) -> None:
    bot = written(tmp_path / "here")
    packed = player_files(f"{bot}:Mine:6?corner=9")
    text = packed.unpacked(tmp_path / "there")
    assert packed.unpacked(tmp_path / "there") == text  # the second time it is there
    home = tmp_path / "there" / packed.digest
    assert text == f"{home}/bot.py:Mine:6?corner=9"
    assert {path.name: path.read_text() for path in home.iterdir()} == {"bot.py": BOT, "helper.py": "X = 1\n"}
    assert [path.name for path in (tmp_path / "there").iterdir()] == [packed.digest]


def test_an_edited_helper_makes_another_player(tmp_path: Path) -> None:
    before = player_files(f"{written(tmp_path / 'here')}:Mine")
    after = player_files(f"{written(tmp_path / 'here', 'X = 2')}:Mine")
    elsewhere = player_files(f"{written(tmp_path / 'elsewhere')}:Mine")
    assert before.digest == elsewhere.digest != after.digest


def test_files_of_values_travel_too_with_numbers_before_and_behind_them(tmp_path: Path) -> None:
    for name, corner in (("one", 9), ("other", 8)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "be&st.json").write_text(f'{{"corner": {corner}}}')
    files = f"{tmp_path}/one/be%26st.json&edge=1&{tmp_path}/other/be%26st.json&x=2"
    packed = player_files(f"{written(tmp_path / 'here')}:Mine:6?{files}")
    text = packed.unpacked(tmp_path / "there")
    head, _, options = text.partition("?")
    one, edge, other, x = options.split("&")
    assert (head, edge, x) == (f"{tmp_path}/there/{packed.digest}/bot.py:Mine:6", "edge=1", "x=2")
    assert [Path(unescaped(file)).read_text() for file in (one, other)] == ['{"corner": 9}', '{"corner": 8}']


async def test_where_files_cannot_be_written_is_said_by_who_would_have_played(tmp_path: Path) -> None:
    bot, taken = written(tmp_path / "here"), tmp_path / "taken"
    taken.write_text("no folder")
    task = packed_task(MatchPlan((f"{bot}:Mine", "random"), "nim"), 0, takes_files=True)
    answer = unpack_answer(await played_task(PairPlayer(), task, taken))
    with pytest.raises(MatchFailed, match=r"the files of the players cannot be written to .*taken.*: Not a directory"):
        answer.pair_by("a worker")


@pytest.mark.parametrize("player", ["pvs:6", "uci:stockfish?Hash=64", "random"])
def test_others_are_left_as_they_are(player: str, tmp_path: Path) -> None:
    assert player_files(player) == PlayerFiles(player)
    assert player_files(player).unpacked(tmp_path / "none") == player
    assert not (tmp_path / "none").exists()


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(PlayerError, match=r"the file '.*no\.py' cannot be read: No such file"):
        player_files("no.py:Mine")
