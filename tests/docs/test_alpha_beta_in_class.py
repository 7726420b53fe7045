"""The lesson on alpha-beta, word for word: each link shows what stands behind it, each question has its answer."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import pytest
import pytest_asyncio

from tabiya.bots.textbook.exercises.kinds import KINDS
from tabiya.explorer.exercises import shown_sheet
from tests.server.web.browser import Browser, browser
from tests.server.web.pages.explore_page import READY, exploring
from tests.server.web.pages.measures import shown
from tests.server.web.web_server import WebServer
from tests.source_rules.sources import ROOT

LESSON = (ROOT / "docs/tutorial/alpha-beta-in-class.md").read_text("utf-8")
LINK = re.compile(r"\]\(http://ADDRESS:8080(/[^)\s]+)\)")
CODE = re.compile(r"`([^`]+)`")
SEEN = """(() => {
  const drawn = [...document.querySelectorAll("svg.tree title, svg.tree text")].map((text) => text.textContent);
  return [document.body.innerText, ...drawn].join(" ").replace(/\\s+/g, " ");
})()"""
SOLUTIONS = "document.querySelector('.solution').checkVisibility()"
FIT = "document.documentElement.scrollWidth <= innerWidth"
ASKED = "document.querySelector('.ask form .strong')?.textContent ?? ''"
STEP = "document.getElementById('slider').valueAsNumber"
ON = "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true })); 0"
ANSWER = """((answers) => {
  const form = document.querySelector(".ask form"), field = form.elements.answer;
  if (field) field.value = answers[0];
  else for (const name of answers) form.querySelector(`[value="${name}"]`).checked = true;
  form.requestSubmit();
  const said = document.querySelector(".ask .verdict").textContent;
  document.querySelector(".ask .primary").click();
  return said;
})(ANSWERS)"""


def links() -> list[tuple[str, list[str]]]:
    """Each address of the lesson, with what stands in code between it and the next one, as one line each."""
    places = [*LINK.finditer(LESSON), re.search(r"\Z", LESSON)]
    return [
        (here[1], [" ".join(code.split()) for code in CODE.findall(LESSON[here.end() : after.start()])])
        for here, after in pairwise(filter(None, places))
    ]


def questions() -> list[list[str]]:
    """The rows of its table: a question, and its answer."""
    return re.findall(r"^\| ([^|]+\?) \| ([^|]+) \|$", LESSON, re.MULTILINE)


def test_its_parts_last_45_minutes_one_after_the_other() -> None:
    parts = [(int(begin), int(end)) for begin, end in re.findall(r"^## (\d+) to (\d+): ", LESSON, re.MULTILINE)]
    assert parts[0][0] == 0
    assert parts[-1][1] == 45
    assert all(one[1] == other[0] and one[0] < one[1] for one, other in pairwise(parts))


def test_the_leaves_of_uniform_trees_that_it_names_are_those_of_the_formula() -> None:
    named = re.findall(r"(\d+) moves and (\d+) plies: ([\d,]+) of ([\d,]+) leaves", LESSON)
    assert named
    for moves, plies, fewest, all_leaves in named:
        b, d = int(moves), int(plies)
        assert fewest == f"{b ** -(-d // 2) + b ** (d // 2) - 1:,}"
        assert all_leaves == f"{b**d:,}"
        assert f"{b ** (d // 2):,} of them after {d // 2} plies" in LESSON


def test_the_answers_to_its_sheet_are_those_of_the_sheet() -> None:
    address = next(address for address, _ in links() if address.startswith("/explore/exercises"))
    given: dict[str, Any] = {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", address)}
    exercises = json.loads(shown_sheet(**given))["exercises"]
    assert [exercise["title"] for exercise in exercises] == [kind.title for kind in KINDS[: given["count"]]]
    for number, exercise in enumerate(exercises, start=1):
        answers = "; ".join(f"{part['asked']}: {part['answer']}" for part in exercise["parts"])
        assert f"\n{number}. {exercise['title']}. {answers}\n" in LESSON


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def page() -> AsyncIterator[tuple[WebServer, Browser]]:
    """A server that searches, and a tab as wide as a projector."""
    with browser() as address:
        async with exploring(address) as (web, tab):
            await shown(tab, 1280)
            yield web, tab


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.asyncio(loop_scope="module")
async def test_every_link_shows_what_stands_behind_it(page: tuple[WebServer, Browser]) -> None:
    web, tab = page
    missing = {}
    assert sum(bool(printed) for _, printed in links()) >= 15
    for address, printed in links():
        await tab.open(f"{web.url}/about")  # between two addresses that differ behind the # nothing would be loaded
        await tab.open(web.url + address)
        if address.startswith("/explore/exercises?"):
            assert await tab.read(SOLUTIONS) == address.endswith("#solutions")
        else:
            await tab.until(READY)
            slider = int(dict(re.findall(r"[?&](\w+)=(\d+)", address)).get("step", 0))
            assert await tab.read(STEP) == slider, address  # a step behind the end would be another one
        seen = await tab.read(SEEN)
        if absent := [words for words in printed if words not in seen]:
            missing[address] = absent, seen[:1500]
        assert await tab.read(FIT), address
    assert not missing, json.dumps(missing, indent=1, ensure_ascii=False)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.asyncio(loop_scope="module")
async def test_the_questions_are_asked_in_its_order_and_its_answers_are_right(page: tuple[WebServer, Browser]) -> None:
    web, tab = page
    address = next(address for address, _ in links() if "ask=1" in address)
    await tab.open(web.url + address)
    await tab.until(READY)
    last = await tab.read("Number(document.getElementById('slider').max)")
    for asked, answer in questions():
        for _ in range(last):
            if await tab.read(ASKED):
                break
            await tab.read(ON)
        assert await tab.read(ASKED) == asked
        answers = [] if answer == "none" else answer.replace("\N{MINUS SIGN}", "-").split(", ")
        output = await tab.read(ANSWER.replace("ANSWERS", json.dumps(answers)))
        assert output.startswith("\N{CHECK MARK} Right. "), (asked, output)
    while await tab.read(STEP) < last:
        await tab.read(ON)
        assert await tab.read(ASKED) == ""
    assert f"{len(questions())} right, 0 wrong" in await tab.read("document.querySelector('.ask').textContent")
