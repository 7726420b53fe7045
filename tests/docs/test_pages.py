"""What holds for every page: its links lead somewhere, the files it names are there, and history stands elsewhere."""

from __future__ import annotations

import importlib.util
import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from tabiya.cli.main import COMMANDS, assemble
from tests.source_rules.sources import ROOT, python_files

PAGES = sorted(
    [*(ROOT / "docs").rglob("*.md"), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))]
)
MAY_BE_DATED = ("docs/measurements/", "docs/decisions/", "CHANGELOG.md")
DATE = re.compile(r"\b20\d\d-")
COMMIT = re.compile(r"(?<![\w#/.-])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40}(?![\w-])")
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)")
CODE = re.compile(r"`([^`\n]+)`")
BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
FOLDERS = "tabiya games protocol storage server bots tests docs examples benchmarks scripts"
NAMED = re.compile(rf"(?<![\w./-])(?:{'|'.join(FOLDERS.split())})/[\w/.*-]*")
READERS_OWN = {"my_bot.py", "ada.py", "corners.py", "tuned.py"}
MODULE = re.compile(r"python3? -m ((?:scripts|benchmarks|tabiya)\.[\w.]+)")

ORDER = re.compile(r"(?:^|`|\$ )(?:\.venv/bin/)?tabiya ([a-z][^`\n]*)", re.MULTILINE)


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def prose(page: Path) -> str:
    """The text without its blocks of code."""
    return BLOCK.sub("", page.read_text("utf-8"))


@cache
def anchors(page: Path) -> set[str]:
    """The anchors of a page: those of its headings, as GitHub makes them, and those that it sets itself."""
    text = prose(page)
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower() for title in titles]
    of_headings = {re.sub(r"[^\w\- ]", "", title).strip().replace(" ", "-") for title in plain}
    return of_headings | set(re.findall(r'<a id="([^"]+)">', text))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_to_a_file_and_a_heading_that_exist(page: Path) -> None:
    for target, anchor in LINK.findall(prose(page)):
        found = (page.parent / target).resolve() if target else page
        assert found.exists(), target
        assert not anchor or found.suffix != ".md" or anchor in anchors(found), f"{target}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_path_of_the_repository_that_a_page_names_exists(page: Path) -> None:
    for code in CODE.findall(prose(page)):
        for path in NAMED.findall(re.sub(r"<\w+>|NAME", "*", code)):
            assert list(ROOT.glob(path.rstrip("./"))), path


@cache
def our_files() -> set[str]:
    """The names of all Python files of the repository, without their folders."""
    return {file.name for file in python_files(*FOLDERS.split())}


@pytest.mark.parametrize("page", [page for page in PAGES if not name(page).startswith(MAY_BE_DATED)], ids=name)
def test_every_file_of_python_that_a_page_names_without_its_folder_exists(page: Path) -> None:
    named = {code for code in CODE.findall(prose(page)) if re.fullmatch(r"\w+\.py", code)}
    assert named <= our_files() | READERS_OWN


@cache
def our_tests() -> set[str]:
    """The names of all tests."""
    files = python_files("tests")
    return {test for file in files for test in re.findall(r"def (test_\w+)", (ROOT / file).read_text("utf-8"))}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_test_that_a_page_names_exists(page: Path) -> None:
    assert set(re.findall(r"`(test_\w+)`", prose(page))) <= our_tests()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_command_of_the_repository_that_a_page_names_exists(page: Path) -> None:
    for module in MODULE.findall(page.read_text("utf-8")):
        assert importlib.util.find_spec(module.rstrip(".")), module


def options(words: list[str]) -> set[str]:
    """The options of the command, or of the command of a group, that the words begin with."""
    command: Any = typer.main.get_command(assemble([words[0]]))
    for word in words:
        command = getattr(command, "commands", {}).get(word, command)
    return {"--help"} | {option for given in command.params for option in (*given.opts, *given.secondary_opts)}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_command_and_option_of_tabiya_that_a_page_names_exists(page: Path) -> None:
    for order in ORDER.findall(page.read_text("utf-8")):
        text = order.partition("  #")[0]
        words = shlex.split(text) if text.count("'") % 2 == 0 else text.split()
        assert words[0] in COMMANDS, order
        given = {word.partition("=")[0] for word in words[1:] if re.match(r"--?[a-z]", word)}
        assert words[0] == "bench" or given <= options(words), order


@pytest.mark.parametrize("page", [page for page in PAGES if not name(page).startswith(MAY_BE_DATED)], ids=name)
def test_history_stands_in_the_measurements_and_decisions_only(page: Path) -> None:
    text = prose(page)
    assert DATE.findall(text) == []
    assert COMMIT.findall(text) == []


def test_every_function_of_one_move_is_in_the_file_beside_it() -> None:
    page = (ROOT / "docs/explanation/find-your-way.md").read_text("utf-8")
    for row in re.findall(r"^\|.*\.py`.*\|.*\|$", page.partition("## Who owns what")[0], re.MULTILINE):
        cells = [CODE.findall(cell) for cell in row.strip("|").split("|")]
        sources = "".join((ROOT / path).read_text("utf-8") for path in cells[1])
        assert [name for name in cells[2] if f"def {name}(" not in sources] == [], row


def test_every_name_in_the_answers_to_a_newcomer_is_in_a_file_of_the_answer() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Ten questions")[2].partition("\n## ")[0]
    for answer in re.split(r"^\d+\. ", page, flags=re.MULTILINE)[1:]:
        codes = CODE.findall(answer)
        paths = [ROOT / path for code in codes for path in NAMED.findall(code)]
        files = [file for path in paths for file in (path.glob("*.py") if path.is_dir() else [path])]
        sources = "".join(file.read_text("utf-8") for file in files)
        assert [code for code in codes if code.isidentifier() and not re.search(rf"\b{code}\b", sources)] == [], answer


def test_every_page_that_the_code_names_exists() -> None:
    missing = []
    for file in python_files(*FOLDERS.replace(" tests", "").split()):  # tests name pages that they make up
        for page, anchor in re.findall(r"(?<![\w/])(docs/[\w/-]+\.md)(?:#([\w-]+))?", file.read_text("utf-8")):
            if not (ROOT / page).exists() or (anchor and anchor not in anchors(ROOT / page)):
                missing.append(f"{file}: {page}#{anchor}")
    assert missing == []
