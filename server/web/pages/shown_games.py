"""Which games the projector shows, by interest, and on which board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

BOARDS = 6  # on one screen at most
FIXED_BOARDS = 3  # boards for the most interesting games, where there are more games than boards; the others take turns
LINGER_S = 8.0  # how long a finished game stays with its result
TOP = 3  # ranks of a table that are its top


class GameSituation(NamedTuple):
    """The state of a running game, from which its interest is computed.

    ranks: the places of both in the table, None without one; who share a rank are all at the last of its places.
    level: both have as many points there.  decisive: a game of a knockout or of the last round.  clocks: the share of
    the time at the start that each has left, None without clocks.
    """

    ranks: tuple[int, int] | None = None
    level: bool = False
    decisive: bool = False
    clocks: tuple[float, float] | None = None


class Game(NamedTuple):
    """A game that may be shown. over_s: for how long it has been over; None while it runs."""

    match: int
    interest: int = 0
    over_s: float | None = None
    in_tournament: bool = False


def interest(situation: GameSituation) -> tuple[int, str]:
    """How interesting a running game is, as a sum of points, and the weightiest reason in words; empty without one.

    5  it decides something: a knockout, the last round
    4  both are at the top of the table (the first three); 2 if one is
    3  both have the same points there
    1  a clock has less than a fifth of the time of the start
    """
    top = sum(rank <= TOP for rank in situation.ranks or ())
    reasons = (
        (5 * situation.decisive, "decisive"),
        (2 * top, "top of the table"),
        (3 * situation.level, "level on points"),
        (min(situation.clocks or (1, 1)) < 0.2, "short of time"),
    )
    points, words = max(reasons, key=lambda reason: reason[0])
    return sum(reason[0] for reason in reasons), words if points else ""


def order_of_next_step(games: Sequence[Game], before: Sequence[int], step: int) -> list[int]:
    """The games in the order of the boards (screen after screen) when a new step begins. before: at the last step.

    Where there are more than one screen holds, the most interesting ones stay on it, and the others take turns.
    Games of tournaments are on the first boards of a screen, which may be larger, and of those that stay.
    """
    running = [game for game in games if game.over_s is None]
    running.sort(key=lambda game: (not game.in_tournament, -game.interest, game.match))
    staying, others = running[:FIXED_BOARDS], sorted(running[FIXED_BOARDS:], key=lambda game: game.match)
    turn = step * (BOARDS - FIXED_BOARDS) % len(others) if len(running) > BOARDS else 0
    line = _keep_board_positions([game.match for game in (*staying, *others[turn:], *others[:turn])], before)
    tournament = {game.match for game in running if game.in_tournament}
    for begin in range(0, len(line), BOARDS):
        line[begin : begin + BOARDS] = sorted(line[begin : begin + BOARDS], key=lambda match: match not in tournament)
    ended = {game.match for game in games if game.over_s is not None and game.over_s < LINGER_S}
    for place, match in enumerate(before):
        if match in ended:
            line.insert(place, match)
    return line + sorted(ended - set(line), reverse=True)[: max(0, BOARDS - len(line))]


def _keep_board_positions(line: list[int], before: Sequence[int]) -> list[int]:
    """The line with the games that stay on their screen on the same board of it."""
    for begin in range(0, min(len(line), len(before)), BOARDS):
        screen = line[begin : begin + BOARDS]
        for place, match in enumerate(before[begin : begin + BOARDS]):
            if match in screen and place < len(screen):
                at = screen.index(match)
                screen[at], screen[place] = screen[place], match
        line[begin : begin + BOARDS] = screen
    return line


def order_within_step(games: Sequence[Game], line: Sequence[int]) -> list[int]:
    """The same within a step: a game keeps its board until it is over, has lingered, and another one needs a board."""
    known = {game.match: game for game in games}
    left = [game for game in games if game.match not in line and (game.over_s is None or game.over_s < LINGER_S)]
    left.sort(key=lambda game: (0, -game.interest, game.match) if game.over_s is None else (1, 0, -game.match))
    kept = list(line)
    for place, match in enumerate(line):
        game = known.get(match)
        if left and (game is None or (game.over_s is not None and game.over_s >= LINGER_S)):
            kept[place] = left.pop(0).match
    more = [game for game in left if game.over_s is None]
    more += [game for game in left if game.over_s is not None][: max(0, BOARDS - len(kept) - len(more))]
    return kept + [game.match for game in more]
