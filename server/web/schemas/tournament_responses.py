"""Response models for tournaments; units as in `responses.py`."""

from __future__ import annotations

from typing import Annotated, Any

from tabiya.protocol.messages.fields import doc
from tabiya.server.web.schemas.responses import ListPage, ResponseModel


class Leader(ResponseModel, frozen=True, kw_only=True):
    """A leader of a tournament."""

    bot: Annotated[str, doc("Name of the bot.")]
    points: Annotated[float, doc("Its points.")]


class TournamentLine(ResponseModel, frozen=True, kw_only=True):
    """One tournament in a list."""

    id: Annotated[int, doc("Number of the tournament.")]
    name: Annotated[str, doc("Its name.")]
    game: Annotated[str, doc("Name of the game.")]
    title: Annotated[str, doc("Display name.")]
    format: Annotated[str, doc("Its format, from docs/reference/tournaments.md.")]
    format_title: Annotated[str, doc("Display name of the format.")]
    status: Annotated[str, doc("`created`, `running`, `paused`, `ended` or `cancelled`.")]
    time_control: Annotated[str, doc("Time control of its games.")]
    round_title: Annotated[
        str,
        doc("The round that is played, such as `round 3 of 8` or `semi-finals`; empty without rounds."),
    ] = ""
    rounds: Annotated[int, doc("Rounds of a Swiss or a knockout; in other formats how often two bots meet.")]
    entrants: Annotated[int, doc("Number of bots.")]
    played: Annotated[int, doc("Games with a result, with forfeits.")]
    running: Annotated[int, doc("Running games.")]
    total: Annotated[int, doc("All games; 0 if unknown.")]
    leaders: Annotated[tuple[Leader, ...], doc("All bots with the first rank; empty before a result.")]
    graded: Annotated[bool, doc("Whether it has grades (visible to operators).")]
    starts_at: Annotated[float | None, doc("Time of its automatic start.")]
    created_at: Annotated[float, doc("When it was created.")]
    started_at: Annotated[float | None, doc("When it was started.")]
    ended_at: Annotated[float | None, doc("When it ended.")]
    fault: Annotated[str | None, doc("Why the stored tournament cannot be read, if so.")] = None


class Tournaments(ListPage, frozen=True, kw_only=True):
    """Tournaments, newest first."""

    tournaments: Annotated[tuple[TournamentLine, ...], doc("At most `limit`.")]


class Score(ResponseModel, frozen=True, kw_only=True):
    """The points of one entrant against another."""

    points: Annotated[float, doc("Points.")]
    games: Annotated[int, doc("Games with a result.")]


class TieBreak(ResponseModel, frozen=True, kw_only=True):
    """One tie-break of a format."""

    name: Annotated[str, doc("The key in the lines' `tie_breaks`.")]
    meaning: Annotated[str, doc("Its meaning in words.")]


class TieBreakTerm(ResponseModel, frozen=True, kw_only=True):
    """One term of a tie-break: a multiple of an opponent's points."""

    opponent: Annotated[int | None, doc("The opponent's `number`; null for a round without a game.")]
    times: Annotated[float, doc("The factor.")]
    points: Annotated[float, doc("The points; for a direct encounter the points against this opponent.")]


class CrosstableLine(ResponseModel, frozen=True, kw_only=True):
    """One entrant of a tournament. Forfeits count like results."""

    rank: Annotated[int, doc("Rank from 1; equal bots share it.")]
    number: Annotated[int, doc("Its place in the list of entries, from 0; never changes.")]
    bot: Annotated[str, doc("Name of the bot.")]
    version: Annotated[str, doc("Its version when it was entered.")]
    withdrawn: Annotated[bool, doc("Whether it has been withdrawn.")]
    points: Annotated[float, doc("Points, as the format counts them.")]
    played: Annotated[int, doc("Games with a result.")]
    wins: Annotated[int, doc("Games won.")]
    draws: Annotated[int, doc("Games drawn.")]
    losses: Annotated[int, doc("Games lost.")]
    tie_breaks: Annotated[dict[str, float], doc("Name -> value; without those that do not apply to this line.")]
    sums: Annotated[dict[str, tuple[TieBreakTerm, ...]], doc("Name -> the terms, for tie-breaks that are sums.")]
    note: Annotated[str, doc("A note, such as the round it reached; may be empty.")]
    against: Annotated[tuple[Score | None, ...], doc("By the opponent's `number`; null without a game.")]


class TournamentGame(ResponseModel, frozen=True, kw_only=True):
    """One game of the schedule."""

    number: Annotated[int, doc("Its place in the schedule, from 0.")]
    meeting: Annotated[int, doc("Number of the meeting; its games begin from one opening.")]
    leg: Annotated[int, doc("Which game of it, from 0.")]
    round: Annotated[int, doc("Its round, from 0.")]
    slot: Annotated[int, doc("Its place in the round, from 0; in a knockout the place in the bracket.")]
    players: Annotated[tuple[int, int], doc("Numbers of the entrants by seat.")]
    bots: Annotated[tuple[str, str], doc("Their names.")]
    state: Annotated[str, doc("`pending`, `running`, `played` or `forfeit`.")]
    result: Annotated[str | None, doc("`1-0`, `0-1`, `1/2-1/2`; a forfeit is `+--`, `--+` or `---`.")]
    ending: Annotated[str | None, doc("How the match ended.")]
    failed: Annotated[bool, doc("Whether it ended because a program failed; `ending` is then `resignation`.")]
    match: Annotated[int | None, doc("The match that counts, or runs.")]
    matches: Annotated[tuple[int, ...], doc("All its matches, with aborted ones.")]


class ByeLine(ResponseModel, frozen=True, kw_only=True):
    """A bot without an opponent in a round."""

    round: Annotated[int, doc("The round, from 0.")]
    number: Annotated[int, doc("The entrant.")]
    bot: Annotated[str, doc("Its name.")]
    points: Annotated[float, doc("Points of the bye.")]
    requested: Annotated[bool, doc("Whether the bot asked for it.")]


class PairingLine(ResponseModel, frozen=True, kw_only=True):
    """Two bots in a round, and the points of their games in it."""

    round: Annotated[int, doc("From 0.")]
    slot: Annotated[int, doc("Its place in the round, from 0; in a knockout the place in the bracket.")]
    players: Annotated[tuple[int | None, int | None], doc("Numbers of the entrants; null if not known yet.")]
    bots: Annotated[tuple[str, str], doc("Their names; empty if not known yet.")]
    points: Annotated[tuple[float, float], doc("Points in these games.")]
    games: Annotated[tuple[int, ...], doc("Numbers of their games.")]
    winner: Annotated[int | None, doc("The winner.")]
    note: Annotated[str, doc("A note; may be empty.")]
    before: Annotated[tuple[float, float] | None, doc("In a Swiss: points of the two before this round; else null.")]


class FirstMover(ResponseModel, frozen=True, kw_only=True):
    """Results of the first seat, without forfeits."""

    wins: Annotated[int, doc("Games won by seat 0.")]
    draws: Annotated[int, doc("Games drawn.")]
    losses: Annotated[int, doc("Games won by seat 1.")]
    score: Annotated[float | None, doc("Points per game of seat 0; null before a game.")]
    elo: Annotated[
        float | None, doc("The same in Elo, with half a game won and half a game lost added; null before a game.")
    ]
    plus_minus: Annotated[float | None, doc("Half the width of the 95 % interval of `elo`, from the single games.")]


class TimeLeftRange(ResponseModel, frozen=True, kw_only=True):
    """Estimated time left; docs/reference/tournaments.md gives its accuracy."""

    from_s: Annotated[float, doc("Lower end, in seconds.")]
    to_s: Annotated[float, doc("Upper end, in seconds.")]


class TournamentDetail(TournamentLine, frozen=True, kw_only=True):
    """The present state of a tournament."""

    settings: Annotated[dict[str, Any], doc("The organiser's settings, without `grading`.")]
    seed: Annotated[int, doc("Seed of its openings.")]
    decision: Annotated[str, doc("Its decision as a sentence, in formats with a decision.")]
    left_s: Annotated[float | None, doc("Estimated time left, the middle of the range; null if unknown.")]
    time_left: Annotated[TimeLeftRange | None, doc("Range of the time left; null if unknown or finished.")]
    tie_breaks: Annotated[tuple[TieBreak, ...], doc("The tie-breaks of the format, in order.")]
    lines: Annotated[tuple[CrosstableLine, ...], doc("The table, best first.")]
    games: Annotated[tuple[TournamentGame, ...], doc("The games known so far.")]
    round_titles: Annotated[tuple[str, ...], doc("Names of its rounds; empty in a format without rounds.")]
    pairings: Annotated[tuple[PairingLine, ...], doc("Round by round, in formats that have rounds.")]
    byes: Annotated[tuple[ByeLine, ...], doc("Byes, also requested ones.")]
    endings: Annotated[dict[str, int], doc("How its games ended, with aborted ones; `forfeit`: not played.")]
    failures: Annotated[int, doc("Resignations in `endings` that were failures of a program.")]
    first_mover: Annotated[FirstMover, doc("Results of the first seat.")]
    duplicates: Annotated[int, doc("Games that repeat an earlier game of the same bots.")]
    warnings: Annotated[
        tuple[str, ...],
        doc("After `create`, `start` and `enter`: sentences about bots that could not play now; else empty."),
    ] = ()
