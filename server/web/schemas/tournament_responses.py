"""What the API says about tournaments, as frozen structs; units as in `responses.py`."""

from __future__ import annotations

from typing import Annotated, Any

from tabiya.protocol.messages.fields import doc
from tabiya.server.web.schemas.responses import ListPage, ResponseModel


class Leader(ResponseModel, frozen=True, kw_only=True):
    """A bot with the first rank of a tournament."""

    bot: Annotated[str, doc("Name of the bot.")]
    points: Annotated[float, doc("Its points.")]


class TournamentLine(ResponseModel, frozen=True, kw_only=True):
    """One tournament in a list."""

    id: Annotated[int, doc("Number of the tournament.")]
    name: Annotated[str, doc("Its name.")]
    game: Annotated[str, doc("Name of the game.")]
    title: Annotated[str, doc("Its name for people.")]
    format: Annotated[str, doc("How it is played: a name of docs/reference/tournaments.md.")]
    format_title: Annotated[str, doc("The format for people.")]
    status: Annotated[str, doc("`created`, `running`, `paused`, `ended` or `cancelled`.")]
    time_control: Annotated[str, doc("Time control of its games.")]
    rounds: Annotated[int, doc("Rounds of a Swiss or a knockout; elsewhere how often two meet.")]
    entrants: Annotated[int, doc("How many take part.")]
    played: Annotated[int, doc("Games with a result, forfeits included.")]
    running: Annotated[int, doc("Games under way.")]
    total: Annotated[int, doc("Games in all, as far as can be told; 0 if it cannot.")]
    leaders: Annotated[tuple[Leader, ...], doc("Who is ahead, all who share the first rank; empty before a result.")]
    graded: Annotated[bool, doc("Whether it has grades, which operators can see.")]
    starts_at: Annotated[float | None, doc("When it is to start by itself.")]
    created_at: Annotated[float, doc("When it was created.")]
    started_at: Annotated[float | None, doc("When it was started.")]
    ended_at: Annotated[float | None, doc("When it ended.")]
    fault: Annotated[str | None, doc("Why what is stored of it cannot be read, should that ever be.")] = None


class Tournaments(ListPage, frozen=True, kw_only=True):
    """Tournaments, the newest first."""

    tournaments: Annotated[tuple[TournamentLine, ...], doc("At most `limit`.")]


class Score(ResponseModel, frozen=True, kw_only=True):
    """The points of one entrant against another."""

    points: Annotated[float, doc("Points.")]
    games: Annotated[int, doc("Games with a result.")]


class TieBreak(ResponseModel, frozen=True, kw_only=True):
    """One tie-break of a format."""

    name: Annotated[str, doc("The key in the lines' `tie_breaks`.")]
    meaning: Annotated[str, doc("What it is, for people.")]


class TieBreakTerm(ResponseModel, frozen=True, kw_only=True):
    """One summand of a tie-break: so many times the points of an opponent."""

    opponent: Annotated[int | None, doc("The opponent's `number`; null for a round without a game.")]
    times: Annotated[float, doc("How often its points count.")]
    points: Annotated[float, doc("The points; for a direct encounter those made against it.")]


class CrosstableLine(ResponseModel, frozen=True, kw_only=True):
    """One entrant of a tournament. Forfeits count like results."""

    rank: Annotated[int, doc("From 1; equals share it.")]
    number: Annotated[int, doc("Its place in the list of entries, from 0, for ever the same.")]
    bot: Annotated[str, doc("Name of the bot.")]
    version: Annotated[str, doc("Its version when it was entered.")]
    withdrawn: Annotated[bool, doc("Whether it plays no more.")]
    points: Annotated[float, doc("Points, in what the format counts.")]
    played: Annotated[int, doc("Games with a result.")]
    wins: Annotated[int, doc("Games won.")]
    draws: Annotated[int, doc("Games drawn.")]
    losses: Annotated[int, doc("Games lost.")]
    tie_breaks: Annotated[dict[str, float], doc("Name -> value; one that says nothing about this line is left out.")]
    sums: Annotated[
        dict[str, tuple[TieBreakTerm, ...]], doc("Name -> what is summed, of the tie-breaks that are such sums.")
    ]
    note: Annotated[str, doc("What else there is to say, such as how far it came; may be empty.")]
    against: Annotated[tuple[Score | None, ...], doc("By the opponent's `number`; null without a game.")]


class TournamentGame(ResponseModel, frozen=True, kw_only=True):
    """One game of the schedule."""

    number: Annotated[int, doc("Its place in the schedule, from 0.")]
    meeting: Annotated[int, doc("Number of the mini-match; its games begin from one opening.")]
    leg: Annotated[int, doc("Which game of it, from 0.")]
    round: Annotated[int, doc("The round it belongs to, from 0.")]
    slot: Annotated[int, doc("Its place in the round, from 0; in a knockout the place in the bracket.")]
    players: Annotated[tuple[int, int], doc("Numbers of the entrants by seat.")]
    bots: Annotated[tuple[str, str], doc("Their names.")]
    state: Annotated[str, doc("`pending`, `running`, `played` or `forfeit`.")]
    result: Annotated[str | None, doc("`1-0`, `0-1`, `1/2-1/2`; a forfeit is `+--`, `--+` or `---`.")]
    ending: Annotated[str | None, doc("How the match ended.")]
    match: Annotated[int | None, doc("The match that counts, or runs.")]
    matches: Annotated[tuple[int, ...], doc("All its matches, aborted ones included.")]


class ByeLine(ResponseModel, frozen=True, kw_only=True):
    """A bot without an opponent in a round."""

    round: Annotated[int, doc("The round, from 0.")]
    number: Annotated[int, doc("The entrant.")]
    bot: Annotated[str, doc("Its name.")]
    points: Annotated[float, doc("What the bye is worth.")]
    requested: Annotated[bool, doc("Whether the bot asked for it.")]


class PairingLine(ResponseModel, frozen=True, kw_only=True):
    """Two bots in a round, and what stands between them over all their games there."""

    round: Annotated[int, doc("From 0.")]
    slot: Annotated[int, doc("Its place in the round, from 0; in a knockout the place in the bracket.")]
    players: Annotated[tuple[int | None, int | None], doc("Numbers of the entrants; null where nobody is known yet.")]
    bots: Annotated[tuple[str, str], doc("Their names; empty where nobody is known yet.")]
    points: Annotated[tuple[float, float], doc("Points over their games here.")]
    games: Annotated[tuple[int, ...], doc("Numbers of their games.")]
    winner: Annotated[int | None, doc("The entrant that has won it.")]
    note: Annotated[str, doc("What has to be said beside the points; may be empty.")]
    before: Annotated[
        tuple[float, float] | None, doc("The points of the two before this round, in a Swiss; null elsewhere.")
    ]


class FirstMover(ResponseModel, frozen=True, kw_only=True):
    """How the first seat fared in the games that were played here; forfeits left out."""

    wins: Annotated[int, doc("Games won by seat 0.")]
    draws: Annotated[int, doc("Games drawn.")]
    losses: Annotated[int, doc("Games won by seat 1.")]
    score: Annotated[float | None, doc("Points per game of seat 0; null before a game.")]
    elo: Annotated[float | None, doc("The same as an Elo difference; null before a game.")]
    plus_minus: Annotated[float | None, doc("Half the width of the 95 % interval of `elo`, from the single games.")]


class TimeLeftRange(ResponseModel, frozen=True, kw_only=True):
    """How long a tournament will still take; docs/reference/tournaments.md says how often that holds."""

    from_s: Annotated[float, doc("Seconds, at least.")]
    to_s: Annotated[float, doc("Seconds, at most.")]


class TournamentDetail(TournamentLine, frozen=True, kw_only=True):
    """A tournament as it stands."""

    settings: Annotated[dict[str, Any], doc("What the organiser chose; `grading` is left out.")]
    seed: Annotated[int, doc("From which its openings are drawn.")]
    decision: Annotated[str, doc("What it has decided, as a sentence, in formats that decide something.")]
    left_s: Annotated[float | None, doc("Estimated time left, the middle of the likely; null when it cannot be told.")]
    time_left: Annotated[
        TimeLeftRange | None, doc("The range in which the time left lies; null when it cannot be told, or is over.")
    ]
    tie_breaks: Annotated[tuple[TieBreak, ...], doc("Those of the format, in their order.")]
    lines: Annotated[tuple[CrosstableLine, ...], doc("The table, best first.")]
    games: Annotated[tuple[TournamentGame, ...], doc("The games known so far.")]
    round_titles: Annotated[tuple[str, ...], doc("What its rounds are called; empty in a format without rounds.")]
    pairings: Annotated[tuple[PairingLine, ...], doc("Round by round, in formats that have rounds.")]
    byes: Annotated[tuple[ByeLine, ...], doc("Who had no opponent, and asked for byes to come.")]
    endings: Annotated[dict[str, int], doc("How its matches ended, aborted ones included.")]
    first_mover: Annotated[FirstMover, doc("How the first seat fared.")]
    duplicates: Annotated[int, doc("Games played that repeat an earlier one of the same two bots move for move.")]
