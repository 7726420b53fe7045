"""Request and response models for the grades of a tournament."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from tabiya.protocol.messages.fields import doc
from tabiya.server.web.schemas.requests import RequestModel
from tabiya.server.web.schemas.responses import ResponseModel
from tabiya.server.web.schemas.tournament_responses import Score


class GradesQuery(RequestModel, frozen=True, kw_only=True):
    """The format of the grades."""

    format: Annotated[
        Literal["json", "csv", "moodle", "canvas", "gradescope"],
        doc("`json`, `csv` with all columns, or the CSV format of one of these systems."),
    ] = "json"
    assignment: Annotated[
        Annotated[str, Meta(max_length=200)],
        doc("Name of the assignment; empty: the tournament's name."),
    ] = ""


class StaffLine(ResponseModel, frozen=True, kw_only=True):
    """A staff bot and its points."""

    bot: Annotated[str, doc("Name of the bot.")]
    points: Annotated[float, doc("Largest number of points against it.")]
    nothing_to: Annotated[float, doc("Percentage of the games' points that still earns nothing.")]
    all_from: Annotated[float, doc("Percentage that earns everything; between the two in proportion.")]
    withdrawn: Annotated[bool, doc("Whether it has been withdrawn; the others win its missing games.")]


class GradeLine(ResponseModel, frozen=True, kw_only=True):
    """The grade of one bot and its games. Forfeits count as games."""

    rank: Annotated[int | None, doc("Rank by grade, from 1; equal grades share it; null without a grade.")]
    bot: Annotated[str, doc("Name of the bot.")]
    house: Annotated[bool, doc("Whether it is the server's own player, which is not in a gradebook.")]
    grade: Annotated[float | None, doc("Points so far; null before a game.")]
    against: Annotated[tuple[Score | None, ...], doc("In the order of `staff`; null without a game.")]
    games: Annotated[int, doc("Games with a result.")]
    wins: Annotated[int, doc("Games won.")]
    draws: Annotated[int, doc("Games drawn.")]
    losses: Annotated[int, doc("Games lost.")]
    on_time: Annotated[int, doc("Games lost on time.")]
    illegal: Annotated[int, doc("Games lost by illegal moves.")]
    failed: Annotated[int, doc("Games lost because its program failed.")]
    note: Annotated[str, doc("Warnings about this grade, as sentences; may be empty.")]


class TournamentGrades(ResponseModel, frozen=True, kw_only=True):
    """The present grades of a tournament."""

    tournament: Annotated[int, doc("Number of the tournament.")]
    name: Annotated[str, doc("Its name.")]
    status: Annotated[str, doc("`created`, `running`, `paused`, `ended` or `cancelled`.")]
    played: Annotated[int, doc("Games with a result, with forfeits.")]
    total: Annotated[int, doc("Games in all.")]
    most_points: Annotated[float, doc("The highest possible grade.")]
    staff: Annotated[tuple[StaffLine, ...], doc("The staff bots.")]
    lines: Annotated[tuple[GradeLine, ...], doc("The graded bots, best first.")]
    notes: Annotated[tuple[str, ...], doc("Notes about all grades, as sentences.")]
