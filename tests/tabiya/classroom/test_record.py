"""The record of a run: versions frozen, written whole, taken over by the next start."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabiya.classroom.record import FILE, Entry, RecordError, Rules, RunRecord, digest_of, freeze, load, save
from tabiya.classroom.submissions import Submission


def record(*entries: Entry, game: str = "nim") -> RunRecord:
    rules = Rules(
        game=game, time_control="2/move", format="swiss", rounds=1, final=0, final_rounds=1, seed=0, sandbox="none"
    )
    return RunRecord(rules=rules, entries=list(entries))


def entry(name: str, **values: object) -> Entry:
    return Entry(name=name, source=name, folder="submissions/001", **values)  # type: ignore[arg-type]


def test_a_frozen_version_does_not_change_with_its_source(tmp_path: Path) -> None:
    source, into = tmp_path / "ada.py", tmp_path / "run"
    source.write_text("one")
    frozen = freeze(Submission("ada", source, player="ada.py:A"), into, 1)
    source.write_text("two")
    copy = into / frozen.folder / "ada.py"
    assert (copy.read_text(), digest_of(copy.parent)) == ("one", frozen.digest)


def test_every_file_and_its_name_is_in_the_digest(tmp_path: Path) -> None:
    digests = set()
    for number, files in enumerate(({"a": "12"}, {"a": "1", "b": "2"}, {"b": "12"}, {"a": "1", "c": "2"}, {})):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)
        digests.add(digest_of(folder))
    assert len(digests) == 5


def test_freezing_again_leaves_nothing_of_the_version_before(tmp_path: Path) -> None:
    source = tmp_path / "ada"
    source.mkdir()
    (source / "old.py").write_text("")
    submission = Submission("ada", source, player="bot.py:A")
    freeze(submission, tmp_path / "run", 1)
    (source / "old.py").rename(source / "new.py")
    frozen = freeze(submission, tmp_path / "run", 1)
    assert [path.name for path in (tmp_path / "run" / frozen.folder).iterdir()] == ["new.py"]


def test_what_is_saved_is_loaded_and_nobody_else_may_read_the_tokens(tmp_path: Path) -> None:
    saved = record(entry("ada", token="secret", command=("node", "x"), grade=90))
    saved.standings["qualifier"] = [{"rank": 1, "bot": "ada", "points": 1.5}]
    save(tmp_path, saved)
    save(tmp_path, saved)
    assert load(tmp_path) == saved
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_no_run_is_none_and_a_damaged_one_is_told(tmp_path: Path) -> None:
    assert load(tmp_path) is None
    (tmp_path / FILE).write_text('{"rules": 7}')
    with pytest.raises(RecordError, match="cannot be read"):
        load(tmp_path)


def test_a_check_is_kept_for_the_same_version_and_game_only(tmp_path: Path) -> None:
    checked = {"grade": 80, "problem": "it fell over", "game_s": 0.5}
    before = record(entry("ada", digest="1", **checked), entry("bob", digest="1", **checked), entry("eve", token="t"))
    now = record(entry("ada", digest="1"), entry("bob", digest="2"), entry("eve", digest="3"), entry("new"))
    now.take_over(before)
    assert [one.grade for one in now.entries] == [80, None, None, None]
    assert [one.problem for one in now.entries] == ["it fell over", "", "", ""]
    assert now.entries[2].token == "t"
    other = record(entry("ada", digest="1"), game="chess")
    other.take_over(before)
    assert other.entries[0].grade is None
