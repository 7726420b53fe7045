"""Tournaments by the API: created, started, paused, cancelled, watched to their end."""

from __future__ import annotations

from typing import Any

import pytest

from tabiya.protocol.messages import MoveInfo, Resign, Turn
from tabiya.server.core.adjudication import Adjudication
from tests.server.local_bots import first_legal, silent
from tests.server.web.web_server import WebServer

PLAN = {"name": "cup", "game": "nim", "bots": ["ada", "bob", "eve"], "seed": 4, "concurrency": 3}


async def enter(web: WebServer, *names: str, choose: Any = first_legal) -> None:
    for name in names:
        await web.bot(name, choose, max_matches=3)


async def test_a_tournament_is_played_to_its_end_and_told_with_crosstable_and_games(web: WebServer) -> None:
    await enter(web, "ada", "bob", "eve")
    made = await web.post("/api/v1/tournaments", PLAN)
    assert made.status == 201
    assert (made.json["status"], made.json["total"], made.json["entrants"]) == ("running", 6, 3)
    await web.tournament_ends()
    answer = await web.json(f"/api/v1/tournaments/{made.json['id']}")
    assert (answer["status"], answer["played"], answer["running"], answer["seed"]) == ("ended", 6, 0, 4)
    assert sum(line["points"] for line in answer["lines"]) == 6
    assert [line["rank"] for line in answer["lines"]] == sorted(line["rank"] for line in answer["lines"])
    for line in answer["lines"]:
        assert line["against"][line["number"]] is None
        assert sum(score["points"] for score in line["against"] if score) == line["points"]
        assert (line["played"], line["wins"] + line["draws"] + line["losses"]) == (4, 4)
    assert [leader["points"] for leader in answer["leaders"]] == [
        line["points"] for line in answer["lines"] if line["rank"] == 1
    ]
    assert answer["endings"] == {"last_object": 6}
    for game in answer["games"]:
        assert game["state"] == "played"
        match = await web.json(f"/api/v1/matches/{game['match']}")
        assert match["result"]["result"] == game["result"]
        assert [seat["bot"] for seat in match["seats"]] == game["bots"]
        place = [match["place"][field] for field in ("name", "meeting", "leg")]
        assert place == ["cup", game["meeting"], game["leg"]]
    listed = (await web.json("/api/v1/tournaments"))["tournaments"]
    assert listed == [{key: answer[key] for key in listed[0]}]


async def test_a_tournament_waits_to_be_started_pauses_goes_on_and_is_cancelled(web: WebServer) -> None:
    await enter(web, "ada", "bob", "eve", choose=silent)
    made = (await web.post("/api/v1/tournaments", PLAN | {"start": False, "concurrency": 1})).json
    assert (made["status"], made["running"], made["leaders"]) == ("created", 0, [])
    path = f"/api/v1/tournaments/{made['id']}"
    started = await web.post(f"{path}/start", {})
    assert (started.status, started.json["status"]) == (200, "running")
    reported = await web.json(path)
    assert [game["state"] for game in reported["games"]].count("running") == reported["running"] == 1
    assert reported["left_s"] is reported["time_left"] is None  # no game has ended from which it could be estimated
    for word, status in (("pause", "paused"), ("start", "running"), ("cancel", "cancelled")):
        answer = await web.post(f"{path}/{word}", {})
        assert (answer.status, answer.json["status"]) == (200, status)
    assert (await web.json(path))["left_s"] == 0
    for word in ("start", "pause", "cancel"):
        (await web.post(f"{path}/{word}", {})).assert_refused(409, "cancelled")


async def test_a_game_of_a_tournament_that_is_aborted_is_played_again_and_told_with_both_matches(
    web: WebServer,
) -> None:
    await enter(web, "ada", "bob", choose=silent)
    made = (await web.post("/api/v1/tournaments", PLAN | {"bots": ["ada", "bob"], "concurrency": 1})).json
    ada, bob = web.bots["ada"], web.bots["bob"]
    first = (await web.json(f"/api/v1/tournaments/{made['id']}"))["games"][0]["match"]
    ada.choose = bob.choose = first_legal
    answer = await web.post(f"/api/v1/matches/{first}/replay", {"reason": "the projector failed"})
    assert (answer.status, answer.json) == (200, {"match": None, "aborted": True})
    await web.tournament_ends()
    game = (await web.json(f"/api/v1/tournaments/{made['id']}"))["games"][0]
    assert game["matches"][0] == first
    assert game["match"] == game["matches"][1] != first
    assert (await web.json(f"/api/v1/tournaments/{made['id']}"))["endings"] == {"last_object": 2, "aborted": 1}
    again = await web.post(f"/api/v1/matches/{game['match']}/replay", {})
    assert again.status == 409
    assert "counts in tournament" in again.error
    assert ada.received(Turn)


async def test_games_lost_by_a_failed_program_are_told_apart_from_resignations(web: WebServer) -> None:
    def fails(turn: Turn) -> None:
        web.bots["bob"].say(Resign(match=turn.match, failure="bot.py, line 6: KeyError: 'e2'"))

    def resigns(turn: Turn) -> None:
        web.bots["eve"].say(Resign(match=turn.match))

    await enter(web, "ada")
    await enter(web, "bob", choose=fails)
    await enter(web, "eve", choose=resigns)
    made = (await web.post("/api/v1/tournaments", PLAN)).json
    await web.tournament_ends()
    answer = await web.json(f"/api/v1/tournaments/{made['id']}")
    by_failure = [game for game in answer["games"] if game["failed"]]
    losers = {game["bots"][game["result"] == "1-0"] for game in by_failure}
    assert (answer["endings"], answer["failures"], losers) == ({"resignation": 6}, len(by_failure), {"bob"})
    page = (await web.get(f"/tournaments/{made['id']}")).text
    assert f"Of those resigned, {len(by_failure)} because the program failed." in page
    assert page.count("<td>program failed</td>") == len(by_failure)
    assert page.count("<td>resigned</td>") == 6 - len(by_failure)


async def test_games_that_repeat_an_earlier_one_are_counted_and_the_first_seat_is_measured(web: WebServer) -> None:
    await enter(web, "ada", "bob")
    plan = PLAN | {"bots": ["ada", "bob"], "rounds": 4, "options": {"heaps": "1"}}
    made = (await web.post("/api/v1/tournaments", plan)).json
    await web.tournament_ends()
    answer = await web.json(f"/api/v1/tournaments/{made['id']}")
    games = {(tuple(game["bots"]), await moves(web, game["match"])) for game in answer["games"]}
    assert answer["duplicates"] == 8 - len(games) > 0
    assert (await web.json(f"/api/v1/tournaments/{made['id']}"))["duplicates"] == answer["duplicates"]
    first = answer["first_mover"]
    assert first["wins"] + first["draws"] + first["losses"] == 8
    assert first["score"] == sum(game["result"] == "1-0" for game in answer["games"]) / 8
    assert answer["left_s"] == 0


async def moves(web: WebServer, match: int) -> tuple[str, ...]:
    return tuple(move["move"] for move in (await web.json(f"/api/v1/matches/{match}"))["moves"])


async def test_a_swiss_is_told_round_by_round_with_its_byes_and_tie_breaks(web: WebServer) -> None:
    await enter(web, "ada", "bob", "eve")
    made = (await web.post("/api/v1/tournaments", PLAN | {"format": "swiss", "rounds": 2})).json
    await web.tournament_ends()
    answer = await web.json(f"/api/v1/tournaments/{made['id']}")
    assert (answer["format"], answer["format_title"], answer["rounds"], answer["total"]) == ("swiss", "Swiss", 2, 4)
    assert answer["round_titles"] == ["Round 1", "Round 2"]
    assert [(pairing["round"], len(pairing["games"])) for pairing in answer["pairings"]] == [(0, 2), (1, 2)]
    assert [(bye["round"], bye["points"], bye["requested"]) for bye in answer["byes"]] == [(0, 1, False), (1, 1, False)]
    assert [one["name"] for one in answer["tie_breaks"]][:2] == ["buchholz_cut_1", "buchholz"]
    assert all("buchholz" in line["tie_breaks"] for line in answer["lines"])
    assert sum(line["points"] for line in answer["lines"]) == 4


async def test_seeds_by_rating_are_those_of_the_standings_and_who_has_none_comes_last(web: WebServer) -> None:
    await enter(web, "new", "ada", "bob", "eve")
    await web.post("/api/v1/tournaments", PLAN | {"rounds": 3})
    await web.tournament_ends()
    rated = [row["bot"] for row in (await web.json("/api/v1/standings/nim"))["rows"]]
    plan = PLAN | {"format": "knockout", "seeding": "rating", "bots": ["new", "ada", "bob", "eve"], "name": "cup 2"}
    made = (await web.post("/api/v1/tournaments", plan)).json
    first = {frozenset(pairing["bots"]) for pairing in made["pairings"] if pairing["round"] == 0}
    assert first == {frozenset((rated[0], "new")), frozenset(rated[1:])}


async def test_a_tournament_that_starts_by_itself_shows_when(web: WebServer) -> None:
    await enter(web, "ada", "bob", "eve")
    made = (await web.post("/api/v1/tournaments", PLAN | {"everyone": True, "bots": [], "starts_at": 4e9})).json
    assert (made["status"], made["starts_at"]) == ("created", 4e9)
    assert ", starts <time" in (await web.get(f"/tournaments/{made['id']}")).text
    assert ", starts <time" in (await web.get("/tournaments")).text


async def test_bots_enter_rest_and_are_taken_out_by_order(web: WebServer) -> None:
    await enter(web, "ada", "bob", "eve", choose=silent)
    plan = PLAN | {"bots": ["ada", "bob"], "format": "swiss", "rounds": 2, "start": False}
    made = (await web.post("/api/v1/tournaments", plan)).json
    path = f"/api/v1/tournaments/{made['id']}"
    assert (await web.post(f"{path}/enter", {"bots": ["eve"]})).json["entrants"] == 3
    again = await web.post(f"{path}/enter", {"bots": ["eve"]})
    assert (again.status, "entered cup already" in again.error) == (409, True)
    assert (await web.post(f"{path}/bye", {"bot": "eve"})).status == 200
    started = (await web.post(f"{path}/start", {})).json
    assert [(bye["bot"], bye["points"], bye["requested"]) for bye in started["byes"]] == [("eve", 0.5, True)]
    gone = (await web.post(f"{path}/withdraw", {"bot": "ada"})).json
    assert [line["bot"] for line in gone["lines"] if line["withdrawn"]] == ["ada"]
    assert [game["state"] for game in gone["games"]] == ["running", "forfeit"]
    assert (gone["endings"], gone["round_title"]) == ({"forfeit": 1}, "round 1 of 2")
    assert "Swiss of 3 bots, round 1 of 2," in (await web.get(f"/tournaments/{made['id']}")).text.replace("\n  ", " ")
    unknown = await web.post(f"{path}/withdraw", {"bot": "nobody"})
    assert (unknown.status, "no bot called 'nobody'" in unknown.error) == (409, True)
    await web.post(f"{path}/cancel", {})
    over = await web.post(f"{path}/enter", {"bots": ["eve"]})
    assert (over.status, "was cancelled; nothing" in over.error) == (409, True)


async def test_a_tournament_created_with_a_mistake_is_changed(web: WebServer) -> None:
    await enter(web, "ada", "bob", "eve", choose=silent)
    plan = PLAN | {"bots": ["ada", "bob"], "start": False, "starts_at": 4e9}
    path = f"/api/v1/tournaments/{(await web.post('/api/v1/tournaments', plan)).json['id']}"
    order = {"name": " final ", "time_control": "9+1", "rounds": 3, "starts_at": None, "concurrency": 5}
    changed = (await web.post(f"{path}/change", order)).json
    assert [changed[field] for field in ("name", "time_control", "rounds", "total", "starts_at")] == [
        "final",
        "9+1",
        3,
        6,
        None,
    ]
    assert (changed["settings"]["concurrency"], changed["settings"]["strikes"]) == (5, 3)
    (await web.post(f"{path}/change", {})).assert_refused(409, "name what to change: name, ")
    (await web.post(f"{path}/change", {"name": " "})).assert_refused(409, "1 to 64 printable characters")
    (await web.post(f"{path}/change", {"time_control": "fast"})).assert_refused(409, "fast")
    (await web.post(f"{path}/change", {"game": "nim"})).assert_refused(400, "game")
    await web.post(f"{path}/start", {})
    (await web.post(f"{path}/change", {"rounds": 2})).assert_refused(
        409, "keeps its number of rounds once it has begun"
    )
    (await web.post(f"{path}/change", {"starts_at": 4e9})).assert_refused(409, "final has begun")
    assert (await web.json(path))["name"] == "final"


async def test_creating_entering_and_starting_warn_of_bots_that_could_not_play_now(web: WebServer) -> None:
    await enter(web, "ada", "bob", "eve", choose=silent)
    await web.bot("fay", silent, games=("chess",))
    plan = PLAN | {"bots": ["ada", "fay"], "format": "swiss", "rounds": 2, "start": False}
    of_fay = ["fay cannot play now: connected, but not for nim.", "A bot that is away for 60 s is withdrawn."]
    made = (await web.post("/api/v1/tournaments", plan)).json
    path = f"/api/v1/tournaments/{made['id']}"
    assert made["warnings"] == of_fay
    assert (await web.post(f"{path}/enter", {"bots": ["bob"]})).json["warnings"] == []
    assert (await web.post(f"{path}/start", {})).json["warnings"] == of_fay
    assert (await web.post(f"{path}/pause", {})).json["warnings"] == []
    assert (await web.json(path))["warnings"] == []


@pytest.mark.parametrize(
    ("form", "fields", "words"),
    [
        ("swiss", {"rounds": 2}, ["Rounds", "Round 1", "bye", "BH-1"]),
        ("knockout", {}, ["Bracket", "Semi-finals", "Final", "champion", "bye"]),
        ("ladder", {"games": 4}, ["Rating", "ladder of 3 bots"]),
        ("gauntlet", {}, ["challenger"]),
        ("sprt", {"bots": ["ada", "bob"], "games": 4}, ["LLR", "No decision in this many games"]),
    ],
)
async def test_the_page_of_every_format_shows_what_is_its_own(
    web: WebServer, form: str, fields: dict[str, Any], words: list[str]
) -> None:
    await enter(web, "ada", "bob", "eve")
    made = (await web.post("/api/v1/tournaments", PLAN | {"format": form} | fields)).json
    await web.tournament_ends()
    page = (await web.get(f"/tournaments/{made['id']}")).text
    assert [word for word in words if word not in page] == []
    assert "The first seat has" in page


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"game": "halma"}, "no game 'halma'"),
        ({"bots": ["ada", "nobody"]}, "no bot called 'nobody'"),
        ({"bots": "ada"}, "bots"),
        ({"rounds": 0}, "rounds"),
        ({"rounds": 1_001}, "rounds"),
        ({"name": ""}, "name"),
        ({"name": "x" * 65}, "name"),
        ({"time_control": "soon"}, "soon"),
        ({"options": {"heaps": "1000000"}}, "heap"),
        ({"options": {"colour": 1}}, "colour"),
        ({"seed": -1}, "seed"),
        ({"illegal_limit": 10**12}, "illegal_limit"),
        ({"no_show_s": 1e300}, "no_show_s"),
        ({"bot": "ada"}, "bot"),
        ({"strikes": -1}, "strikes"),
    ],
)
async def test_a_plan_that_cannot_be_played_is_refused_with_a_sentence(
    web: WebServer, change: dict[str, Any], words: str
) -> None:
    await enter(web, "ada", "bob", "eve")
    (await web.post("/api/v1/tournaments", PLAN | change)).assert_refused(400, words)
    assert (await web.json("/api/v1/tournaments"))["tournaments"] == []


@pytest.mark.parametrize("number", ["7", "0", "cup"])
async def test_there_is_no_tournament_of_a_number_nobody_has_given(web: WebServer, number: str) -> None:
    (await web.get(f"/api/v1/tournaments/{number}")).assert_refused(404, "no tournament")
    for word in ("start", "pause", "cancel"):
        (await web.post(f"/api/v1/tournaments/{number}/{word}", {})).assert_refused(404, "no tournament")


RULE = {"draw": {"movecount": 2, "score": 5, "movenumber": 1}, "resign": {"movecount": 2, "score": 500}, "maxmoves": 9}


async def test_games_are_adjudicated_as_the_organiser_wants_and_played_again_alike(web: WebServer) -> None:
    await enter(web, "ada", "bob")
    for bot in web.bots.values():
        bot.says = lambda turn: MoveInfo(score=0)
    order = PLAN | {"game": "tictactoe", "bots": ["ada", "bob"], "adjudication": RULE}
    made = (await web.post("/api/v1/tournaments", order)).json
    await web.tournament_ends()
    answer = await web.json(f"/api/v1/tournaments/{made['id']}")
    whole = {"draw": RULE["draw"], "resign": {"movecount": 2, "score": 500, "twosided": False}, "maxmoves": 9}
    assert answer["settings"]["adjudication"] == whole
    assert answer["endings"] == {"drawn_by_scores": 2}
    match = await web.json(f"/api/v1/matches/{answer['games'][0]['match']}")
    assert match["adjudication"] == whole
    assert match["result"]["reason"] == "both players judged the game level within 0.05 2 times in a row"
    for path, text in (
        (f"/tournaments/{made['id']}", "drawn when both judge it level within 0.05 for 2 moves each, from move 1 on"),
        (f"/tournaments/{made['id']}", "drawn by scores"),
        (f"/matches/{match['id']}", "lost when a player judges its position -5.00 or worse for 2 moves"),
        (f"/matches/{match['id']}", "by the scores of both the game was level"),
    ):
        assert text in (await web.get(path)).text


async def test_an_adjudicated_match_is_played_again_under_its_rule(web: WebServer) -> None:
    await enter(web, "ada", "bob", choose=silent)
    match = await web.begin("", adjudication=Adjudication(maxmoves=2))
    again = (await web.post(f"/api/v1/matches/{match}/replay", {})).json["match"]
    assert (await web.record(again)).adjudication == {"draw": None, "resign": None, "maxmoves": 2}


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({"draw": {"score": 5}}, "adjudication.draw.movecount is missing; it must be a whole number from 1 to 1,000"),
        (
            {"draw": {"score": 5, "movecount": 0}},
            "adjudication.draw.movecount is 0; it must be a whole number from 1 to 1,000",
        ),
        (
            {"resign": {"score": 0, "movecount": 1}},
            "adjudication.resign.score is 0; it must be a whole number from 1 to 30,000",
        ),
        (
            {"resign": {"score": 9, "movecount": 1, "twoside": True}},
            'adjudication.resign has only movecount, score and twosided, not "twoside"',
        ),
        (
            {"maxmoves": 10**400},
            "adjudication.maxmoves is a number beyond 2^53; it must be a whole number from 0 to 10,000",
        ),
        ({"maxmoves": 10_001}, "adjudication.maxmoves is 10001; it must be a whole number from 0 to 10,000"),
        ({"maxmoves": 9}, "Nim knows no draw, so its matches cannot have a largest number of moves"),
    ],
)
async def test_a_rule_that_cannot_be_is_one_sentence(web: WebServer, rule: Any, sentence: str) -> None:
    await enter(web, "ada", "bob")
    answer = await web.post("/api/v1/tournaments", PLAN | {"bots": ["ada", "bob"], "adjudication": rule})
    assert answer.status == 400
    assert answer.error.endswith(sentence)
    assert (await web.json("/api/v1/tournaments"))["tournaments"] == []
