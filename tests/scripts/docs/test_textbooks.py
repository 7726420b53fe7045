"""The page about the textbooks: complete, and its verdicts hold when they are counted again."""

from __future__ import annotations

import doctest
import json
import re
import shlex

import pytest
import typer
from typer.testing import CliRunner

from scripts.docs.generated_documents import GENERATORS
from scripts.docs.textbooks import items as items_module
from scripts.docs.textbooks import tables
from scripts.docs.textbooks.finding import Changed
from scripts.docs.textbooks.items import VERDICTS, Item, Verdict, claims, examples, items, judges
from scripts.docs.textbooks.page import (
    MEASUREMENTS,
    MUTANTS,
    PAGE,
    PICTURE,
    ROOT,
    TEMPLATE,
    documents,
    read_outputs,
    read_tables,
    read_verdicts,
)
from scripts.docs.textbooks.walk import of_games, output, with_outputs
from tabiya.bots.textbook.catalogue import LISTINGS
from tabiya.bots.textbook.recording.scenes import SCENES
from tabiya.cli.players.analyse import analyse

ALL = items()
# counted again in no time; `python -m scripts.docs.textbooks` counts all of them again
QUICK = (
    *("figure-000", "figure-000-mirrored", "figure-001", "figure-001-windows", "figure-001-sorted", "figure-002"),
    *("figure-004", "xor", "perfect-order", "twice-as-deep", "heap", "value-of-the-root", "last-raise", "one-ply-more"),
    *("triangular-array", "lost-sign", "best-child", "strategies", "same-nodes", "window-theorem", "some-leaf"),
)
SHOWN = [item for item in ALL.values() if item.shown_by.startswith("tabiya analyse")]
DRAWN = [item for item in SHOWN if "--tree" in item.shown_by]
PLAYED = [item for item in SHOWN if item not in DRAWN and "--evaluation" not in item.shown_by]  # compiled beforehand
TEXTS = ("000", "001", "002", "003", "004")


def run(command: str, text: str = "") -> str:
    """What a `tabiya analyse` prints; it must succeed."""
    app = typer.Typer()
    app.command()(analyse)
    result = CliRunner().invoke(app, shlex.split(command, comments=True)[2:], input=text)
    assert result.exit_code == 0, f"{command}: {result.output} {result.exception}"
    return result.stdout


def test_every_claim_and_example_has_its_verdict() -> None:
    verdicts = read_verdicts()
    assert list(verdicts) == list(ALL)
    assert {verdict.word for verdict in verdicts.values()} <= set(VERDICTS)
    assert all(verdict.figures for verdict in verdicts.values())


def test_every_text_has_listings_examples_and_claims() -> None:
    for text in TEXTS:
        for found in (examples(), claims()):
            assert [item for item in found.values() if text in item.source]
        assert [listing for listing in LISTINGS if listing.source == text]


def test_every_example_is_a_search_that_opens_by_its_name_and_every_other_claim_says_what_it_is_about() -> None:
    assert all(item.scene for item in examples().values())
    assert [item.name for item in claims().values() if bool(item.scene) == bool(item.about)] == []
    assert sorted(item.scene for item in ALL.values() if item.scene) == sorted(SCENES)
    page = (ROOT / PAGE).read_text("utf-8")
    assert f"13 of 13 worked examples of the books and {len(SCENES) - 13} of 59 claims" in page


def test_the_pages_are_what_the_verdicts_make_of_them() -> None:
    pages = documents()
    assert pages == {path: (ROOT / path).read_text("utf-8") for path in (PAGE, MEASUREMENTS, PICTURE)}
    page = pages[MEASUREMENTS]
    counts = len(claims()), len(examples())
    assert f"{counts[0]} of {counts[0]} claims judged, {counts[1]} of {counts[1]} examples run" in page
    assert "{{" not in page + pages[PAGE]
    assert "scripts.docs.textbooks.page" in GENERATORS


def test_every_name_of_the_books_leads_to_the_file_that_has_it() -> None:
    page = (ROOT / PAGE).read_text("utf-8")
    for listing in LISTINGS:
        source = (ROOT / listing.path).read_text("utf-8")
        row = next(line for line in page.splitlines() if line.startswith(f"| [{listing.name}](../../{listing.path}) |"))
        for name in listing.functions:
            assert f"`{name}`" in row.split("|")[2]
            assert f"def {name}(" in source
    for name, path in re.findall(r"`(\w+)[^`]*` (?:is |are )?in\s+\[[^]]*\]\(../../([^)]+)\)", page):
        assert name in (ROOT / path).read_text("utf-8")
    for path in re.findall(r"\]\(../../([^)#]+)\)", page):
        assert (ROOT / path).is_file(), path


def test_what_is_typed_in_python_answers_what_the_page_says() -> None:
    (session,) = re.findall(r"```text\n(>>> .+?)```", (ROOT / PAGE).read_text("utf-8"), re.DOTALL)
    examples = doctest.DocTestParser().get_doctest(session, {}, PAGE, PAGE, 0)
    reported: list[str] = []
    assert doctest.DocTestRunner().run(examples, out=reported.append).failed == 0, "".join(reported)
    assert len(examples.examples) == 5


@pytest.mark.parametrize("name", QUICK)
def test_a_verdict_holds_when_it_is_counted_again(name: str) -> None:
    assert ALL[name].judge() == read_verdicts()[name]


@pytest.mark.parametrize("item", [item for item in ALL.values() if item.timed], ids=lambda item: item.name)
def test_a_verdict_about_time_is_what_was_measured(item: Item) -> None:
    assert item.judge() == read_verdicts()[item.name]


def test_a_row_of_the_leaves_is_counted_again() -> None:
    kept = read_tables()["leaves"]
    assert [row[:2] for row in kept] == [[str(width), str(depth)] for width, depth in tables.SHAPES]
    assert tables.leaves_row(4, 3) in kept
    assert all(row[6] == row[7] and row[3] == row[2] for row in kept)  # best first: the formula; hopeless: minimax


@pytest.mark.parametrize("item", DRAWN, ids=lambda item: item.name)
def test_the_command_that_shows_it_on_a_drawn_tree_runs(item: Item) -> None:
    assert "nodes" in run(item.shown_by)


@pytest.mark.slow
@pytest.mark.parametrize("item", PLAYED, ids=lambda item: item.name)
def test_the_command_that_shows_it_in_a_game_runs(item: Item) -> None:
    assert "nodes" in run(item.shown_by)


@pytest.mark.slow
@pytest.mark.parametrize("command", of_games(TEMPLATE.read_text("utf-8")))
def test_the_walk_through_a_game_prints_what_the_page_says(command: str) -> None:
    assert output(command) == read_outputs()[command]


@pytest.mark.slow
def test_the_other_commands_of_the_walk_run() -> None:
    commands = [line.strip() for line in TEMPLATE.read_text("utf-8").splitlines() if line.startswith("    tabiya ")]
    analysed = [command for command in commands if command.startswith("tabiya analyse ")]
    assert len(analysed) == 5
    for command in analysed:
        assert run(command)
    assert [shlex.split(command)[1:3] for command in commands if command not in analysed] == [
        ["play", "alphabeta-failhard:4"],
        ["match", "pvs-failhard:3"],
    ]


@pytest.mark.slow
def test_the_walk_ends_with_a_game_against_a_listing() -> None:
    from tabiya.cli.players.play import play

    app = typer.Typer()
    app.command()(play)
    command = next(line for line in TEMPLATE.read_text("utf-8").splitlines() if line.startswith("    tabiya play "))
    result = CliRunner().invoke(app, shlex.split(command)[2:], input="quit\n")
    assert result.exit_code == 0
    assert "You resign." in result.output


def test_every_surviving_mutant_has_its_reason() -> None:
    kept = json.loads(MUTANTS.read_text("utf-8"))
    for name, part in kept.items():
        assert part["mutants"] == part["killed"] + part["overdue"] + part["survived"], name
        assert part["survived"] == len(part["survivors"])
        for survivor in part["survivors"]:
            assert survivor["why"], survivor


def test_every_scene_is_that_of_one_item() -> None:
    scenes = [item.scene for item in ALL.values() if item.scene]
    assert sorted(scenes) == sorted(SCENES)
    assert all(item.scene for item in SHOWN)


def test_every_judge_has_its_item_and_every_item_its_judge() -> None:
    assert set(judges()) == set(ALL)


@pytest.mark.parametrize("counted", [4, 5])
def test_a_verdict_that_no_longer_holds_is_an_error(monkeypatch: pytest.MonkeyPatch, counted: int) -> None:
    item = Item(name="one", source="000", says="all", verdict="true", figures="{right} of 5")
    monkeypatch.setattr(items_module, "judges", lambda: {"one": lambda: (counted == 5, {"right": counted})})
    if counted == 5:
        assert item.judge() == Verdict("true", "5 of 5")
    else:
        with pytest.raises(Changed, match="no longer true: 4 of 5"):
            item.judge()


def test_a_command_in_a_block_is_run_and_its_output_put_below() -> None:
    page = with_outputs("text\n\n```text\n$ tabiya analyse --tree '[1,2]' -a minimax --trace --no-time\n```\nmore\n")
    assert page.startswith("text\n\n```text\n$ tabiya analyse --tree '[1,2]'")
    assert "#0 Max = 2\n+---- #1 = 1\n`---- #2 = 2\n" in page
    assert page.endswith("```\nmore\n")


def test_a_kept_output_is_used_unchanged() -> None:
    page = "```text\n$ tabiya analyse nim -d 2\n```\n"
    assert of_games(page) == ["tabiya analyse nim -d 2"]
    assert with_outputs(page, {"tabiya analyse nim -d 2": ["kept"]}) == page.replace("2\n", "2\nkept\n")
