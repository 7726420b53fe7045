"""Claims about how large game trees are, about depth, and about the games themselves: counts, seeded."""

from __future__ import annotations

import functools
import itertools
import math
import random
from statistics import mean

from scripts.docs.textbooks.claims_games import nodes
from scripts.docs.textbooks.judged import Verdict, Word, claim, judged
from scripts.docs.textbooks.positions import SEED, middle_games, sample
from tabiya.bots.textbook.board import Board, Judge
from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.compiled.searcher import CompiledListing
from tabiya.bots.textbook.evaluations.index import book_evaluator
from tabiya.bots.textbook.order import Guess
from tabiya.bots.textbook.run_listing import SearchSetup, best_moves, run_listing
from tabiya.games.openings import opening
from tabiya.games.perft import perft
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names, title

MANY_MOVES = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"
GAMES = 40


@functools.cache
def random_games(name: str) -> tuple[tuple[Position, ...], ...]:
    """Games of random moves, every position of each, the ended one last."""
    game, draw, found = load_game(name), random.Random(SEED), list[tuple[Position, ...]]()
    for _ in range(GAMES):
        positions = [opening(game, draw.getrandbits(64)).position(game)]
        while positions[-1].outcome() is None:
            positions.append(positions[-1].play(draw.choice(positions[-1].legal_moves())))
        found.append(tuple(positions))
    return tuple(found)


@functools.cache
def widths(name: str) -> tuple[int, ...]:
    """How many legal moves there are in every open position of the random games."""
    return tuple(len(position.legal_moves()) for game in random_games(name) for position in game[:-1])


@claim("moves-a-position", "000", "most games easily have more than 10-20 moves a position, chess sometimes 50 or 100",
       f'tabiya analyse chess -p "{MANY_MOVES}" -d 1 -a minimax')  # fmt: skip
def _moves() -> Verdict:
    told = [f"{title(name)} {mean(widths(name)):.1f} (at most {max(widths(name))})" for name in names()]
    middle = [len(position.legal_moves()) for position in middle_games()]
    most = len(load_game("chess").parse(MANY_MOVES).legal_moves())
    over_fifty = sum(count > 50 for count in middle)
    return judged(
        Word.CONDITION,
        mean(widths("reversi")) < 10 < mean(widths("chess")) and over_fifty > 0 and most > 100,
        f"mean over {GAMES} random games: {', '.join(told)}. Of {len(middle)} middle-game positions of chess "
        f"{over_fifty} have more than 50; a made-up one has {most}",
    )


@claim("whole-tree", "000, 003, 004", "tic-tac-toe can be searched to its leaves, chess or reversi never can",
       "tabiya analyse tictactoe -d 9 -a minimax")  # fmt: skip
def _whole_tree() -> Verdict:
    small = CompiledListing(find("minimax"), Judge(book_evaluator(load_game("tictactoe")))).search(
        load_game("tictactoe").start(), 9
    )
    told, exponents = [], []
    for name in ("reversi", "chess", "connect5"):
        plies = mean(len(game) - 1 for game in random_games(name)) if name == "reversi" else 80
        exponents.append(plies * mean(math.log10(width) for width in widths(name)))
        told.append(f"{title(name)} 10^{exponents[-1]:.0f} ({plies:.0f} plies)")
    return judged(
        Word.TRUE,
        small.nodes == 549_946 and min(exponents) > 30,
        f"tic-tac-toe has {small.nodes:,} nodes, a fraction of a second. By the mean logarithm of the number of moves "
        f"in random games: {', '.join(told)}. At ten million nodes a second 10^{min(exponents):.0f} would take "
        f"10^{min(exponents) - 7 - 7.5:.0f} years",
    )


@claim("exponential", "000, 003", "nodes grow exponentially with the levels, very large very quickly",
       "tabiya analyse reversi -d 7 -a minimax")  # fmt: skip
def _exponential() -> Verdict:
    told, steady = [], True
    for name, deepest in (("reversi", 7), ("chess", 5)):
        counts = [perft(load_game(name).start(), depth) for depth in range(1, deepest + 1)]
        factors = [after / before for before, after in itertools.pairwise(counts)]
        steady &= min(factors) > 2
        told.append(f"{title(name)} {', '.join(f'{count:,}' for count in counts)}")
    return judged(Word.TRUE, steady, f"leaves by level from the start: {'; '.join(told)}")


@claim("effective-branching", "003", "alpha-beta reduces the effective branching factor without another result",
       "tabiya analyse chess -d 4 -a minimax,alphabeta-failhard --order evaluation")  # fmt: skip
def _effective() -> Verdict:
    told, less = [], True
    for name, depth in (("reversi", 6), ("chess", 4)):
        factors = []
        for listing, setup in (
            ("minimax", SearchSetup()),
            ("alphabeta-failhard", SearchSetup()),
            ("alphabeta-failhard", SearchSetup(Guess.EVALUATION)),
        ):
            factors.append((nodes(name, listing, depth, setup) / 16) ** (1 / depth))
        less &= factors == sorted(factors, reverse=True)
        told.append(f"{title(name)} {factors[0]:.1f}, {factors[1]:.1f}, {factors[2]:.1f}")
    return judged(
        Word.TRUE,
        less,
        "the root of the mean number of nodes by the depth: minimax, alpha-beta, alpha-beta ordered by evaluation: "
        f"{'; '.join(told)} (16 positions, 6 and 4 plies)",
    )


@claim("properties", "002", "two players, perfect information, deterministic, finite, zero-sum; chess has them too")
def _properties() -> Verdict:
    ended, same, balanced, longest = 0, 0, 0, {}
    for name in names():
        judge = Judge(book_evaluator(load_game(name)))
        longest[name] = max(len(game) - 1 for game in random_games(name))
        for game in random_games(name):
            ended += game[-1].outcome() is not None
            same += _played_again(game) == game[-1].text()
            value = Board(game[-1], judge).analysis()
            outcome = game[-1].outcome()
            assert outcome is not None
            balanced += {0: value > 0, 1: value < 0, None: value == 0}[outcome.winner]
    count = GAMES * len(names())
    return judged(
        Word.TRUE,
        ended == same == balanced == count,
        f"{count} random games of five games: {ended} end (after at most "
        f"{', '.join(f'{plies} plies of {title(name)}' for name, plies in longest.items())}), the same moves lead to "
        f"the same position in {same}, and what one side wins the other loses in {balanced}. Chess is finite by the "
        "referee's rules (fivefold repetition, 75 moves)",
    )


def _played_again(game: tuple[Position, ...]) -> str:
    position = game[0]
    for after in game[1:]:
        assert after.last_move is not None
        position = position.play(after.last_move)
    return position.text()


@claim("exact-at-the-end", "003", "Evaluate: large if won for White, zero for a draw; or the same for the side to move",
       'tabiya analyse chess -p "7k/8/6K1/8/8/8/5Q2/8 w - - 0 1" -d 1')  # fmt: skip
def _exact_ends() -> Verdict:
    right = turned = count = total = 0
    for name in names():
        judge = Judge(book_evaluator(load_game(name)))
        for game in random_games(name):
            board, outcome = Board(game[-1], judge), game[-1].outcome()
            assert outcome is not None
            least = {0: 10_000, 1: -10_000, None: 0}[outcome.winner]
            count += 1
            right += board.analysis() >= least > 0 or board.analysis() <= least < 0 or board.analysis() == least == 0
            for position in game[-4:]:
                one = Board(position, judge)
                total += 1
                turned += one.eval() == (one.analysis() if position.to_move == 0 else -one.analysis())
    return judged(
        Word.TRUE,
        right == count and turned == total,
        f"in {right} of {count} ended games of all five games; the second definition is the first one with its sign "
        f"changed for the second player in {turned} of {total} positions",
    )


class _CountingJudge(Judge):
    """Counts how often it is asked for an evaluation."""

    asked = 0

    def of_position(self, position: Position) -> int:
        """One more."""
        _CountingJudge.asked += 1
        return super().of_position(position)


@claim("only-at-leaves", "001", "evaluations are done at the leaf nodes only",
       "tabiya analyse reversi -d 3 -a minimax,alphabeta-failhard --order evaluation")  # fmt: skip
def _only_at_leaves() -> Verdict:
    asked, leaves = [], []
    for setup in (SearchSetup(), SearchSetup(Guess.EVALUATION)):
        _CountingJudge.asked = count = 0
        for position in sample("reversi", 8):
            judge = _CountingJudge(book_evaluator(position.game))
            count += run_listing(find("alphabeta-failhard"), Board(position, judge), 3, setup).leaves
        asked.append(_CountingJudge.asked)
        leaves.append(count)
    return judged(
        Word.CONDITION,
        asked[0] == leaves[0] and asked[1] > leaves[1],
        f"alpha-beta, 3 plies, 8 positions of reversi: {asked[0]:,} evaluations for {leaves[0]:,} leaves. Moves "
        f"ordered by evaluating the positions after them (000) cost more: {asked[1]:,} for {leaves[1]:,}",
    )


@claim("finds-the-win", "004", "choosing the move that maximizes the value finds any immediately winning move",
       "tabiya analyse connect5 -m 'h8 a1 i8 a3 j8 a5 k8 a7' -a 004-greedy --evaluation fours -d 1")  # fmt: skip
def _finds_the_win() -> Verdict:
    winning = found = 0
    for game in random_games("connect5"):
        for position in game[:-1]:
            wins = [move for move in position.legal_moves() if position.play(move).outcome() is not None]
            judge = Judge(book_evaluator(position.game, "fours"))
            if wins:
                winning += 1
                found += set(best_moves(find("004-greedy"), Board(position, judge), 1)) <= set(wins)
    lost, games = _greedy_against_random()
    return judged(
        Word.TRUE,
        winning == found > 0 and lost == 0,
        f"in {found} of the {winning} positions of {GAMES} random games of Connect 5 in which there is one. And "
        f"otherwise: of {games} games against random moves it loses {lost}",
    )


def _greedy_against_random() -> tuple[int, int]:
    game, draw, lost = load_game("connect5"), random.Random(SEED), 0
    twin = CompiledListing(find("004-greedy"), Judge(book_evaluator(game, "fours")))
    for number in range(GAMES):
        position = opening(game, draw.getrandbits(64)).position(game)
        while position.outcome() is None:
            mine = position.to_move == number % 2
            move = twin.search(position, 1).move if mine else draw.choice(position.legal_moves())
            assert move is not None
            position = position.play(move)
        outcome = position.outcome()
        assert outcome is not None
        lost += outcome.winner == 1 - number % 2
    return lost, GAMES


@claim("deeper-is-better", "004", "a faster program is generally a better program: it looks another move ahead",
       "tabiya match alphabeta-failhard:3 alphabeta-failhard:2 --game reversi")  # fmt: skip
def _deeper() -> Verdict:
    told, better = [], []
    for name, deepest in (("reversi", 4), ("chess", 3)):
        for depth in range(2, deepest + 1):
            percent = _match(name, depth, depth - 1)
            better.append(percent > 50)
            told.append(f"{title(name)} {depth} against {depth - 1} plies: {percent:.0f} %")
    return judged(
        Word.TRUE,
        all(better),
        f"alpha-beta, {2 * PAIRS} games each from {PAIRS} openings with colours exchanged: {'; '.join(told)}",
    )


PAIRS = 20


def _match(name: str, one: int, other: int) -> float:
    game = load_game(name)
    twin = CompiledListing(find("alphabeta-failhard"), Judge(book_evaluator(game)))
    points = 0.0
    for pair, seat in itertools.product(range(PAIRS), (0, 1)):
        position = opening(game, SEED + pair).position(game)
        while position.outcome() is None:
            move = twin.search(position, one if position.to_move == seat else other).move
            position = position.play(move or position.legal_moves()[0])
        outcome = position.outcome()
        assert outcome is not None
        points += 0.5 if outcome.winner is None else outcome.winner == seat
    return 100 * points / (2 * PAIRS)
