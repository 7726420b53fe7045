"""Claims about how large game trees are, about depth, and about the games themselves: counts, seeded."""

from __future__ import annotations

import functools
import itertools
import math
import random
from statistics import mean

from scripts.docs.textbooks.claims.games import BY_EVALUATION, PLIES
from scripts.docs.textbooks.finding import Finding
from scripts.docs.textbooks.positions import (
    GAMES,
    SEED,
    board,
    middle_games,
    nodes,
    random_games,
    sample,
    twin,
)
from scripts.self_play import at_random, outcome_of, played
from tabiya.bots.textbook.board import Board, LeafEvaluator
from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.evaluations.index import book_evaluator
from tabiya.bots.textbook.run_listing import PLAIN_SETUP, best_moves, run_listing
from tabiya.games.openings import opening
from tabiya.games.perft import perft
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names, title

MANY_MOVES = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"
PAIRS = 20


@functools.cache
def _widths(name: str) -> tuple[int, ...]:
    """How many legal moves there are in every open position of the random games."""
    return tuple(len(position.legal_moves()) for game in random_games(name) for position in game[:-1])


def moves_a_position() -> Finding:
    parts = [f"{title(name)} {mean(_widths(name)):.1f} (at most {max(_widths(name))})" for name in names()]
    middle = [len(position.legal_moves()) for position in middle_games()]
    most = len(load_game("chess").parse(MANY_MOVES).legal_moves())
    over_fifty = sum(count > 50 for count in middle)
    holds = mean(_widths("reversi")) < 10 < mean(_widths("chess")) and over_fifty > 0 and most > 100
    middles = {"middle": len(middle), "over_fifty": over_fifty, "most": most}
    return holds, {"games": GAMES, "told": ", ".join(parts)} | middles


def whole_tree() -> Finding:
    start = load_game("tictactoe").start()
    small = twin("minimax", start.game).search(start, 9).nodes
    parts, exponents = [], []
    for name in ("reversi", "chess", "connect5"):
        plies = mean(len(game) - 1 for game in random_games(name)) if name == "reversi" else 80
        exponents.append(plies * mean(math.log10(width) for width in _widths(name)))
        parts.append(f"{title(name)} 10^{exponents[-1]:.0f} ({plies:.0f} plies)")
    years = min(exponents) - 7 - 7.5  # ten million nodes a second, thirty million seconds a year
    found = {"small": small, "told": ", ".join(parts), "nodes": min(exponents), "years": years}
    return small == 549_946 and min(exponents) > 30, found


def exponential() -> Finding:
    parts, steady = [], True
    for name, deepest in (("reversi", 7), ("chess", 5)):
        counts = [perft(load_game(name).start(), depth) for depth in range(1, deepest + 1)]
        steady &= min(after / before for before, after in itertools.pairwise(counts)) > 2
        parts.append(f"{title(name)} {', '.join(f'{count:,}' for count in counts)}")
    return steady, {"told": "; ".join(parts)}


def effective_branching() -> Finding:
    parts, less = [], True
    for name, depth in PLIES.items():
        counts = [nodes(name, "minimax", depth)]
        counts += [nodes(name, "alphabeta-failhard", depth, setup) for setup in (PLAIN_SETUP, BY_EVALUATION)]
        factors = [(count / 16) ** (1 / depth) for count in counts]
        less &= factors == sorted(factors, reverse=True)
        parts.append(f"{title(name)} {factors[0]:.1f}, {factors[1]:.1f}, {factors[2]:.1f}")
    return less, {"told": "; ".join(parts)}


def properties() -> Finding:
    ended, same, balanced, longest = 0, 0, 0, list[str]()
    for name in names():
        longest.append(f"{max(len(game) - 1 for game in random_games(name))} plies of {title(name)}")
        for game in random_games(name):
            ended += game[-1].outcome() is not None
            same += _played_again(game) == game[-1].text()
            value = board(game[-1]).analysis()
            balanced += {0: value > 0, 1: value < 0, None: value == 0}[outcome_of(game).winner]
    count = GAMES * len(names())
    found = {"count": count, "ended": ended, "longest": ", ".join(longest), "same": same, "balanced": balanced}
    return ended == same == balanced == count, found


def _played_again(game: tuple[Position, ...]) -> str:
    position = game[0]
    for after in game[1:]:
        assert after.last_move is not None
        position = position.play(after.last_move)
    return position.text()


def exact_at_the_end() -> Finding:
    right = turned = count = total = 0
    for game in (game for name in names() for game in random_games(name)):
        value, least = board(game[-1]).analysis(), {0: 10_000, 1: -10_000, None: 0}[outcome_of(game).winner]
        count += 1
        right += value >= least > 0 or value <= least < 0 or value == least == 0
        for position in game[-4:]:
            node = board(position)
            total += 1
            turned += node.eval() == (node.analysis() if position.to_move == 0 else -node.analysis())
    return right == count and turned == total, {"right": right, "count": count, "turned": turned, "total": total}


class _CountingLeafEvaluator(LeafEvaluator):
    """Counts how often it is asked for an evaluation."""

    asked = 0

    def of_position(self, position: Position) -> int:
        """One more."""
        _CountingLeafEvaluator.asked += 1
        return super().of_position(position)


def only_at_leaves() -> Finding:
    asked, leaves = [], []
    for setup in (PLAIN_SETUP, BY_EVALUATION):
        _CountingLeafEvaluator.asked = count = 0
        for position in sample("reversi", 8):
            node = Board(position, _CountingLeafEvaluator(book_evaluator(position.game)))
            count += run_listing(find("alphabeta-failhard"), node, 3, setup).leaves
        asked.append(_CountingLeafEvaluator.asked)
        leaves.append(count)
    return asked[0] == leaves[0] and asked[1] > leaves[1], {"asked": asked, "leaves": leaves}


def finds_the_win() -> Finding:
    winning = found = 0
    for position in (position for game in random_games("connect5") for position in game[:-1]):
        wins = {move for move in position.legal_moves() if position.play(move).outcome() is not None}
        if wins:
            winning += 1
            found += set(best_moves(find("004-greedy"), board(position, "fours"), 1)) <= wins
    lost = _greedy_lost_to_random()
    return winning == found > 0 and lost == 0, {"found": found, "winning": winning, "games": GAMES, "lost": lost}


def _greedy_lost_to_random() -> int:
    game, draw, lost = load_game("connect5"), random.Random(SEED), 0
    greedy = twin("004-greedy", game, "fours")

    def by_greed(position: Position) -> str | None:
        return greedy.search(position, 1).move

    for number in range(GAMES):
        start = opening(game, draw.getrandbits(64)).position(game)
        choosers = (by_greed, at_random(draw)) if number % 2 == 0 else (at_random(draw), by_greed)
        lost += outcome_of(played(start, *choosers)).winner == 1 - number % 2
    return lost


def deeper_is_better() -> Finding:
    parts, better = [], []
    for name, depth in (("reversi", 2), ("reversi", 3), ("reversi", 4), ("chess", 2), ("chess", 3)):
        percent = _percent_of_deeper(name, depth)
        better.append(percent > 50)
        parts.append(f"{title(name)} {depth} against {depth - 1} plies: {percent:.0f} %")
    return all(better), {"games": 2 * PAIRS, "pairs": PAIRS, "told": "; ".join(parts)}


def _percent_of_deeper(name: str, depth: int) -> float:
    game, points = load_game(name), 0.0
    searcher = twin("alphabeta-failhard", game)
    for pair, seat in itertools.product(range(PAIRS), (0, 1)):
        plies = [depth if each == seat else depth - 1 for each in (0, 1)]
        choosers = [lambda at, plies=each: searcher.search(at, plies).move for each in plies]
        winner = outcome_of(played(opening(game, SEED + pair).position(game), *choosers)).winner
        points += 0.5 if winner is None else winner == seat
    return 100 * points / (2 * PAIRS)
