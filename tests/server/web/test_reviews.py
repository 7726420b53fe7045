"""The review that is kept of a match, for programs and on its page."""

from __future__ import annotations

import msgspec
import pytest

from tabiya.protocol.messages import Move, MoveInfo
from tabiya.server.archive.reviews import encoded
from tabiya.server.web.pages import pages
from tabiya.storage.records import MatchId
from tests.server.archive.test_reviews import judged_move
from tests.server.web.page_reader import Page
from tests.server.web.web_server import LINE, WebServer

JUDGED = (
    judged_move(0, 0, 0.0, 0.5),
    judged_move(1, 1, 0.75, 0.5, best="b2"),
    judged_move(2, 0, 0.01, 1.0),
)
BY = "tabiya 0.1, rules 1, 20000 nodes, 3 moves"


@pytest.fixture(autouse=True)
def always_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """No page is shared, so that every one shows this very moment."""
    monkeypatch.setattr(pages, "PAGE_CACHE_S", 0.0)


async def page(web: WebServer, match: int) -> Page:
    """The match's page, without faults."""
    answer = await web.get(f"/matches/{match}")
    assert answer.status == 200, answer.text
    read = Page(answer.text)
    read.addresses(f"/matches/{match}")
    assert read.faults == []
    return read


async def test_a_kept_review_is_answered_and_shown_with_links_to_its_plies(web: WebServer) -> None:
    match = await web.play(LINE)
    await web.store.keep_review(MatchId(match), BY, encoded(JUDGED))
    found = await web.json(f"/api/v1/matches/{match}/review")
    assert found == {"match": match, "judged_by": BY, "judged": msgspec.json.decode(encoded(JUDGED))}
    read = await page(web, match)
    assert "Chances of ada, judged by the playing engine" in read.words
    assert "Worst moves" in read.words
    text = (await web.get(f"/matches/{match}")).text
    assert '<polyline class="judged" data-line="judged" points="0,40.0 1,40.0 2,0.0"/>' in text
    assert '<td class="number">0.75</td>' in text
    assert text.count("data-go-to=") == 2  # one move cost something: it, and the position before it
    assert 'data-go-to="1" href="?ply=1" title="the position before it">b2</a>' in text
    assert f"/api/v1/matches/{match}/review" in read.links
    assert "Not reviewed yet" not in read.words


async def test_a_match_without_a_review_names_the_command_that_makes_it(web: WebServer) -> None:
    match = await web.play(LINE)
    (await web.get(f"/api/v1/matches/{match}/review")).assert_refused(404, f"no review kept of match {match}")
    (await web.get("/api/v1/matches/77/review")).assert_refused(404, "there is no match 77")
    read = await page(web, match)
    assert f"Not reviewed yet: tabiya review {match} shows the worst moves in a terminal; the operator" in read.words
    assert "Chances" not in read.words  # these bots told no scores
    assert f'data-match="{match}" data-first="ada" data-second="bob" hidden>' in read.text  # the button of who may
    running = await page(web, await web.begin("a1 a2", bots=("eve", "dan")))
    assert "Not reviewed yet" not in running.words
    assert "order-review" not in running.text


async def test_a_move_of_the_opening_is_nobodys_mistake(web: WebServer) -> None:
    match = await web.play(LINE, opening="a1 a2")
    await web.store.keep_review(MatchId(match), BY, encoded(JUDGED))
    assert "The engine found no bad moves." in (await page(web, match)).words


async def test_a_review_that_is_damaged_is_as_good_as_none(web: WebServer) -> None:
    match = await web.play(LINE)
    await web.store.keep_review(MatchId(match), BY, "[{")
    assert (await web.get(f"/api/v1/matches/{match}/review")).status == 404
    assert "Not reviewed yet" in (await page(web, match)).words


async def test_without_a_review_the_scores_that_the_bots_told_are_drawn(web: WebServer) -> None:
    match = await web.begin("")
    for ply, text in enumerate(LINE.split()):
        info = MoveInfo(score=100 * (ply + 1)) if ply % 2 == 0 else None
        web.bots[("ada", "bob")[ply % 2]].say(Move(match=match, ply=ply, move=text, info=info))
        await web.at_ply(match, ply + 1) if ply < 4 else await web.ends(match)
    read = await page(web, match)
    assert "Chances of ada, as ada saw them" in read.words
    text = (await web.get(f"/matches/{match}")).text
    assert '<polyline class="seat-0" data-line="seat-0" points="1,28.8 3,12.1 5,4.3"/>' in text
    assert "judged" not in text
