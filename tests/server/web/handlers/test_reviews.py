"""A review that is ordered: by whom it may be, how far it is, that it is kept, and what is said when it cannot be."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import msgspec
import pytest

from tabiya.explorer.explorer import Explorer
from tabiya.server.archive.reviews import decoded, encoded
from tabiya.server.explorer import ExplorerBusy, NoAnswer
from tabiya.server.web.handlers import reviews
from tabiya.storage.records import MatchId, ReviewRecord
from tests.present import present
from tests.server.archive.test_reviews import judged_move
from tests.server.local_bots import silent
from tests.server.web.handlers.test_explorer import Scripted
from tests.server.web.handlers.test_sessions import signed_in
from tests.server.web.web_server import LINE, OPERATOR, WebServer, bearer
from tests.waiting import WITHIN_S

JUDGED = [judged_move(ply, ply % 2, 0.5 * (ply == 1), best="b2") for ply in range(5)]
MADE = ReviewRecord(judged_by="an engine", judged=encoded(JUDGED))
OTHER = ("eve", "dan")


@pytest.fixture
async def tokens(shared: WebServer) -> dict[str, str]:
    """Of four connected bots."""
    found = {}
    for name in ("ada", "bob", *OTHER):
        found[name] = (await shared.post("/api/v1/register", {"name": name, "invite": "tulip"})).json["token"]
        await shared.bot(name, silent, token=found[name], version="1.0")
    return found


@pytest.fixture
def explorer(shared: WebServer) -> Scripted:
    """Reviews each match in the same way."""
    shared.server.explorer = scripted = Scripted()
    scripted.reviews = [3, MADE]
    return scripted


def address(match: int) -> str:
    return f"/api/v1/matches/{match}/review"


def lines(body: bytes) -> list[Any]:
    return [json.loads(line) for line in body.splitlines()]


async def first_line(shared: WebServer, match: int, token: str) -> Any:
    """Order a review, see how far it is, and go away."""
    headers = bearer(token) | {"Content-Type": "application/json"}
    async with shared.session.post(shared.url + address(match), data=b"{}", headers=headers) as answer:
        assert answer.status == 200
        line = json.loads(await answer.content.readline())
        answer.close()
    return line


async def kept(shared: WebServer, match: int) -> None:
    """Wait until a review is kept."""
    async with asyncio.timeout(WITHIN_S):
        while await shared.store.review(MatchId(match)) is None:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_a_players_owner_has_a_match_reviewed_and_it_is_kept(
    shared: WebServer, tokens: dict[str, str], explorer: Scripted
) -> None:
    match = await shared.play(LINE)
    _, page = await signed_in(shared, tokens["bob"])
    answer = await shared.post(address(match), {}, **page)
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/x-ndjson")
    (made,) = lines(answer.body)
    assert (made["judged"], made["moves"], made["problem"]) == (5, 5, "")
    assert made["review"] == (await shared.json(address(match)))
    assert made["review"]["judged"] == msgspec.json.decode(MADE.judged)
    assert [(move["ply"], move["best"]) for move in made["costliest"]] == [(1, "b2")]
    record = await shared.record(match)
    assert explorer.asked == [{"game": record.game, "start": record.start_text, "moves": LINE.split()}]
    assert lines((await shared.post(address(match), {}, token=tokens["ada"])).body) == [made]
    assert lines((await shared.post(address(match), {}, token=OPERATOR)).body) == [made]
    assert len(explorer.asked) == 1


async def test_nobody_else_may_but_an_operator(shared: WebServer, tokens: dict[str, str], explorer: Scripted) -> None:
    match = await shared.play(LINE)
    (await shared.post(address(match), {})).assert_refused(401, "this needs the token of ada or bob, or an operator's")
    (await shared.post(address(match), {}, token=tokens["eve"])).assert_refused(401, "the token of ada or bob")
    _, page = await signed_in(shared, tokens["eve"])
    (await shared.post(address(match), {}, **page)).assert_refused(403, "you are signed in as eve")
    _, page = await signed_in(shared, tokens["ada"])
    (await shared.post(address(match), {}, Cookie=page["Cookie"])).assert_refused(
        403, "which names the page that sent it"
    )
    assert explorer.asked == []
    assert (await shared.post(address(match), {}, token=OPERATOR)).status == 200
    assert (await shared.get(address(match))).status == 200


async def test_a_match_that_runs_or_has_no_moves_is_refused(
    shared: WebServer, tokens: dict[str, str], explorer: Scripted
) -> None:
    running = await shared.begin("a1 a2")
    await shared.at_ply(running, 2)
    (await shared.post(address(running), {}, token=tokens["ada"])).assert_refused(409, f"match {running} is not over")
    empty = await shared.begin("", bots=OTHER)
    assert (await shared.post(f"/api/v1/matches/{empty}/abort", {}, token=OPERATOR)).status == 200
    (await shared.post(address(empty), {}, token=OPERATOR)).assert_refused(409, f"match {empty} has no moves")
    (await shared.post(address(77), {}, token=OPERATOR)).assert_refused(404, "there is no match 77")
    assert explorer.asked == []


async def test_a_server_that_judges_nothing_answers_what_is_kept(shared: WebServer, tokens: dict[str, str]) -> None:
    match = await shared.play(LINE)
    (await shared.post(address(match), {}, token=tokens["ada"])).assert_refused(503, "without a search explorer")
    await shared.store.keep_review(MatchId(match), "an engine", MADE.judged)
    assert (await shared.post(address(match), {}, token=tokens["ada"])).status == 200


async def test_a_review_of_the_time_when_the_match_ran_is_made_anew(
    shared: WebServer, tokens: dict[str, str], explorer: Scripted
) -> None:
    match = await shared.play(LINE)
    await shared.store.keep_review(MatchId(match), "an engine", encoded(JUDGED[:2]))
    (made,) = lines((await shared.post(address(match), {}, token=tokens["ada"])).body)
    assert len(made["review"]["judged"]) == 5


async def test_an_opening_is_nobodys_mistake(shared: WebServer, tokens: dict[str, str], explorer: Scripted) -> None:
    match = await shared.play(LINE, opening="a1 a2")
    (made,) = lines((await shared.post(address(match), {}, token=tokens["ada"])).body)
    assert made["costliest"] == []


async def test_a_review_is_finished_without_its_client_and_is_ordered_only_once(
    shared: WebServer, tokens: dict[str, str], explorer: Scripted
) -> None:
    matches = [await shared.play(LINE) for _ in range(2)] + [await shared.play(LINE, bots=OTHER)]
    goes_on = asyncio.Event()
    explorer.reviews = [3, goes_on, MADE]
    assert (await first_line(shared, matches[0], tokens["ada"])) == {
        "judged": 3, "moves": 5, "review": None, "costliest": [], "problem": "",
    }  # fmt: skip
    other = await shared.post(address(matches[1]), {}, token=tokens["ada"])
    other.assert_refused(429, f"your review of match {matches[0]} is not finished; one review at a time")
    assert "Retry-After" in other.headers
    assert (await first_line(shared, matches[0], tokens["bob"]))["judged"] == 3  # the same one
    assert (await first_line(shared, matches[2], tokens["eve"]))["judged"] == 3
    assert len(explorer.asked) == 2
    goes_on.set()
    for match in (matches[0], matches[2]):
        await kept(shared, match)
    assert (await shared.post(address(matches[1]), {}, token=tokens["ada"])).status == 200


async def test_too_many_at_once_are_told_to_come_again(
    shared: WebServer, tokens: dict[str, str], explorer: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches = await shared.play(LINE), await shared.play(LINE, bots=OTHER)
    monkeypatch.setattr(reviews, "MOST_MADE", 1)
    explorer.reviews = [3, asyncio.Event()]
    await first_line(shared, matches[0], tokens["ada"])
    full = await shared.post(address(matches[1]), {}, token=tokens["eve"])
    full.assert_refused(503, "1 reviews are already waiting; try again in a moment")
    assert "Retry-After" in full.headers


async def test_an_explorer_that_is_busy_or_cannot_says_so(
    shared: WebServer, tokens: dict[str, str], explorer: Scripted
) -> None:
    match = await shared.play(LINE)
    explorer.reviews = [ExplorerBusy("60 searches wait already")]
    busy = await shared.post(address(match), {}, token=tokens["ada"])
    busy.assert_refused(503, "60 searches wait already")
    assert "Retry-After" in busy.headers
    explorer.reviews = [NoAnswer("the rules of today do not know it")]
    (await shared.post(address(match), {}, token=tokens["ada"])).assert_refused(409, "the rules of today")
    goes_on = asyncio.Event()
    explorer.reviews = [3, goes_on, NoAnswer("the review has taken too long")]
    headers = bearer(tokens["ada"]) | {"Content-Type": "application/json"}
    async with shared.session.post(shared.url + address(match), data=b"{}", headers=headers) as answer:
        first = json.loads(await answer.content.readline())
        goes_on.set()
        last = lines(await answer.read())[-1]
    assert (first["judged"], first["problem"]) == (3, "")
    assert (last["review"], last["problem"]) == (None, "the review has taken too long")
    explorer.reviews = [MADE]
    assert (await shared.post(address(match), {}, token=tokens["ada"])).status == 200


@pytest.mark.slow
async def test_the_real_one_judges_every_move(shared: WebServer, tokens: dict[str, str]) -> None:
    shared.server.explorer = Explorer(processes=1)
    match = await shared.play(LINE)
    *_, made = lines((await shared.post(address(match), {}, token=tokens["bob"])).body)
    found = present(await shared.store.review(MatchId(match)))
    assert len(present(decoded(found.judged))) == 5
    assert "20000 nodes, 5 moves" in found.judged_by
    assert {move["seat"] for move in made["costliest"]} == {1}
