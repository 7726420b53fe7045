"""How strong the levels of the roster are: a round robin of each game's levels, rated together.

    tabiya bench strength [--games chess,reversi] [--pairs 10] [--processes 1] [--seed 1] [--format table|json]
                          [--more pvs:3,...] [--page docs/measurements/strength.md]

Every two levels play `pairs` openings twice, seats changed: from the game's book of balanced openings if it has one,
else drawn at random, by the seed. All levels search to a fixed depth, so the same seed gives the same games on every
machine, however busy; levels that depend on a clock are left out. Ratings are those of the server
(docs/explanation/ratings.md), `random` at 0, with 95 % intervals. --more: other players of fixed depth, entered too.
--page: writes the tables into a page between its marks.
"""

from __future__ import annotations

import argparse
import functools
import json
import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import combinations, islice
from pathlib import Path

from benchmarks.common import parser
from scripts.docs import markdown
from scripts.self_play import outcome_of, played
from tabiya.bots.players.api import MatchInfo, Player
from tabiya.bots.players.build import build_player
from tabiya.bots.players.catalogue import levels_of
from tabiya.bots.players.lazy_rules import request_at
from tabiya.bots.players.spec import PlayerKind, parse_player
from tabiya.games.openings import SplitMix, distinct_openings
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names, title
from tabiya.openings import OpeningsError, given_lines
from tabiya.server.ratings.fit import rate
from tabiya.server.ratings.rating import Ratings
from tabiya.server.ratings.results import RatedPair, Results
from tabiya.server.tournaments.openings import given_openings

MARKS = "levels"
PATIENCE_S = 600.0
Winners = tuple[int | None, int | None]


@dataclass(frozen=True)
class Row:
    """One level. above: the level before it, in Elo.  score: points per game, all opponents together."""

    game: str
    level: str
    player: str
    elo: float
    plus_minus: float
    above: float | None
    games: int
    score: float


@dataclass(frozen=True)
class Meeting:
    """Two players and an opening, as moves from a start position or as its text; played twice."""

    game: str
    players: tuple[str, str]
    start_text: str
    moves: tuple[str, ...]
    seed: int


def is_fixed(player: str) -> bool:
    """Whether its moves are the same on every machine: nothing of it depends on a clock."""
    spec = parse_player(player)
    if spec.kind is PlayerKind.LEVEL:
        return any(level.player == player for game in names() for level in levels_of(game))  # is not another's name
    return spec.kind is PlayerKind.PERFECT_NIM or (spec.depth is not None and spec.time_s is None)


def players_of(game: str, more: Sequence[str] = ()) -> dict[str, str]:
    """The levels of a game that depend on no clock, and `more`: players by name."""
    levels = {level.name: level.player for level in levels_of(game) if is_fixed(level.player)}
    return levels | {player: player for player in more}


def openings(game: str, count: int, seed: int) -> list[tuple[str, tuple[str, ...]]]:
    """Start texts and moves: of the book, or drawn; they come again where there are fewer."""
    rules = load_game(game)
    try:
        found = list(given_openings(rules, {}, given_lines("book", game, seed)[:count]))
    except OpeningsError:
        found = list(islice(distinct_openings(rules, seed, None), count))
    return [(opening.start_text, opening.moves) for opening in (found[i % len(found)] for i in range(count))]


@functools.cache
def player(text: str) -> Player:
    """The player, made once in each process."""
    return build_player(text, table_mb=4)


def play(meeting: Meeting, first: int) -> int | None:
    """One game; the winning seat. first: which of the two has seat 0."""
    game, seeds = load_game(meeting.game), SplitMix(meeting.seed * 2 + first)
    seats = [player(meeting.players[first]), player(meeting.players[1 - first])]
    position = game.parse(meeting.start_text)
    for move in meeting.moves:
        position = position.play(move)
    for seat in (0, 1):
        seats[seat].new_match(MatchInfo(match=1, game=meeting.game, seat=seat))

    def choose(at: Position) -> str:
        return seats[at.to_move].choose(request_at(at, budget_s=PATIENCE_S, seed=seeds.word())).move

    return outcome_of(played(position, choose)).winner


def play_both(meeting: Meeting) -> tuple[Meeting, Winners]:
    """Both games of a meeting, each player moving first once."""
    return meeting, (play(meeting, 0), play(meeting, 1))


def meetings(game: str, players: dict[str, str], pairs: int, seed: int) -> Iterator[Meeting]:
    """All that is to be played; every two players meet on the same openings."""
    starts = openings(game, pairs, seed)
    draw = SplitMix(seed)
    for one, other in combinations(players.values(), 2):
        for start_text, moves in starts:
            yield Meeting(game, (one, other), start_text, moves, draw.word() >> 8)


def measure(game: str, players: dict[str, str], given: argparse.Namespace) -> tuple[Ratings[str], list[Row]]:
    """Play everything and rate it."""
    called = {player: name for name, player in players.items()}
    results = Results[str]()
    todo = list(meetings(game, players, given.pairs, given.seed))
    with ProcessPoolExecutor(given.processes, multiprocessing.get_context("spawn")) as pool:
        for done, (meeting, winners) in enumerate(pool.map(play_both, todo), 1):
            one, other = (called[player] for player in meeting.players)
            results.add_pair(RatedPair(one, other, winners))
            if done % 10 == 0 or done == len(todo):
                print(f"{game}: {2 * done} of {2 * len(todo)} games", file=sys.stderr, flush=True)
    ratings = rate(results, anchors={next(iter(players)): 0.0})
    return ratings, rows(game, players, ratings)


def rows(game: str, players: dict[str, str], ratings: Ratings[str]) -> list[Row]:
    """One row for each level, in the roster's order."""
    found = list[Row]()
    before: float | None = None
    for name, player in players.items():
        rating = ratings.by_player[name]
        above = None if before is None else round(rating.elo - before)
        elo, plus_minus = round(rating.elo), round(rating.plus_minus)
        found.append(Row(game, name, player, elo, plus_minus, above, rating.games, round(rating.score, 3)))
        before = rating.elo
    return found


def table(found: Sequence[Row]) -> str:
    """The rows of one game as a table in Markdown."""
    heads = ("level", "is", "Elo", "±", "above the one before", "games", "score")
    cells = (
        (
            f"`{row.level}`",
            f"`{row.player}`",
            f"{row.elo:.0f}",
            f"{row.plus_minus:.0f}",
            "" if row.above is None else f"{row.above:+d}",
            str(row.games),
            f"{row.score:.1%}",
        )
        for row in found
    )
    return markdown.table(heads, cells)


def write_page(path: Path, tables: dict[str, str]) -> None:
    """Put the tables into the page, those of other games left as they are. Raises ValueError without the marks."""
    text = path.read_text("utf-8")
    _, old, _ = markdown.between_marks(text, MARKS)
    parts = {part.partition("\n")[0].strip(): part.partition("\n")[2].strip() for part in old.split("### ")[1:]}
    parts |= {title(game): found for game, found in tables.items()}
    body = "".join(f"\n### {name}\n\n{parts[name]}\n" for name in map(title, names()) if name in parts)
    path.write_text(markdown.put_between_marks(text, MARKS, body), "utf-8")


def command_line() -> argparse.ArgumentParser:
    """The command line."""
    found = parser("how strong the levels of the roster are", games=True)
    found.add_argument("--pairs", type=int, default=10, help="openings that every two levels play, each twice")
    found.add_argument("--processes", type=int, default=1)
    found.add_argument("--seed", type=int, default=1)
    found.add_argument("--more", default="", help="other players of fixed depth, separated by commas")
    found.add_argument("--page", type=Path, help="write the tables into this page")
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Play, rate, and print; a game's table as soon as it is known."""
    given = command_line().parse_args(arguments)
    more = [text for text in given.more.split(",") if text]
    if moving := [text for text in more if not is_fixed(text)]:
        sys.exit(f"{moving[0]} depends on a clock and cannot be entered")
    found, tables = list[Row](), dict[str, str]()
    for game in given.games.split(","):
        ratings, measured = measure(game, players_of(game, more), given)
        found += measured
        who = f"{2 * given.pairs} games between every two, seed {given.seed}; the first seat is worth "
        who += f"{ratings.first_mover:+.0f} Elo."
        tables[game] = f"{table(measured)}\n\n{who}"
        if given.format == "table":
            print(f"{title(game)}\n\n{tables[game]}\n", flush=True)
        if given.page:
            write_page(given.page, {game: tables[game]})
    if given.format == "json":
        json.dump([asdict(row) for row in found], sys.stdout, indent=2)


if __name__ == "__main__":
    main()
