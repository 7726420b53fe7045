"""The grades of a tournament: for operators alone, while it runs and afterwards, as JSON and as files."""

from __future__ import annotations

import csv
from typing import Any

import pytest

from tabiya.protocol.messages import MatchEnded, Resign
from tabiya.server.tournaments.settings import StaffTerms
from tabiya.storage.records import MatchId, MoveRecord, ResultRecord, TournamentId, TournamentStep
from tests.present import present
from tests.server.local_bots import first_legal, silent
from tests.server.web.handlers.test_sessions import register
from tests.server.web.stored_tournaments import stored_tournament
from tests.server.web.web_server import GAME, OPERATOR, WebServer

STAFF = ("=easy", "hard")
CLASS = ("ada@uni.edu", "@bob", "+eve")
TERMS = {"=easy": (2.0, 75.0, 75.0), "hard": (3.0, 25.0, 75.0)}
GRADING = tuple(
    StaffTerms(bot=bot, points=points, nothing_to=low, all_from=high) for bot, (points, low, high) in TERMS.items()
)
GRADED: dict[str, Any] = {"challengers": 2, "grading": GRADING, "rounds": 2}


async def graded(web: WebServer, **more: Any) -> tuple[TournamentId, str]:
    """A graded gauntlet that is stored, and the address of its grades."""
    number = await stored_tournament(web.store, "gauntlet", STAFF + CLASS, **(GRADED | more))
    return number, f"/api/v1/tournaments/{number}/grades"


async def scores(web: WebServer, number: TournamentId) -> dict[tuple[str, str], tuple[float, int]]:
    """Points and games of each of the class against each of the staff, from the stored games."""
    found = dict.fromkeys([(who, bot) for who in CLASS for bot in STAFF], (0.0, 0))
    for match in await web.store.tournament_matches(number):
        if match.result is not None:
            names = [seat.bot for seat in match.seats]
            seat = 0 if names[0] in CLASS else 1
            points = 0.5 if match.result.winner is None else float(match.result.winner == seat)
            before = found[names[seat], names[1 - seat]]
            found[names[seat], names[1 - seat]] = (before[0] + points, before[1] + 1)
    return found


def earned(bot: str, points: float, games: int) -> float:
    """What the rule of the documentation gives."""
    most, low, high = TERMS[bot]
    share = 100 * points / games if games else 0
    return most if share >= high else 0 if share <= low else most * (share - low) / (high - low)


@pytest.mark.parametrize("share", [0.4, 1.0])
async def test_a_grade_is_what_the_stored_games_have_earned_so_far(web: WebServer, share: float) -> None:
    number, address = await graded(web, share=share)
    answer, played = await web.json(address), await scores(web, number)
    assert (answer["most_points"], answer["total"]) == (5.0, 24)
    assert [staff["bot"] for staff in answer["staff"]] == list(STAFF)
    assert {line["bot"] for line in answer["lines"]} == set(CLASS)
    assert sum(games for _, games in played.values()) == answer["played"]
    assert 24 * share <= answer["played"] <= 24 * share + 1
    for line in answer["lines"]:
        mine = [played[line["bot"], bot] for bot in STAFF]
        assert [score and (score["points"], score["games"]) for score in line["against"]] == [
            score if score[1] else None for score in mine
        ]
        expected = sum(earned(bot, *score) for bot, score in zip(STAFF, mine, strict=True))
        assert line["grade"] == pytest.approx(expected, abs=0.005)
        assert line["games"] == line["wins"] + line["draws"] + line["losses"] == sum(games for _, games in mine)
    grades = [line["grade"] for line in answer["lines"]]
    assert grades == sorted(grades, reverse=True)
    assert [line["rank"] for line in answer["lines"]] == [1 + grades.index(grade) for grade in grades]


async def test_before_a_game_nobody_has_a_grade(web: WebServer) -> None:
    _, address = await graded(web, share=0.0, status="created")
    lines = (await web.json(address))["lines"]
    assert {(line["rank"], line["grade"], line["games"]) for line in lines} == {(None, None, 0)}
    moodle = list(csv.DictReader((await web.get(f"{address}?format=moodle")).text.splitlines()))
    assert {(row["Cup"], row["Feedback"]) for row in moodle} == {("", "No game has been played.")}


async def test_only_operators_see_grades(shared: WebServer) -> None:
    _, address = await graded(shared)
    token = await register(shared)
    answers = [await shared.get(f"{address}{query}", token=token) for query in ("", "?format=csv")]
    assert [answer.status for answer in answers] == [401, 401]
    assert (await shared.get(address)).status == 401
    reported = await shared.json(address.removesuffix("/grades"))
    assert reported["graded"] is True
    assert "grading" not in reported["settings"]
    assert (await shared.get(address, token=OPERATOR)).status == 200


async def test_the_files_have_no_formula_and_the_names_as_they_are(web: WebServer) -> None:
    number, address = await graded(web, status="ended")
    reported = {line["bot"]: line for line in (await web.json(address))["lines"]}
    answer = await web.get(f"{address}?format=csv")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert f'filename="tournament-{number}-grades.csv"' in answer.headers["Content-Disposition"]
    rows = list(csv.DictReader(answer.text.splitlines()))
    assert [row["bot"] for row in rows] == [{"ada@uni.edu": name}.get(name, f"'{name}") for name in reported]
    assert [float(row["grade"]) for row in rows] == [line["grade"] for line in reported.values()]
    for row, line in zip(rows, reported.values(), strict=True):
        assert float(row["points against =easy"]) == line["against"][0]["points"]
        assert int(row["games against hard"]) == line["against"][1]["games"]
    moodle = list(csv.DictReader((await web.get(f"{address}?format=moodle&assignment=Reversi")).text.splitlines()))
    assert [(row["Username"], float(row["Reversi"])) for row in moodle] == [
        (row["bot"], float(row["grade"])) for row in rows
    ]
    assert moodle[0]["Feedback"].startswith("'=easy ")
    assert "hard " in moodle[0]["Feedback"]
    canvas = list(csv.DictReader((await web.get(f"{address}?format=canvas")).text.splitlines()))
    assert canvas[0] == {"Student": "Points Possible", "ID": "", "SIS Login ID": "", "Section": "", "Cup": "5.0"}
    gradescope = list(csv.DictReader((await web.get(f"{address}?format=gradescope")).text.splitlines()))
    assert {row["Email"] for row in gradescope} == {"ada@uni.edu", "'@bob", ""}
    assert (
        f'filename="tournament-{number}-gradescope.csv"'
        in (await web.get(f"{address}?format=gradescope")).headers["Content-Disposition"]
    )


async def test_a_player_of_the_server_has_a_line_but_stands_in_no_gradebook(web: WebServer) -> None:
    web.server.house_bots = {"+EVE": {}}
    _, address = await graded(web)
    assert {line["bot"] for line in (await web.json(address))["lines"] if line["house"]} == {"+eve"}
    assert "eve" in (await web.get(f"{address}?format=csv")).text
    assert "eve" not in (await web.get(f"{address}?format=moodle")).text


async def test_what_cannot_be_answered_says_why(web: WebServer) -> None:
    _, address = await graded(web)
    other = await stored_tournament(web.store, "gauntlet", ("ada", "bob"), name="Other")
    (await web.get(f"/api/v1/tournaments/{other}/grades")).assert_refused(404, f"tournament {other} is not graded")
    (await web.get("/api/v1/tournaments/99/grades")).assert_refused(404, "there is no tournament 99")
    (await web.get(f"{address}?format=excel")).assert_refused(400, "format")
    (await web.get(f"{address}?format=canvas&assignment=Section")).assert_refused(400, "another column")


async def test_games_that_are_over_are_read_once_however_often_is_asked(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, address = await graded(web, share=0.5)
    read: list[MatchId] = []
    moves = type(web.store).moves

    async def counted(store: Any, match_id: MatchId, first: int = 0) -> tuple[MoveRecord, ...]:
        read.append(match_id)
        return await moves(store, match_id, first)

    monkeypatch.setattr(type(web.store), "moves", counted)
    answer = await web.json(address)
    over = [match.id for match in await web.store.tournament_matches(number) if match.result is not None]
    assert read == over
    assert (await web.json(address), read) == (answer, over)


@pytest.mark.parametrize(
    ("ending", "counted", "note"),
    [
        ("time", (1, 0, 0), "1 game lost on time; 2 illegal moves"),
        ("illegal_moves", (0, 1, 0), "1 game lost by illegal moves; 3 illegal moves"),
        ("abandoned", (0, 0, 0), "it left 1 game and did not come back; 2 illegal moves"),
    ],
)
async def test_how_a_bot_lost_stands_in_its_line(
    web: WebServer, ending: str, counted: tuple[int, int, int], note: str
) -> None:
    number, address = await graded(web, share=0.5)
    match = next(match for match in await web.store.tournament_matches(number) if match.result is None)
    seat = 0 if match.seats[0].bot in CLASS else 1
    illegal = (2, 0) if seat == 0 else (0, 2)
    clock = (1_000_000, 1_000_000)
    await web.store.append_move(
        MoveRecord(match_id=match.id, ply=0, text="a1", seat=0, remaining_us=clock, illegal_counts=illegal, at=2e9)
    )
    await web.store.finish_match(
        ResultRecord(match_id=match.id, winner=1 - seat, ending=ending, remaining_us=clock, ended_at=2e9)
    )
    [line] = [line for line in (await web.json(address))["lines"] if line["bot"] == match.seats[seat].bot]
    assert (line["on_time"], line["illegal"], line["failed"]) == counted
    assert line["note"] == note


async def test_a_game_that_ended_after_its_tournament_was_cancelled_has_no_part_in_it(web: WebServer) -> None:
    number, address = await graded(web, share=0.5)
    match = next(match for match in await web.store.tournament_matches(number) if match.result is None)
    record = present(await web.store.tournament(number))
    await web.store.save_tournament_step(
        TournamentStep(tournament_id=number, step=2, status="cancelled", state=record.state, ended_at=2e9)
    )
    await web.store.finish_match(
        ResultRecord(match_id=match.id, winner=0, ending="time", remaining_us=(0, 0), ended_at=2e9 + 1)
    )
    assert {line["on_time"] for line in (await web.json(address))["lines"]} == {0}


async def played(web: WebServer, **more: Any) -> str:
    """A graded gauntlet of bots that are there, begun; the address of its grades."""
    grading = [{"bot": "staff", "points": 4}]
    order = {"name": "Cup", "game": GAME, "format": "gauntlet", "bots": ["staff", "ada", "bob"], "grading": grading}
    made = await web.post("/api/v1/tournaments", order | more)
    assert made.status == 201, made.text
    assert made.json["graded"] is True
    return f"/api/v1/tournaments/{made.json['id']}/grades"


async def test_a_program_that_failed_is_counted_with_its_error(web: WebServer) -> None:
    await web.bot("staff", silent, max_matches=4)
    await web.bot("ada", silent)
    await web.bot("bob", silent)
    address = await played(web)
    match = (await web.json("/api/v1/matches?bot=ada"))["matches"][0]["id"]
    web.bots["ada"].say(Resign(match=match, failure="bot.py, line 6: KeyError: 'e2'"))
    await web.bots["ada"].receives(MatchEnded)
    [ada] = [line for line in (await web.json(address))["lines"] if line["bot"] == "ada"]
    assert (ada["failed"], ada["note"]) == (1, "its program failed in 1 game (bot.py, line 6: KeyError: 'e2')")


async def test_a_staff_bot_that_left_is_said_to_have_left(web: WebServer) -> None:
    for name in ("staff", "ada", "bob"):
        await web.bot(name, first_legal, max_matches=4)
    address = await played(web, start=False)
    tournament = address.removesuffix("/grades")
    await web.post(f"{tournament}/withdraw", {"bot": "staff"})
    await web.post(f"{tournament}/start", {})
    await web.tournament_ends("ada")
    answer = await web.json(address)
    assert answer["notes"] == ["staff was withdrawn: games that it did not play count as won by its opponents"]
    assert [line["grade"] for line in answer["lines"]] == [4.0, 4.0]
