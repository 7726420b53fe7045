"""The result of a match, as plain values for tables, JSON and CSV, and as sentences for people."""

from __future__ import annotations

import math
from typing import Any

from tabiya.games.endings import LOST_ON_TIME, PROGRAM_FAILED, Ending
from tabiya.match.score import MatchScore
from tabiya.server.ratings.pairs import Pairs
from tabiya.server.ratings.sprt import Sprt

PAIR_POINTS = ("0", "½", "1", "1½", "2")


def player_rows(played: MatchScore) -> list[dict[str, Any]]:
    """One row for each player: score, Elo difference to the other with its error, times, and what went wrong."""
    seen = ((played.wins, played.losses, played.pairs), (played.losses, played.wins, played.pairs.swapped()))
    rows = []
    for player, (wins, losses, pairs) in enumerate(seen):
        times = played.times[player]
        rows.append(
            {
                "player": played.names[player],
                "games": played.scored,
                "wins": wins,
                "draws": played.draws,
                "losses": losses,
                "points": wins + played.draws / 2,
                **_difference(pairs),
                "moves": times.moves,
                "mean_ms": _rounded(times.mean_ms, 3),
                "longest_ms": _rounded(times.longest_ms, 3),
                "time_losses": _lost(played, player, LOST_ON_TIME),
                "illegal_losses": _lost(played, player, {Ending.ILLEGAL_MOVES}),
                "deaths": played.deaths[player],
                "emergency_moves": played.emergency_moves[player],
            }
        )
    return rows


def _difference(pairs: Pairs) -> dict[str, Any]:
    low, high = pairs.elo_interval
    return {
        "elo": _rounded(pairs.elo, 1),
        "elo_low": _rounded(low, 1),
        "elo_high": _rounded(high, 1),
        "plus_minus": _rounded(pairs.elo_plus_minus, 1),
        "normalised_elo": _rounded(pairs.normalised_elo, 1),
        "normalised_plus_minus": _rounded(pairs.normalised_plus_minus, 1),
        "superiority": _rounded(100 * pairs.superiority, 1),
    }


def _lost(played: MatchScore, player: int, endings: Any) -> int:
    """Games that this player has lost by one of these endings."""
    # the score is the first player's: 0 where player 0 lost, 1 where player 1 did
    return sum(
        count for (score, ending, _), count in played.endings.items() if ending in endings and score == float(player)
    )


def match_values(played: MatchScore, sprt: Sprt | None) -> dict[str, Any]:
    """Everything about the match as a whole."""
    mover = played.first_mover
    return {
        "games": len(played.games),
        "pairs": {"counts": list(played.pairs.counts), "half": played.half_pairs},
        "first_mover": None if mover is None else {"score": round(mover[0], 4), "elo": _rounded(mover[1], 1)},
        "repeated_games": played.repeated,
        "sprt": None if sprt is None else sprt_values(sprt, played),
        "endings": endings(played),
        "resumed_games": played.resumed,
    }


def sprt_values(sprt: Sprt, played: MatchScore) -> dict[str, Any]:
    """The present state of the sequential test."""
    lower, upper = sprt.bounds
    return {
        "elo0": sprt.elo0,
        "elo1": sprt.elo1,
        "alpha": sprt.alpha,
        "beta": sprt.beta,
        "model": sprt.model,
        "llr": round(sprt.llr(played.pairs), 3),
        "bounds": [round(lower, 3), round(upper, 3)],
        "verdict": played.verdict or "go on",
    }


def endings(played: MatchScore) -> list[dict[str, Any]]:
    """How the games ended, the most frequent first. winner: a player's name, None for a draw or no result."""
    rows = []
    for (score, ending, failed), count in played.endings.most_common():
        # -1 and the draw's 0.5 are no keys: no winner
        winner = {1.0: played.names[0], 0.0: played.names[1]}.get(-1.0 if score is None else score)
        rows.append({"winner": winner, "ending": ending, "program_failed": failed, "games": count})
    return rows


def sentences(played: MatchScore, sprt: Sprt | None) -> list[str]:
    """The sentences under the table."""
    pairs = played.pairs
    counts = ", ".join(f"{name}: {count}" for name, count in zip(PAIR_POINTS, pairs.counts, strict=True))
    lines = [f"{pairs.number} pair{'' if pairs.number == 1 else 's'} by points of {played.names[0]}: {counts}"]
    if played.half_pairs:
        alone = "game without its partner says" if played.half_pairs == 1 else "games without their partner say"
        lines.append(f"{played.half_pairs} {alone} nothing of the difference")
    if bound := interval_note(played):
        lines.append(bound)
    if sprt is not None:
        lines.append(sprt_line(sprt, played))
    if (mover := played.first_mover) is not None:
        elo = f" ({mover[1]:+z.0f} Elo)" if math.isfinite(mover[1]) else ""
        lines.append(f"the first mover scored {100 * mover[0]:.1f} %{elo}")
    if played.repeated:
        games = "game repeats" if played.repeated == 1 else "games repeat"
        lines.append(f"{played.repeated} {games} another one move by move")
    for row in endings(played):
        what = "drawn" if row["winner"] is None else f"{row['winner']} won"
        if row["ending"] == Ending.ABORTED:
            what = "no result"
        failed = f", {PROGRAM_FAILED}" if row["program_failed"] else ""
        lines.append(f"{row['games']:4}  {what}: {row['ending'].replace('_', ' ')}{failed}")
    return lines


def interval_note(played: MatchScore) -> str:
    """A sentence if the 95 % interval of the pairs lacks an end; else empty.

    The end is that of `Pairs.elo_interval`: mean and spread with two imaginary pairs, one lost and one won.
    """
    low, high = played.pairs.elo_interval
    if not played.pairs.number or math.isfinite(high - low):
        return ""
    ahead, bound = (played.names[0], low) if math.isfinite(low) else (played.names[1], -high)
    if not 0 <= bound < math.inf:  # the interval does not even tell which is better
        return "too few games for an interval"
    return f"the interval has one side only: {ahead} is at least {bound:.0f} Elo better (95 %)"


def sprt_line(sprt: Sprt, played: MatchScore) -> str:
    """The sequential test in a line."""
    lower, upper = sprt.bounds
    fits, fits_not = (sprt.elo1, sprt.elo0) if played.verdict == "accept H1" else (sprt.elo0, sprt.elo1)
    verdict = f"{played.verdict}: a difference of {fits:g} fits the games, {fits_not:g} does not"
    verdict = verdict if played.verdict else "not decided"
    scale = "normalised Elo" if sprt.model == "normalized" else "Elo"
    return (
        f"SPRT {sprt.elo0:g} against {sprt.elo1:g} {scale}: LLR {sprt.llr(played.pairs):.2f} "
        f"({lower:.2f} to {upper:.2f}), {verdict}"
    )


def progress_line(played: MatchScore, sprt: Sprt | None) -> str:
    """The match in a line, while it goes on."""
    pairs = played.pairs
    parts = [f"{played.names[0]} against {played.names[1]} +{played.wins} ={played.draws} -{played.losses}"]
    if pairs.number:  # half a pair says nothing of the difference
        elo, error = pairs.elo, pairs.elo_plus_minus
        difference = f"{elo:+.1f}" if math.isfinite(elo) else f"unknown (all {'won' if elo > 0 else 'lost'})"
        parts.append(f"Elo {difference}" + ("" if error is None else f" ± {error:.1f}"))
        parts.append(f"LOS {100 * pairs.superiority:.0f} %")
    if sprt is not None:
        lower, upper = sprt.bounds
        parts.append(f"LLR {sprt.llr(pairs):.2f} ({lower:.2f} to {upper:.2f})")
    return ", ".join(parts)


def _rounded(value: float | None, digits: int) -> float | None:
    return round(value, digits) if value is not None and math.isfinite(value) else None
