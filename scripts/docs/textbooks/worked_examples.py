"""The worked examples of the texts, run."""

from __future__ import annotations

import functools
import itertools

from scripts.docs.textbooks.finding import Finding
from scripts.docs.textbooks.positions import board, leaf_evaluator, middle_games, reachable, sample, twin
from scripts.docs.textbooks.trees import numbers, recorded, windows
from tabiya.bots.textbook.board import Board
from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.examples import EXAMPLES
from tabiya.bots.textbook.node import Wins
from tabiya.bots.textbook.observers import Counter
from tabiya.bots.textbook.recording.drawing import number
from tabiya.bots.textbook.recording.recording import Recording
from tabiya.bots.textbook.run_listing import run_listing
from tabiya.bots.textbook.tree import Tree, parse_tree
from tabiya.games.perft import perft
from tabiya.games.position import Position
from tabiya.games.registry import load_game

KXG4 = "8/8/5k2/8/6r1/4RK2/8/8 w - - 0 1"
HEAPS_IN_002 = {(1, 2): 1, (2,): 1, (1, 1): -1, (1,): 1, (): -1}  # the values that are drawn
FOUR_HEAPS = tuple(itertools.product(range(8), repeat=4))


def _struck(recording: Recording, tree: Tree) -> list[int]:
    """The numbers of the nodes that were cut off, from left to right."""
    nodes = {node.number: node for node in tree.nodes()}
    cuts = ((nodes[number], recording.left(visit)) for visit, number in enumerate(numbers(recording)))
    return [node.play(move).number for node, moves in cuts for move in moves]


def _windows(recording: Recording) -> dict[int, tuple[int, int]]:
    """Alpha and beta by the number of the node."""
    return dict(zip(numbers(recording), windows(recording), strict=True))


def figure_000() -> Finding:
    tree, labels = EXAMPLES["000"].tree(), EXAMPLES["000"].labels
    seen = recorded("000-alphabeta", tree)
    order = " ".join(labels.get(number, f"#{number}") for number in numbers(seen))
    struck = " and ".join(labels[number] for number in _struck(seen, tree)[:2])
    return struck == "F and G" and _windows(seen)[4][0] == 6, {"order": order, "struck": struck}


def figure_000_mirrored() -> Finding:
    mirrored, tree = parse_tree("[[-6,-9],[[-4,2],null,null],[-5,-8]]", seat=1), EXAMPLES["000"].tree()
    seen, plain = recorded("000-alphabeta", mirrored), recorded("000-alphabeta", tree)
    same = numbers(seen) == numbers(plain) and _struck(seen, mirrored) == _struck(plain, tree)
    return same and seen.value[0] == -6, {"nodes": len(seen), "value": seen.value[0]}


def figure_001_windows() -> Finding:
    windows = _windows(recorded("001-alphabeta", EXAMPLES["001"].tree()))
    parts = (f"{node} [{number(alpha)}, {number(beta)}]" for node, (alpha, beta) in windows.items())
    parent_of = {child: 0 if child in (1, 5, 9) else 4 * ((child - 1) // 4) + 1 for child in windows if child}
    swapped = all(
        windows[parent][0] <= -windows[child][1] and windows[parent][1] == -windows[child][0]
        for child, parent in parent_of.items()
    )
    return swapped, {"told": ", ".join(parts)}


def figure_001() -> Finding:
    tree = EXAMPLES["001"].tree()
    everything, seen = (recorded(f"001-{name}", tree) for name in ("minimax", "alphabeta"))
    struck, last = _struck(seen, tree), {"last_of_all": numbers(everything)[-1], "last_seen": numbers(seen)[-1]}
    return struck == [11, 12], {"struck": struck} | last


def figure_001_sorted() -> Finding:
    trees = (EXAMPLES[name].tree() for name in ("001-sorted", "001", "001-worst"))
    counts = [run_listing(find("001-alphabeta"), tree, 2).leaves for tree in trees]
    return counts == [5, 7, 9], {"counts": counts}


class _KingFirst(Board):
    """The rook ending with Kxg4 tried first."""

    first = True

    def moves(self) -> list[str]:
        """The generator's order but for that move."""
        moves = [move for move in super().moves() if self.ply or move != "f3g4"]
        if self.ply:
            return moves
        return ["f3g4", *moves] if self.first else [*moves, "f3g4"]

    def rooted(self, horizon: int) -> _KingFirst:
        """Itself: the listings here count their depth."""
        return self


class _KingLast(_KingFirst):
    """The rook ending with Kxg4 tried last."""

    first = False


def kxg4() -> Finding:
    position = load_game("chess").parse(KXG4)
    material = leaf_evaluator(position.game, "material")
    first, last = (
        run_listing(find("alphabeta-failhard"), order(position, material), 2).leaves
        for order in (_KingFirst, _KingLast)
    )
    leaves = twin("minimax", position.game, "material").search(position, 2).leaves
    replies = [len(position.play(move).legal_moves()) for move in ("f3g4", "f3f2")]
    found = {"position": KXG4, "leaves": leaves, "first": first, "last": last}
    legal = {"replies": replies, "legal": len(position.legal_moves())}
    return (leaves, first, last, replies[0]) == (242, 16, 34, 3), found | legal


def figure_002() -> Finding:
    tree, labels = EXAMPLES["002"].tree(), EXAMPLES["002"].labels
    seen = recorded("002-maxab-minab", tree)
    called, struck = " ".join(labels[number] for number in numbers(seen)), labels[_struck(seen, tree)[0]]
    alpha = _windows(seen)[2][0]
    return alpha == 10 and struck == "T", {"called": called, "alpha": alpha, "struck": struck}


def nim_1_2() -> Finding:
    position = load_game("nim").start({"heaps": "1,2"})
    searcher = twin("002-negamax", position.game, wins=Wins.ONE)
    report, best = searcher.search(position, 9), searcher.best_moves(position, 9)
    after = [position.play(move).text().split()[0] for move in best]
    right = all(_wins(heaps, False) == (value == 1) for heaps, value in HEAPS_IN_002.items())
    found = {"value": report.value, "after": after[0], "nodes": report.nodes, "merged": _merged(position)}
    holds = right and (report.value, after, report.nodes, found["merged"]) == (1, ["1,1"], 12, 10)
    return holds, found | {"drawn": len(HEAPS_IN_002)}


def _merged(position: Position) -> int:
    """Nodes of the tree when moves that lead to the same heaps are drawn once."""
    children = {tuple(sorted(_heaps(child))): child for child in map(position.play, position.legal_moves())}
    return 1 + sum(_merged(child) for child in children.values())


def _heaps(position: Position) -> tuple[int, ...]:
    return tuple(heap for heap in map(int, position.text().split()[0].split(",")) if heap)


def xor() -> Finding:
    normal = misere = to_zero = 0
    for heaps in FOUR_HEAPS:
        is_won = _xor_of(heaps) != 0
        normal += _wins(heaps, False) == is_won
        misere += _wins(heaps, True) == (is_won == (max(heaps) > 1))
        to_zero += any(_xor_of(after) == 0 for after in _after(heaps)) == is_won
    found = {"normal": normal, "misere": misere, "to_zero": to_zero}
    return set(found.values()) == {len(FOUR_HEAPS)}, {"positions": len(FOUR_HEAPS)} | found


def _xor_of(heaps: tuple[int, ...]) -> int:
    return functools.reduce(int.__xor__, heaps)


@functools.cache
def _wins(heaps: tuple[int, ...], misere: bool) -> bool:
    """Whether the side to move wins, from the values of all positions after its moves."""
    if not any(heaps):
        return misere
    return any(not _wins(tuple(sorted(position)), misere) for position in _after(heaps))


def _after(heaps: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The heaps after each move."""
    return [
        (*heaps[:at], heap - take, *heaps[at + 1 :]) for at, heap in enumerate(heaps) for take in range(1, heap + 1)
    ]


def figure_004() -> Finding:
    tree = EXAMPLES["004"].tree()
    by_number = {node.number: node.value for node in tree.nodes()}
    struck = [by_number[number] for number in _struck(recorded("004-alphabeta-printed", tree), tree)]
    value = find("004-minimax").search(tree, 2)
    return struck == [5, 4, 2, 1], {"struck": ", ".join(map(str, struck)), "value": value}


def tictactoe() -> Finding:
    start = load_game("tictactoe").start()
    searcher, positions = twin("004-minimax", start.game, wins=Wins.ONE), reachable(start)
    open_ones = [position for position in positions if position.outcome() is None]
    agree = sum(searcher.best_moves(position, 9) == _best_by_definition(position) for position in open_ones)
    found = {"positions": len(positions), "open": len(open_ones), "agree": agree}
    holds = agree == len(open_ones) and searcher.search(start, 9).value == 0
    return holds, found | {"best": len(searcher.best_moves(start, 9))}


@functools.cache
def _result(cells: str, mover: str) -> int:
    """The value for the mover, from the definition alone."""
    lines = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
    if any(cells[a] == cells[b] == cells[c] != "-" for a, b, c in lines):
        return -1
    other = "O" if mover == "X" else "X"
    after = [cells[:at] + mover + cells[at + 1 :] for at, cell in enumerate(cells) if cell == "-"]
    return max((-_result(position, other) for position in after), default=0)


def _best_by_definition(position: Position) -> tuple[str, ...]:
    values = {}
    for move in position.legal_moves():
        cells, mover = position.play(move).text().split()[1:]
        values[move] = -_result(cells, mover)
    return tuple(move for move, value in values.items() if value == max(values.values()))


def branching() -> Finding:
    positions, start = middle_games(), load_game("chess").start()
    counts = [sum(perft(position, depth) for position in positions) / len(positions) for depth in (1, 2, 3, 4)]
    of_start = ", ".join(f"{perft(start, depth):,}" for depth in (1, 2, 3, 4))
    holds = all(
        0.5 < count / published < 2 for count, published in zip(counts, (35, 1_000, 42_000, 1_500_000), strict=True)
    )
    means = ", ".join(f"{count:,.0f}" for count in counts)
    return holds, {"positions": len(positions), "means": means, "of_start": of_start}


def evaluate_each_move() -> Finding:
    same = calls = 0
    for position in sample("reversi", 20):
        counter, node = Counter(), board(position)
        value = find("003-minmax").search(node, 1, observer=counter)
        same += value == max(-node.play(move).eval() for move in position.legal_moves())
        calls += counter.leaves == len(position.legal_moves())
    return same == calls == 20, {"same": same, "calls": calls}
