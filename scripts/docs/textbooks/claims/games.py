"""Claims judged on positions of the games: node counts, the same on every machine."""

from __future__ import annotations

from statistics import mean

from scripts.docs.textbooks.finding import Finding
from scripts.docs.textbooks.positions import board, leaf_evaluator, nodes, reports, sample, sixteen, twin
from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.node import INFINITY, Wins
from tabiya.bots.textbook.observers import TooBig
from tabiya.bots.textbook.order import Guess, Sorting
from tabiya.bots.textbook.run_listing import PLAIN_SETUP, SearchSetup, best_moves, run_listing
from tabiya.games.registry import load_game, title

BY_EVALUATION = SearchSetup(Guess.EVALUATION)
PLIES = {"reversi": 6, "chess": 4}  # of alpha-beta that count quickly
PLIES_OF_MINIMAX = PLIES | {"tictactoe": 7, "nim": 7}
LOST = "3x3x3 XO-OX-X-- O"
STALEMATE = "7k/8/6K1/8/8/8/5Q2/8 w - - 0 1"
DEFENDED_PAWN = "4k3/8/2p5/3p4/8/8/8/3QK3 w - - 0 1"


def orders_of_magnitude() -> Finding:
    parts, ratios = [], []
    for name, depth in PLIES_OF_MINIMAX.items():
        values = [[report.value for report in reports(name, form, depth)] for form in ("minimax", "alphabeta-failhard")]
        assert values[0] == values[1]
        whole, cut = nodes(name, "minimax", depth), nodes(name, "alphabeta-failhard", depth)
        ratios.append(whole / cut)
        parts.append(f"{title(name)}, {depth} plies: {whole:,} against {cut:,} nodes, {whole / cut:.1f} times fewer")
    return min(ratios) < 10 < max(ratios), {"told": "; ".join(parts)}


def extra_levels() -> Finding:
    parts, extra = [], []
    for name, depth in (("reversi", 5), ("chess", 3)):
        budget = nodes(name, "minimax", depth)
        for setup, words in ((PLAIN_SETUP, "unordered"), (BY_EVALUATION, "ordered by evaluation")):
            deepest = depth
            while deepest < depth + 6 and _within(name, deepest + 1, setup, budget):
                deepest += 1
            extra.append(deepest - depth)
            parts.append(f"{title(name)} {words}: {deepest}")
    return min(extra) < 2 <= max(extra), {"told": "; ".join(parts)}


def _within(name: str, depth: int, setup: SearchSetup, budget: int) -> bool:
    """Whether alpha-beta searches the sixteen positions with at most so many nodes."""
    searcher = twin("alphabeta-failhard", load_game(name), setup=setup)
    try:
        for position in sixteen(name):
            budget -= searcher.search(position, depth, limit=budget).nodes
    except TooBig:
        return False
    return budget >= 0


def best_three_to_five() -> Finding:
    parts, share = [], []
    for name, depth in PLIES.items():
        setups = {best: SearchSetup(Guess.EVALUATION, Sorting(best)) for best in (1, 2, 3, 5, 0)}
        counts = {best: nodes(name, "alphabeta-failhard", depth, setup) for best, setup in setups.items()}
        none = nodes(name, "alphabeta-failhard", depth)
        share.append((none - counts[3]) / (none - counts[0]))
        by_sorted = ", ".join(f"{best or 'all'} {count:,}" for best, count in counts.items())
        parts.append(f"{title(name)}, {depth} plies: none {none:,}, {by_sorted}")
    return min(share) > 0.8, {"told": "; ".join(parts), "least": min(share), "most": max(share)}


def orders() -> Finding:
    parts, better = [], True
    for name, depth in PLIES.items():
        counts = {guess: nodes(name, "alphabeta-failhard", depth, SearchSetup(guess)) for guess in Guess}
        better &= counts[Guess.EVALUATION] < counts[Guess.NONE] > counts[Guess.KILLER]
        parts.append(f"{title(name)}, {depth} plies: " + ", ".join(f"{g} {c:,}" for g, c in counts.items()))
    return better, {"told": "; ".join(parts)}


def pvs_in_games() -> Finding:
    parts, gains = [], []
    for name, depth in PLIES.items():
        for setup, words in ((PLAIN_SETUP, "unordered"), (BY_EVALUATION, "by evaluation")):
            plain, pvs = nodes(name, "alphabeta-failhard", depth, setup), nodes(name, "pvs-failhard", depth, setup)
            again = sum(report.researches for report in reports(name, "pvs-failhard", depth, setup))
            gains.append(1 - pvs / plain)
            parts.append(f"{title(name)} {words} {plain:,} / {pvs:,} ({again:,})")
    return min(gains) < 0, {"told": "; ".join(parts)}


def grain() -> Finding:
    found = {grain: _with_grain(grain) for grain in (1, 10, 50, 200)}
    counts, losses = zip(*found.values(), strict=True)
    parts = (f"by {grain}: {count:,} nodes, {loss:.0f} lost" for grain, (count, loss) in found.items())
    holds = list(counts) == sorted(counts, reverse=True) and losses[0] == 0 < losses[-1]
    return holds, {"told": "; ".join(parts)}


def _with_grain(grain: int) -> tuple[int, float]:
    """Nodes of 5 plies of reversi, and how much the move is worse on the average by the undivided evaluation."""
    game, depth = load_game("reversi"), 5
    coarse, fine = twin("alphabeta-failhard", game, grain=grain), twin("minimax", game)
    count, losses = 0, []
    for position in sixteen("reversi"):
        report = coarse.search(position, depth)
        count += report.nodes
        assert report.move is not None
        child = position.play(report.move)
        if child.outcome() is None:
            losses.append(fine.search(position, depth).value + fine.search(child, depth - 1).value)
    return count, mean(losses)


def towards_zero() -> Finding:
    floored = rounded = 0
    coarse = leaf_evaluator(load_game("reversi"), grain=10).coarse
    for position in sixteen("reversi"):
        for move in position.legal_moves():
            value = board(position).play(move).eval()
            floored += -(value // 10) != -value // 10
            rounded += -coarse(value) != coarse(-value)
    return rounded == 0 < floored, {"floored": floored, "rounded": rounded}


def greedy_queen() -> Finding:
    position = load_game("chess").parse(DEFENDED_PAWN)
    greedy, minimax = (twin(name, position.game, "material") for name in ("000-greedy", "minimax"))
    move = greedy.search(position, 1).move
    before, reply = (minimax.search(position.play(move), 1) for move in ("e1e2", "d1d5"))
    holds = move == "d1d5" and "d1d5" not in minimax.best_moves(position, 2)
    pawns = {"ahead": -before.value // 100, "behind": reply.value // 100}
    return holds, {"position": DEFENDED_PAWN, "greedy": move, "reply": reply.move} | pawns


def horizon() -> Finding:
    position = load_game("chess").parse(DEFENDED_PAWN)
    errs, quiet = (
        [
            twin("alphabeta-failhard", position.game, "material", quiescence=quiescence).search(position, plies).value
            for plies in (1, 2, 3, 4, 5)
        ]
        for quiescence in (False, True)
    )
    holds = errs[0] > quiet[0] and max(quiet) == min(quiet) and errs[2] > errs[1]
    return holds, {"errs": ", ".join(map(str, errs)), "quiet": ", ".join(map(str, quiet))}


def lost_and_no_move() -> Finding:
    position = load_game("tictactoe").parse(LOST)
    infinite, sooner = (
        twin("000-negamax", position.game, wins=wins).search(position, 4) for wins in (Wins.INFINITE, Wins.SOONER)
    )
    holds = infinite.move is None and sooner.move is not None and infinite.value == -INFINITY
    return holds, {"position": LOST, "sooner": sooner.move}


def no_moves_is_lost() -> Finding:
    position, values, best = load_game("chess").parse(STALEMATE), {}, {}
    for name in ("000-negamax", "001-minimax", "003-negamax"):
        searcher = twin(name, position.game)
        values[name] = -searcher.search(position.play("f2f7"), 1).value
        best[name] = searcher.best_moves(position, 2)
    misled = values["001-minimax"] == values["003-negamax"] == INFINITY and "f2f7" in best["001-minimax"]
    return misled and values["000-negamax"] == 0 and "f2f7" not in best["000-negamax"], {"position": STALEMATE}


def changes_of_a_move() -> Finding:
    same, positions = 0, sample("connect5", 30, 20)
    for position in positions:
        by_changes, by_boards = (
            set(best_moves(find(name), board(position, "fours"), 1)) for name in ("004-greedy", "000-greedy")
        )
        wins_at_once = all(position.play(move).outcome() is not None for move in by_changes)
        same += by_changes == by_boards or wins_at_once
    report = run_listing(find("004-greedy"), board(positions[0], "fours"), 1)
    boards = {"looked_at": report.nodes, "instead_of": len(positions[0].legal_moves()) + 1}
    return same == len(positions), {"same": same, "positions": len(positions)} | boards
