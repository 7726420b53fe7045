"""What a folder of submissions holds is found by reading; nothing of it runs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tabiya.classroom import submissions
from tabiya.classroom.submissions import Submission, find_submissions
from tabiya.server.accounts.names import check_name

BOT = "from tabiya import Bot\nclass {}(Bot):\n    pass\n"


def put(folder: Path, **files: str) -> None:
    """Write files; `__` in a name stands for a folder, a last `_` for the dot of the suffix."""
    for name, text in files.items():
        *folders, last = name.split("__")
        path = folder.joinpath(*folders, ".".join(last.rsplit("_", 1)))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def only(folder: Path) -> Submission:
    """The one submission of a folder without problems."""
    [found], problems = find_submissions(folder)
    assert problems == ()
    return found


def why(folder: Path) -> str:
    """Why the one thing in a folder is no submission."""
    found, [problem] = find_submissions(folder)
    assert found == ()
    return problem.why


def test_a_python_file_is_the_bot_of_its_name(tmp_path: Path) -> None:
    put(tmp_path, ada_py=BOT.format("Clever"))
    assert only(tmp_path) == Submission("ada", tmp_path / "ada.py", player="ada.py:Clever")


def test_a_folder_holds_a_bot_file_of_the_usual_name_and_whatever_it_needs(tmp_path: Path) -> None:
    put(tmp_path, ada__bot_py=BOT.format("Clever"), ada__other_py=BOT.format("Older"), ada__data__book_txt="e2e4")
    assert only(tmp_path) == Submission("ada", tmp_path / "ada", player="bot.py:Clever")


def test_a_folder_may_hold_one_bot_in_a_file_of_any_name(tmp_path: Path) -> None:
    put(tmp_path, ada__clever_py=BOT.format("Clever"), ada__tools_py="def f(): pass")
    assert only(tmp_path).player == "clever.py:Clever"


def test_a_command_line_in_a_folder_goes_before_its_python_files(tmp_path: Path) -> None:
    put(tmp_path, ada__command_txt="# how to start it\n\nnode 'my bot.mjs' {url}\n", ada__bot_py=BOT.format("B"))
    assert only(tmp_path) == Submission("ada", tmp_path / "ada", command=("node", "my bot.mjs", "{url}"))


def test_a_command_file_may_name_a_player(tmp_path: Path) -> None:
    put(tmp_path, ada__command_txt="uci:./engine --hash 16")
    assert (only(tmp_path).player, only(tmp_path).command) == ("uci:./engine --hash 16", ())


def test_the_class_is_found_through_others_and_through_the_package(tmp_path: Path) -> None:
    put(tmp_path, ada_py="import tabiya\nclass Base(tabiya.Bot): ...\nclass Other: ...\nclass Mine(Other, Base): ...\n")
    assert only(tmp_path).player == "ada.py:Mine"


@pytest.mark.parametrize(
    "source", ["import tabiya\nclass Bot(tabiya.Bot): ...", "from tabiya import Bot\nclass Bot(Bot): ..."]
)
def test_a_class_may_be_called_as_the_one_that_it_derives_from(tmp_path: Path, source: str) -> None:
    put(tmp_path, ada_py=source)
    assert only(tmp_path).player == "ada.py:Bot"


def test_nothing_of_a_submission_runs(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    folder = tmp_path / "subs"
    put(folder, ada_py=f"open({str(marker)!r}, 'w')\n" + BOT.format("A"))
    assert only(folder).name == "ada"
    assert not marker.exists()


def test_files_that_computers_create_are_ignored(tmp_path: Path) -> None:
    put(tmp_path, ada_py=BOT.format("A"))
    for name in ("__pycache__", "__MACOSX", ".git"):
        put(tmp_path / name, x_py=BOT.format("X"))
    assert only(tmp_path).name == "ada"


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"ada_py": "class A: pass"}, "ada.py has no class that derives from tabiya.Bot, such as: class MyBot(Bot):"),
        ({"ada_py": "class Bot: pass\nclass A(Bot): pass"}, "ada.py has no class that derives from tabiya.Bot"),
        ({"ada_py": "class A(Bot): ...\nclass B(Bot): ..."}, "ada.py has several bots (A, B); keep the one"),
        (
            {"ada_py": "x = 1\ndef ("},
            f"ada.py is not valid Python {sys.version_info[0]}.{sys.version_info[1]}: line 2:",
        ),
        ({"ada_py": "\n!pip install x"}, "line 2: invalid syntax; only a notebook understands this line: delete it"),
        ({"ada_py": "\n \n"}, "ada.py is empty"),
        ({"ada_py": "if x:\n\t    a()\n        b()\n"}, "with tabs and with spaces, use one of them"),
        ({"ada_py": "a\0b"}, "ada.py, line 1: it is not UTF-8 text; save the file as UTF-8"),
        ({"notes_txt": "hello"}, "it is not a program"),
        ({"ada__notes_txt": "hello"}, "it has no Python file with a bot"),
        (
            {"ada__notes_txt": "hello", "ada__src__bot_py": BOT.format("A")},
            "src/bot.py is too deep: put it, and all it reads, at the top of the folder",
        ),
        ({"ada__a_py": BOT.format("A"), "ada__b_py": BOT.format("B")}, "several files with a bot (a.py, b.py)"),
        ({"ada__command_txt": "# nothing\n"}, "command.txt is empty"),
        ({"ada__command_txt": "node 'bot.mjs"}, "the command line in command.txt cannot be read"),
    ],
)
def test_what_holds_no_bot_is_told_in_a_sentence(tmp_path: Path, files: dict[str, str], sentence: str) -> None:
    put(tmp_path, **files)
    assert sentence in why(tmp_path)


def test_text_of_another_encoding_is_told(tmp_path: Path) -> None:
    (tmp_path / "ada.py").write_bytes(b"x = 1\n# caf\xe9\n")
    assert why(tmp_path) == "ada.py, line 2: it is not UTF-8 text; save the file as UTF-8"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text(BOT.format("S"))
    (tmp_path / "subs").mkdir()
    (tmp_path / "subs" / "ada.py").symlink_to(tmp_path / "secret.py")
    assert "symbolic link" in why(tmp_path / "subs")
    (tmp_path / "subs" / "ada.py").unlink()
    put(tmp_path / "subs", ada__bot_py=BOT.format("A"))
    (tmp_path / "subs" / "ada" / "key").symlink_to(tmp_path / "secret.py")
    assert why(tmp_path / "subs").startswith("key is a symbolic link")


def test_too_much_to_copy_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submissions, "MOST_FILES", 2)
    put(tmp_path, ada__bot_py=BOT.format("A"), ada__a_txt="", ada__b_txt="")
    assert "more than 2 files" in why(tmp_path)


@pytest.mark.parametrize("called", ["(1) ada", "_1_ ada", "+ 1 ada", "@1- ada"])
def test_a_submission_is_called_as_a_server_takes_it(tmp_path: Path, called: str) -> None:
    (tmp_path / f"{called}.py").write_text(BOT.format("A"))
    name = only(tmp_path).name
    assert name.startswith("1")
    assert check_name(name) == name


def test_a_submission_whose_name_is_marks_alone_does_not_play(tmp_path: Path) -> None:
    (tmp_path / "---.py").write_text(BOT.format("A"))
    assert why(tmp_path) == "its name has no letter or digit; rename it"


def test_two_of_one_name_do_not_both_play(tmp_path: Path) -> None:
    put(tmp_path, ada_py=BOT.format("A"), Ada__bot_py=BOT.format("B"))
    [first], [problem] = find_submissions(tmp_path)
    assert (first.name.casefold(), problem.why) == ("ada", "it has the same name as Ada; rename one of the two")
