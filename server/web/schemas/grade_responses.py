"""What the API says about the grades of a tournament, as frozen structs; and what it is asked."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from tabiya.protocol.messages.fields import doc
from tabiya.server.web.schemas.requests import RequestModel
from tabiya.server.web.schemas.responses import ResponseModel
from tabiya.server.web.schemas.tournament_responses import Score


class GradesQuery(RequestModel, frozen=True, kw_only=True):
    """How the grades are written."""

    format: Annotated[
        Literal["json", "csv", "moodle", "canvas", "gradescope"],
        doc("`json`, `csv` with all that is known, or a CSV as one of these systems lays grades out."),
    ] = "json"
    assignment: Annotated[
        Annotated[str, Meta(max_length=200)],
        doc("What it is called in that system; empty: as the tournament is."),
    ] = ""


class StaffLine(ResponseModel, frozen=True, kw_only=True):
    """A staff bot, and what can be earned against it."""

    bot: Annotated[str, doc("Name of the bot.")]
    points: Annotated[float, doc("What can be earned against it.")]
    nothing_to: Annotated[float, doc("Percent of the games' points up to which nothing is earned.")]
    all_from: Annotated[float, doc("Percent from which everything is; in between in proportion.")]
    withdrawn: Annotated[bool, doc("Whether it has left: games that it did not play are won by the others.")]


class GradeLine(ResponseModel, frozen=True, kw_only=True):
    """The grade of one bot, and what it rests on. Games that were forfeited count among the games."""

    rank: Annotated[int | None, doc("Its place by the grade, from 1; equal grades share one; null without a grade.")]
    bot: Annotated[str, doc("Name of the bot.")]
    house: Annotated[bool, doc("Whether it is a player of the server's own, which no gradebook has.")]
    grade: Annotated[float | None, doc("What it has earned so far; null before a game.")]
    against: Annotated[tuple[Score | None, ...], doc("By the order of `staff`; null without a game.")]
    games: Annotated[int, doc("Games with a result.")]
    wins: Annotated[int, doc("Games won.")]
    draws: Annotated[int, doc("Games drawn.")]
    losses: Annotated[int, doc("Games lost.")]
    on_time: Annotated[int, doc("Games lost on time.")]
    illegal: Annotated[int, doc("Games lost by illegal moves.")]
    failed: Annotated[int, doc("Games lost because its program failed.")]
    note: Annotated[str, doc("What a grade should not rest on unseen, as sentences; may be empty.")]


class TournamentGrades(ResponseModel, frozen=True, kw_only=True):
    """The grades of a tournament as they stand."""

    tournament: Annotated[int, doc("Number of the tournament.")]
    name: Annotated[str, doc("Its name.")]
    status: Annotated[str, doc("`created`, `running`, `paused`, `ended` or `cancelled`.")]
    played: Annotated[int, doc("Games with a result, forfeits included.")]
    total: Annotated[int, doc("Games in all.")]
    most_points: Annotated[float, doc("The best grade that there is.")]
    staff: Annotated[tuple[StaffLine, ...], doc("Against whom it is graded.")]
    lines: Annotated[tuple[GradeLine, ...], doc("The bots that are graded, the best first.")]
    notes: Annotated[tuple[str, ...], doc("What concerns all grades, as sentences.")]
