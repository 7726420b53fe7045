"""Matches by the API: lists with filters, and everything needed to say why one was lost."""

from __future__ import annotations

import math

import pytest

from tabiya.games.registry import load_game
from tabiya.protocol.messages import Move, MoveInfo
from tabiya.storage.records import MatchId
from tests.server.web.web_server import DRAW, GAME, LINE, WebServer
from tests.storage.samples import NOON, new_match


async def test_a_match_that_has_ended_is_told_with_its_moves_clocks_and_reason(web: WebServer) -> None:
    match = await web.play(LINE)
    shown = await web.json(f"/api/v1/matches/{match}")
    assert shown["status"] == "ended"
    assert [seat["bot"] for seat in shown["seats"]] == ["ada", "bob"]
    assert [seat["seat"] for seat in shown["seats"]] == ["X", "O"]
    assert shown["result"]["result"] == "1-0"
    assert shown["result"]["winner_bot"] == "ada"
    assert shown["result"]["ending"] == "line"
    assert shown["result"]["sentence"] == "ada completed a line against bob"
    assert [move["move"] for move in shown["moves"]] == LINE.split()
    assert [move["seat"] for move in shown["moves"]] == [0, 1, 0, 1, 0]
    for move in shown["moves"]:
        assert 0 <= move["think_ms"] < 10_000
        assert move["clock_ms"][move["seat"]] > 50_000
    stored = await web.store.moves(MatchId(match))
    assert [move["clock_ms"] for move in shown["moves"]] == [[us / 1000 for us in move.remaining_us] for move in stored]
    assert shown["position"] == "3x3x3 XXXOO---- O"
    assert shown["to_move"] is None
    assert shown["fault"] is None


async def test_the_times_of_every_move_are_told_and_add_up(web: WebServer) -> None:
    match = await web.begin("a1", control="60+0")
    await web.at_ply(match, 1)
    info = MoveInfo(depth=3, time_ms=41)
    web.bots["bob"].say(Move(match=match, ply=1, move="a2", info=info))
    await web.at_ply(match, 2)
    first, second = (await web.json(f"/api/v1/matches/{match}"))["moves"]
    assert (first["claimed_ms"], second["claimed_ms"], second["standstill_ms"]) == (None, 41.0, 0)
    for move in (first, second):
        assert round((move["at"] - move["sent_at"]) * 1_000, 3) == move["think_ms"]
    assert round((second["at"] - first["at"]) * 1_000, 3) == round(second["server_ms"] + second["think_ms"], 3)


async def test_a_turn_that_ran_out_is_told_with_its_account(web: WebServer) -> None:
    match = await web.begin("", control="0.05/move")
    await web.ends(match)
    result = (await web.json(f"/api/v1/matches/{match}"))["result"]
    turn = result["lost_turn"]
    assert (turn["ply"], turn["seat"], turn["arrived_at"], turn["limit_ms"]) == (0, 0, None, 50.0)
    given_ms = turn["limit_ms"] + turn["credit_ms"] + turn["standstill_ms"]
    assert round((turn["deadline_at"] - turn["sent_at"]) * 1_000, 3) == given_ms
    assert result["overrun_ms"] == math.ceil(round((result["ended_at"] - turn["deadline_at"]) * 1_000, 3))


async def test_a_running_match_is_told_drawn_and_written_as_far_as_it_is_saved(web: WebServer) -> None:
    match = await web.begin("a1 a2 b1")
    await web.at_ply(match, 3)
    answer = await web.json(f"/api/v1/matches/{match}")
    assert (answer["status"], answer["result"], answer["to_move"]) == ("running", None, 1)
    assert [move["move"] for move in answer["moves"]] == ["a1", "a2", "b1"]
    assert answer["thinking_ms"] >= 0
    assert (await web.get(f"/api/v1/matches/{match}/picture/3.svg")).status == 200
    assert (await web.get(f"/api/v1/matches/{match}/picture/4.svg")).status == 404
    text = (await web.get(f"/api/v1/matches/{match}/transcript")).text
    assert '[Result "*"]' in text
    assert "a1" in text


async def test_a_match_without_clocks_has_none(web: WebServer) -> None:
    match = await web.play(DRAW, control="none")
    answer = await web.json(f"/api/v1/matches/{match}")
    assert (answer["clock_ms"], answer["result"]["clock_ms"], answer["moves"][0]["clock_ms"]) == (None, None, None)
    assert answer["result"]["result"] == "1/2-1/2"


async def test_moves_are_told_as_people_write_them_the_opening_is_marked_and_the_transcript_is_pgn(
    web: WebServer,
) -> None:
    chess = "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7"
    match = await web.play(chess, game="chess", opening="e2e4 e7e5")
    reported = await web.json(f"/api/v1/matches/{match}")
    assert [move["readable"] for move in reported["moves"]] == ["e4", "e5", "Qh5", "Nc6", "Bc4", "Nf6", "Qxf7#"]
    assert [move["opening"] for move in reported["moves"]] == [True, True, False, False, False, False, False]
    assert reported["result"]["ending"] == "checkmate"
    answer = await web.get(f"/api/v1/matches/{match}/transcript")
    assert answer.headers["Content-Type"].startswith("text/plain")
    assert '[White "ada"]' in answer.text
    assert '[Result "1-0"]' in answer.text
    assert "Qxf7#" in answer.text
    assert answer.text.rstrip().endswith("1-0")


async def test_a_match_lost_by_illegal_moves_says_so(web: WebServer) -> None:
    match = await web.begin("a1 a1")
    await web.at_ply(match, 1)
    for _ in range(2):
        web.bots["bob"].say(Move(match=match, ply=1, move="a1"))
    await web.ends(match)
    answer = await web.json(f"/api/v1/matches/{match}")
    assert answer["result"]["ending"] == "illegal_moves"
    assert answer["result"]["sentence"] == "bob sent too many illegal moves and lost to ada"
    assert "'a1' is not legal" in answer["result"]["reason"]


async def test_matches_are_listed_newest_first_and_by_every_filter(web: WebServer) -> None:
    first = await web.play(LINE)
    second = await web.play(DRAW, bots=("ada", "eve"))
    third = await web.begin("", game="nim", bots=("bob", "eve"))
    everything = await web.json("/api/v1/matches")
    assert [match["id"] for match in everything["matches"]] == [third, second, first]
    assert everything["before"] is None

    async def found(query: str) -> list[int]:
        return [match["id"] for match in (await web.json(f"/api/v1/matches?{query}"))["matches"]]

    assert await found("game=nim") == [third]
    assert await found("bot=ADA") == [second, first]
    assert await found("status=running") == [third]
    assert await found("status=frozen") == []
    assert await found(f"bot=eve&before={third}") == [second]
    page = await web.json("/api/v1/matches?limit=2")
    assert [match["id"] for match in page["matches"]] == [third, second]
    rest = await web.json(f"/api/v1/matches?limit=2&before={page['before']}")
    assert ([match["id"] for match in rest["matches"]], rest["before"]) == ([first], None)


@pytest.mark.parametrize("api", ["/api/v1", "/api"])
async def test_a_long_list_says_where_it_goes_on_in_the_body_and_in_the_header(web: WebServer, api: str) -> None:
    played = [await web.play(bots=("Ada/7 (x)", "bob")) for _ in range(5)]
    address, found, asked = f"{api}/matches?bot=Ada%2F7+(x)&limit=2", list[int](), 0
    while address:
        answer = await web.get(address)
        found, asked = found + [match["id"] for match in answer.json["matches"]], asked + 1
        links = [link for link in answer.headers.getall("Link", []) if 'rel="next"' in link]
        address = answer.json["next"]
        assert links == ([f'<{address}>; rel="next"'] if address else [])
    assert (found, asked) == (played[::-1], 3)


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("game=halma", 404, "no game 'halma'"),
        ("bot=nobody", 404, "no bot 'nobody'"),
        ("tournament=7", 404, "no tournament 7"),
        ("status=asleep", 400, "asleep"),
        ("limit=0", 400, "limit"),
        ("limit=many", 400, "limit"),
        ("before=-1", 400, "before"),
        ("tournament=null", 400, 'tournament is "null"; it must be a whole number of at least 1'),
        ("bot=null", 404, "no bot 'null'"),
        ("befor=1", 400, "befor"),
        ("before=99999999999999999999999", 400, "before"),
    ],
)
async def test_a_question_that_cannot_be_meant_is_refused(web: WebServer, query: str, status: int, words: str) -> None:
    (await web.get(f"/api/v1/matches?{query}")).assert_refused(status, words)


@pytest.mark.parametrize("number", ["7", "0", "-1", "seven", "9" * 40, "1e3", "%00", "٣"])
@pytest.mark.parametrize("rest", ["", "/live", "/transcript", "/game.sgf", "/picture/0.svg"])
async def test_there_is_no_match_of_a_number_nobody_has_given(web: WebServer, number: str, rest: str) -> None:
    (await web.get(f"/api/v1/matches/{number}{rest}")).assert_refused(404, "no match")


async def test_every_ply_of_a_match_has_its_picture(web: WebServer) -> None:
    match = await web.play(LINE)
    pictures = [await web.get(f"/api/v1/matches/{match}/picture/{ply}.svg") for ply in range(6)]
    assert {picture.headers["Content-Type"] for picture in pictures} == {"image/svg+xml; charset=utf-8"}
    assert len({picture.text for picture in pictures}) == 6
    game = load_game(GAME)
    position = game.start()
    for move in LINE.split():
        position = position.play(move)
    assert pictures[5].text == game.svg(position)
    assert "no-cache" in pictures[5].headers["Cache-Control"]
    for ply in ("6", "-1", "x", "9" * 30):
        (await web.get(f"/api/v1/matches/{match}/picture/{ply}.svg")).assert_refused(404, "pictures 0 to 5")


async def test_a_board_to_play_on_has_the_moves_as_people_write_them(web: WebServer) -> None:
    match = await web.play("f2f3 e7e5 g2g4 d8h4", game="chess")
    start, before, end = [await web.json(f"/api/v1/matches/{match}/board/{ply}?seat=1") for ply in (0, 3, 4)]
    assert (start["moves"], start["readable"]) == ([], [])
    assert before["readable"] == ["f3", "e5", "g4"]
    assert before["moves"] == ["f2f3", "e7e5", "g2g4"]
    written = dict(zip(before["legal"], before["legal_readable"], strict=True))
    assert (written["d8h4"], written["b8c6"], len(written)) == ("Qh4#", "Nc6", 30)
    assert (
        min(before["places"], key=lambda place: (place["y"], place["x"]))["name"] == "h1"
    )  # as the second seat sees it
    assert (end["legal"], end["legal_readable"]) == ([], [])
    (await web.get(f"/api/v1/matches/{match}/board/5")).assert_refused(404, "pictures 0 to 4")


async def test_moves_that_the_rules_do_not_allow_are_shown_as_stored_with_the_fault(web: WebServer) -> None:
    ada = await web.store.create_bot("ada", created_at=NOON)
    bob = await web.store.create_bot("bob", created_at=NOON)
    match = await web.store.create_match(new_match((ada, bob), start_text="no position at all"))
    await web.store.freeze_match(match, "cannot be restored")
    answer = await web.json(f"/api/v1/matches/{match}")
    assert (answer["status"], answer["position"], answer["frozen_reason"]) == ("frozen", None, "cannot be restored")
    assert "cannot be replayed by the rules" in answer["fault"]
    assert [move["move"] for move in answer["moves"]] == [move.text for move in await web.store.moves(MatchId(match))]
    for path in ("picture/1.svg", "board/1", "transcript"):
        (await web.get(f"/api/v1/matches/{match}/{path}")).assert_refused(409, "cannot be replayed")
    page = await web.get(f"/matches/{match}")
    assert page.status == 200
    assert "cannot be replayed" in page.text
