"""Orders of the operator about matches, and registration."""

from __future__ import annotations

import asyncio

import pytest

from tabiya.protocol.messages import MatchEnded, Move
from tabiya.server.accounts.accounts import hash_token
from tabiya.server.web.http import server_facade
from tabiya.storage.memory import MemoryStore
from tabiya.storage.records import MatchId
from tests.present import present
from tests.server.web.web_server import LINE, Answer, WebServer, web_server
from tests.storage.samples import NOON, new_match


async def test_an_aborted_match_has_no_result_and_everybody_is_told(web: WebServer) -> None:
    match = await web.begin("a1 a2")
    await web.at_ply(match, 2)
    answer = await web.post(f"/api/v1/matches/{match}/abort", {"reason": "wrong bots"})
    assert answer.status == 200
    assert answer.json["status"] == "ended"
    assert answer.json["result"] | {"ended_at": 0, "clock_ms": None} == {
        "result": "*",
        "winner": None,
        "winner_bot": None,
        "ending": "aborted",
        "sentence": "no result between ada and bob: the match was aborted",
        "reason": "wrong bots",
        "overrun_ms": None,
        "clock_ms": None,
        "ended_at": 0,
        "lost_turn": None,
    }
    assert (await web.bots["ada"].receives(MatchEnded)).reason == "wrong bots"


@pytest.mark.parametrize(("winner", "result"), [(0, "1-0"), (1, "0-1"), (None, "1/2-1/2")])
async def test_an_adjudicated_match_has_the_result_that_was_ordered(
    web: WebServer, winner: int | None, result: str
) -> None:
    match = await web.begin("a1 a2")
    answer = await web.post(f"/api/v1/matches/{match}/adjudicate", {"winner": winner, "reason": "the bell rang"})
    assert (answer.status, answer.json["result"]["result"]) == (200, result)
    assert (await web.bots["bob"].receives(MatchEnded)).ending == "adjudicated"
    assert (await web.record(match)).result is not None


@pytest.mark.parametrize("word", ["abort", "adjudicate", "replay"])
async def test_a_frozen_match_can_still_be_decided(web: WebServer, word: str, errors_expected: None) -> None:
    match = await web.begin("a1 a2")
    await web.freeze(match)
    assert (await web.json(f"/api/v1/matches/{match}"))["status"] == "frozen"
    answer = await web.post(f"/api/v1/matches/{match}/{word}", {"winner": 1} if word == "adjudicate" else {})
    assert answer.status == 200
    assert (await web.record(match)).status == "ended"


@pytest.mark.parametrize(("word", "ending"), [("abort", "aborted"), ("adjudicate", "adjudicated")])
async def test_a_frozen_match_that_no_longer_runs_is_decided_by_its_rows(
    web: WebServer, word: str, ending: str
) -> None:
    ada = await web.store.create_bot("ada", created_at=NOON)
    bob = await web.store.create_bot("bob", created_at=NOON)
    match = await web.store.create_match(new_match((ada, bob)))
    order = {"winner": 1} if word == "adjudicate" else {}
    early = await web.post(f"/api/v1/matches/{match}/{word}", order)
    assert (early.status, "try again" in early.error) == (409, True)
    await web.store.freeze_match(match, "cannot be restored")
    reported = []
    web.dispatcher.on_ended.append(lambda record, result: reported.append((record.id, result.ending)))
    answer = await web.post(f"/api/v1/matches/{match}/{word}", order)
    assert (answer.status, answer.json["result"]["ending"]) == (200, ending)
    assert reported == [(match, ending)]


@pytest.mark.parametrize(("word", "order"), [("abort", {}), ("adjudicate", {"winner": 1})])
async def test_a_match_that_has_ended_stays_as_it_is_and_none_is_made_up(
    web: WebServer, word: str, order: dict[str, int]
) -> None:
    match = await web.play(LINE)
    (await web.post(f"/api/v1/matches/{match}/{word}", order)).assert_refused(409, "ended already")
    assert (await web.json(f"/api/v1/matches/{match}"))["result"]["result"] == "1-0"
    for unknown in (word, "replay"):
        answer = await web.post(f"/api/v1/matches/7/{unknown}", order if unknown == word else {})
        assert (answer.status, answer.error) == (404, "there is no match 7")


async def test_an_order_that_comes_while_the_last_move_is_being_saved_loses_to_the_move(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await web.begin("a1 a2 b1 b2")
    await web.at_ply(match, 4)
    record = await web.record(match)
    web.bots["ada"].say(Move(match=match, ply=4, move="c1"))

    async def as_it_was(store: MemoryStore, match_id: MatchId) -> object:
        return record

    monkeypatch.setattr(MemoryStore, "match", as_it_was)
    (await web.post(f"/api/v1/matches/{match}/abort", {})).assert_refused(409, "just")


async def test_a_result_that_cannot_be_saved_in_time_is_told_as_not_yet_saved(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_facade, "RESULT_TIMEOUT_S", 0.0)
    match = await web.begin("a1")
    (await web.post(f"/api/v1/matches/{match}/abort", {})).assert_refused(503, "not saved yet")


async def test_two_operators_who_abort_the_same_match_are_both_answered(web: WebServer) -> None:
    match = await web.begin("a1")
    answers = await asyncio.gather(*(web.post(f"/api/v1/matches/{match}/abort", {}) for _ in range(2)))
    assert answers[0].status == 200
    assert answers[1].status in (200, 409)


async def test_nim_knows_no_draw_so_none_can_be_ordered(web: WebServer) -> None:
    match = await web.begin("", game="nim")
    (await web.post(f"/api/v1/matches/{match}/adjudicate", {"winner": None})).assert_refused(400, "no draw")


async def test_a_match_is_played_again_from_its_opening_by_the_same_bots(web: WebServer) -> None:
    match = await web.play("e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7", game="chess", opening="e2e4 e7e5")
    answer = await web.post(f"/api/v1/matches/{match}/replay", {})
    assert answer.status == 200
    assert answer.json["aborted"] is False
    again = answer.json["match"]
    assert again > match
    web.players[again] = web.players[match]
    await web.ends(again)
    reported = await web.json(f"/api/v1/matches/{again}")
    assert [move["move"] for move in reported["moves"] if move["opening"]] == ["e2e4", "e7e5"]
    assert [seat["bot"] for seat in reported["seats"]] == ["ada", "bob"]


@pytest.mark.parametrize(
    ("path", "order"),
    [
        ("abort", {"why": "x"}),
        ("abort", {"reason": 7}),
        ("abort", {"reason": "x" * 501}),
        ("abort", []),
        ("abort", b"{"),
        ("abort", b""),
        ("abort", b"\xff"),
        ("abort", b"[" * 50_000),
        ("adjudicate", {}),
        ("adjudicate", {"winner": 2}),
        ("adjudicate", {"winner": "ada"}),
        ("adjudicate", {"winner": True}),
    ],
)
async def test_an_order_that_cannot_be_read_changes_nothing(web: WebServer, path: str, order: object) -> None:
    match = await web.begin("a1")
    answer = await web.post(f"/api/v1/matches/{match}/{path}", order)
    assert (answer.status, answer.error.startswith("the request's body")) == (400, True)
    assert (await web.json(f"/api/v1/matches/{match}"))["status"] == "running"


async def test_an_order_that_is_too_large_is_refused_unread(web: WebServer) -> None:
    (await web.post("/api/v1/matches/1/abort", {"reason": "x" * 70_000})).assert_refused(413, "65,536")


# --- registration


async def test_a_bot_is_registered_and_its_token_is_shown_once_and_stored_as_a_hash(web: WebServer) -> None:
    answer = await web.post("/api/v1/register", {"name": "Ada"})
    assert (answer.status, answer.json["name"]) == (201, "Ada")
    bot = present(await web.store.bot_by_token_hash(hash_token(answer.json["token"])))
    assert bot.name == "Ada"
    again = await web.post("/api/v1/register", {"name": "ada"})
    assert (again.status, "taken" in again.error) == (409, True)


@pytest.mark.parametrize("name", ["", " ", "<script>", "admin", "x" * 41, "two\nlines", "\u202eada"])
async def test_a_name_that_cannot_be_used_is_refused_with_the_reason(web: WebServer, name: str) -> None:
    (await web.post("/api/v1/register", {"name": name})).assert_refused(400, "name")
    assert (await web.json("/api/v1/bots"))["bots"] == []


async def test_a_closed_server_asks_for_the_invite_code_and_guessing_it_is_slow() -> None:
    async with web_server(open_registration=False, invite_secret="tulip") as web:

        async def register(name: str, invite: str) -> Answer:
            return await web.post("/api/v1/register", {"name": name, "invite": invite})

        assert (await register("ada", "tulip")).status == 201
        (await register("bob", "")).assert_refused(403, "invite code")
        statuses = [(await register("bob", f"guess {number}")).status for number in range(20)]
        assert statuses == [403] * 19 + [429]
        answer = await register("bob", "tulip")
        assert answer.status == 429
        assert 0 < int(answer.headers["Retry-After"]) <= 5
