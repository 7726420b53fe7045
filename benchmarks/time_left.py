"""How often the predicted range of a tournament's time left is right, and how wide the range is.

    python -m benchmarks.time_left [--tournaments 40] [--seed 1]

Plays tournaments out by chance, in no time: the real formats decide who plays when, each game lasts by lognormal
chance around the pace of its two bots. At each fifth of the games the range is asked for and held against what the
rest then took.
"""

from __future__ import annotations

import argparse
import heapq
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from tabiya.server.pairing import FORMATS, Plan, games
from tabiya.server.pairing.open_games import open_by_entrant
from tabiya.server.pairing.state import ScheduledGame
from tabiya.server.tournaments.time_left import OpenGames, PlayedGame, TimeLeft, time_left

FORMS = ("round_robin", "gauntlet", "swiss", "knockout")
SHARES = (0.2, 0.4, 0.6, 0.8, 0.95)


class Prediction(NamedTuple):
    """A prediction at one moment, and the time that the rest took. predicted: None without a prediction."""

    form: str
    share: float
    predicted: TimeLeft | None
    took_s: float

    @property
    def holds(self) -> bool:
        """Whether the truth lies in the range."""
        return self.predicted is not None and self.predicted.from_s <= self.took_s <= self.predicted.to_s


def tournament(form_name: str, draw: Random) -> list[Prediction]:
    """Play one tournament to its end; the predictions at each fifth of its games."""
    form, entrants = FORMATS[form_name], draw.choice((6, 8, 12, 16, 24))
    plan = Plan(entrants=entrants, rounds=1 if form_name != "swiss" else min(7, entrants - 1))
    at_once, spread = draw.choice((2, 4, 8, 32)), draw.choice((0.2, 0.5, 0.9))
    pace = [60 * draw.lognormvariate(0, draw.choice((0.1, 0.5))) for _ in range(entrants)]
    state, now = form.begin(plan), 0.0
    ends: list[tuple[float, int, ScheduledGame]] = []
    played: dict[int, PlayedGame] = {}
    asked: list[tuple[float, float, TimeLeft | None]] = []
    left = list(SHARES)
    while True:
        while form.can_advance(plan, state):
            state = form.advance(plan, state)
        if form.is_over(plan, state):
            break
        busy = [entrant for _, _, game in ends for entrant in (game.first, game.second)]
        free = {entrant: 1 for entrant in range(entrants) if entrant not in busy}
        for game in form.startable(plan, state, free, min(at_once, entrants // 2) - len(ends)):
            state = games.started(state, game.number)
            mean = (pace[game.first] + pace[game.second]) / 2
            heapq.heappush(ends, (now + mean * draw.lognormvariate(0, spread), game.number, game))
            played[game.number] = PlayedGame((game.first, game.second), now)
        before, (now, _, game) = now, heapq.heappop(ends)
        if left and state.games_played >= left[0] * form.max_games(plan, state):
            at = before + (now - before) * draw.random()
            row = {} if form.has_rounds else open_by_entrant(form.meetings(plan, state), state)
            open_games = OpenGames(form.open_stages(plan, state), row, min(at_once, entrants // 2), 1)
            asked.append((left.pop(0), at, time_left(played, open_games, at)))
        state = games.finished(state, game.number, draw.choice((0, 1, None)))
        played[game.number] = played[game.number]._replace(ended=now)
    return [Prediction(form_name, share, predicted, now - at) for share, at, predicted in asked]


def measured(tournaments: int, seed: int) -> list[Prediction]:
    """The predictions in so many tournaments of each form."""
    draw = Random(seed)
    return [predicted for form in FORMS for _ in range(tournaments) for predicted in tournament(form, draw)]


def _lines(found: list[Prediction]) -> Iterator[str]:
    yield "format        played  known   in the range   below   above   to/from, median"
    for form in FORMS:
        for share in SHARES:
            here = [one for one in found if one.form == form and one.share == share]
            predicted = [one for one in here if one.predicted]
            if predicted:
                ratio = sorted(
                    one.predicted.to_s / max(0.1, one.predicted.from_s) for one in predicted if one.predicted
                )[len(predicted) // 2]
                below = sum(one.took_s < one.predicted.from_s for one in predicted if one.predicted) / len(predicted)
                holds = sum(one.holds for one in predicted) / len(predicted)
                yield (
                    f"{form:12} {share:7.0%} {len(predicted) / len(here):6.0%} {holds:14.0%} {below:7.0%}"
                    f" {1 - holds - below:7.0%} {ratio:17.2f}"
                )
    predicted = [one for one in found if one.predicted]
    holds = sum(one.holds for one in predicted)
    yield f"all: {holds} of {len(predicted)} in the range, {holds / len(predicted):.1%}"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="How often the time left of a tournament lies in the range predicted.")
    parser.add_argument("--tournaments", type=int, default=40, help="of each form")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(*_lines(measured(given.tournaments, given.seed)), sep="\n")


if __name__ == "__main__":
    main()
