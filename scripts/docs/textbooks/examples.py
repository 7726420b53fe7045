"""The worked examples of the texts, run."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from scripts.docs.textbooks.judged import Verdict, example, reproduced
from tabiya.bots.textbook.board import Board, Judge, Wins
from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.compiled.searcher import CompiledListing
from tabiya.bots.textbook.drawing import number
from tabiya.bots.textbook.evaluations.index import book_evaluator
from tabiya.bots.textbook.examples import EXAMPLES
from tabiya.bots.textbook.node import Node
from tabiya.bots.textbook.observers import Counter
from tabiya.bots.textbook.run_listing import run_listing
from tabiya.bots.textbook.tree import Tree, parse_tree
from tabiya.games.position import Position
from tabiya.games.registry import load_game

KXG4 = "8/8/5k2/8/6r1/4RK2/8/8 w - - 0 1"


class Visits:
    """Writes down the numbers of the nodes of a drawn tree, and what was cut."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.windows: dict[int, tuple[int, int]] = {}
        self.left: list[int] = []

    def enter(self, node: Node, alpha: int, beta: int) -> None:
        """Note number and window."""
        assert isinstance(node, Tree)
        self.numbers.append(node.number)
        self.windows[node.number] = (alpha, beta)

    def leave(self, node: Node, value: int) -> None:
        """Nothing to note."""

    def cut(self, node: Node, move: str, left: Sequence[str]) -> None:
        """Note what was not looked at."""
        assert isinstance(node, Tree)
        self.left += [node.play(other).number for other in left]


def visits(name: str, listing: str) -> Visits:
    """What a listing visits in a drawn tree."""
    tree, seen = EXAMPLES[name].tree(), Visits()
    find(listing).search(tree, tree.height(), observer=seen)
    return seen


@example("figure-000", "000", "B = min(6, 9) = 6, E = max(4, -2) = 4, so C <= 4; F and G are never visited",
         "tabiya analyse --tree 000 -a 000-alphabeta --trace")  # fmt: skip
def _figure_000() -> Verdict:
    seen, labels = visits("000", "000-alphabeta"), EXAMPLES["000"].labels
    order = " ".join(labels.get(number, f"#{number}") for number in seen.numbers)
    struck = " and ".join(labels[number] for number in seen.left[:2])
    return reproduced(
        struck == "F and G" and seen.windows[4][0] == 6,
        f"visited {order}; C with the window [6, inf]; {struck} struck out",
    )


@example("figure-000-mirrored", "000", "the same thing can happen if A is a minimizer",
         "tabiya analyse --tree '[[-6,-9],[[-4,2],null,null],[-5,-8]]' --min -a 000-alphabeta --trace")  # fmt: skip
def _mirrored() -> Verdict:
    tree, seen, plain = (
        parse_tree("[[-6,-9],[[-4,2],null,null],[-5,-8]]", seat=1),
        Visits(),
        visits("000", "000-alphabeta"),
    )
    value = find("000-alphabeta").search(tree, 3, observer=seen)
    return reproduced(
        seen.numbers == plain.numbers and seen.left == plain.left and -value == -6,
        f"all values with the other sign and Min to move: the same {len(seen.numbers)} nodes are visited, F and G are "
        f"struck out, and A is {-value} for Max",
    )


@example("figure-001-windows", "001", "step by step alpha and beta, from the view of the side to move at each node",
         "tabiya analyse --tree 001 -a 001-alphabeta --trace --view mover")  # fmt: skip
def _figure_001_windows() -> Verdict:
    seen = visits("001", "001-alphabeta")
    told = [f"{node} [{number(alpha)}, {number(beta)}]" for node, (alpha, beta) in seen.windows.items()]
    swapped = all(
        seen.windows[parent][0] <= -seen.windows[child][1] and seen.windows[parent][1] == -seen.windows[child][0]
        for parent in (0, 1, 5, 9)
        for child in seen.numbers
        if child in ((1, 5, 9) if parent == 0 else range(parent + 1, parent + 4))
    )
    return reproduced(
        swapped,
        f"node by node: {', '.join(told)}; a child's window is its parent's at that moment, negated and swapped",
    )


@example("figure-001", "001", "after node 10, worth -3, nodes 11 and 12 are skipped",
         "tabiya analyse --tree 001 -a 001-minimax,001-alphabeta --trace")  # fmt: skip
def _figure_001() -> Verdict:
    seen, everything = visits("001", "001-alphabeta"), visits("001", "001-minimax")
    return reproduced(
        seen.left == [11, 12],
        f"minimax visits nodes 0 to {everything.numbers[-1]} in the order of their numbers, alpha-beta 0 to "
        f"{seen.numbers[-1]}; {seen.left[0]} and {seen.left[1]} are struck out",
    )


@example("figure-001-sorted", "001", "perfectly sorted, the same tree has the most cut-offs; in the worst order none",
         "tabiya analyse --tree 001 -a 001-alphabeta --order perfect --trace")  # fmt: skip
def _figure_001_sorted() -> Verdict:
    counts = [
        run_listing(find("001-alphabeta"), EXAMPLES[name].tree(), 2).leaves
        for name in ("001-sorted", "001", "001-worst")
    ]
    return reproduced(
        counts == [5, 7, 9],
        f"{counts[0]} leaves sorted (3 + 3 - 1), {counts[1]} as drawn, {counts[2]} of 9 worst first",
    )


@example("kxg4", "001", "two plies of a rook ending have 242 leaves; Kxg4 first, and one reply refutes each other move",
         f'tabiya analyse chess -p "{KXG4}" -d 2 --evaluation material --order captures')  # fmt: skip
def _kxg4() -> Verdict:
    first, last = (_kxg4_leaves(is_first) for is_first in (True, False))
    position = load_game("chess").parse(KXG4)
    leaves = (
        CompiledListing(find("minimax"), Judge(book_evaluator(position.game, "material"))).search(position, 2).leaves
    )
    replies = [len(position.play(move).legal_moves()) for move in ("f3g4", "f3f2")]
    return reproduced(
        (leaves, first, last, replies[0]) == (242, 16, 34, 3),
        f"in the reconstruction `{KXG4}` (the text shows a picture): {leaves} leaves, {replies[0]} replies to Kxg4; "
        f"alpha-beta with the material count visits {first} leaves with Kxg4 first and {last} with it last. The text's "
        f"18 and 22 moves are pseudo-legal counts: {len(position.legal_moves())} and {replies[1]} are legal",
    )


class _KingFirst(Board):
    """The rook ending with Kxg4 tried first, or last."""

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
    first = False


def _kxg4_leaves(first: bool) -> int:
    position = load_game("chess").parse(KXG4)
    judge = Judge(book_evaluator(position.game, "material"))
    return run_listing(find("alphabeta-failhard"), (_KingFirst if first else _KingLast)(position, judge), 2).leaves


@example("figure-002", "002", "Q = 10, R is searched with [10, inf], S returns X <= 10, T is never called",
         "tabiya analyse --tree 002 -a 002-maxab-minab --trace")  # fmt: skip
def _figure_002() -> Verdict:
    seen, labels = visits("002", "002-maxab-minab"), EXAMPLES["002"].labels
    return reproduced(
        seen.windows[2][0] == 10 and labels[seen.left[0]] == "T",
        f"called {' '.join(labels[number] for number in seen.numbers)}; R and S with [{seen.windows[2][0]}, inf]; "
        f"{labels[seen.left[0]]} struck out",
    )


@example("nim-1-2", "002", "Nim (1, 2) is won for the side to move, and only by moving to (1, 1)",
         "tabiya analyse nim -o heaps=1,2 -d 3 -a 002-negamax --wins one --trace")  # fmt: skip
def _nim_1_2() -> Verdict:
    position = load_game("nim").start({"heaps": "1,2"})
    judge = Judge(book_evaluator(position.game), wins=Wins.ONE)
    twin = CompiledListing(find("002-negamax"), judge)
    report, best = twin.search(position, 9), twin.best_moves(position, 9)
    after = [position.play(move).text().split()[0] for move in best]
    return reproduced(
        (report.value, after, report.nodes, _merged(position)) == (1, ["1,1"], 12, 10)
        and all(_wins(tuple(heaps), False) == (value == 1) for heaps, value in DRAWN_IN_002.items()),
        f"value {report.value:+d}, the only winning move leaves ({after[0]}); {report.nodes} nodes with heaps told "
        f"apart, {_merged(position)} as drawn, where equal heaps are one; "
        f"all {len(DRAWN_IN_002)} different positions have the value that is drawn",
    )


DRAWN_IN_002 = {(1, 2): 1, (2,): 1, (1, 1): -1, (1,): 1, (): -1}


def _merged(position: Position) -> int:
    """Nodes of the tree when moves that lead to the same heaps are drawn once."""
    children = {tuple(sorted(_heaps(child))): child for child in map(position.play, position.legal_moves())}
    return 1 + sum(_merged(child) for child in children.values())


def _heaps(position: Position) -> tuple[int, ...]:
    return tuple(heap for heap in map(int, position.text().split()[0].split(",")) if heap)


@example("xor", "002", "a position of Nim is lost exactly if the XOR of its heaps is 0: can you prove this?")
def _xor() -> Verdict:
    normal = sum((_wins(heaps, False)) == (_xor_of(heaps) != 0) for heaps in _all_heaps())
    misere = sum((_wins(heaps, True)) == ((_xor_of(heaps) != 0) == (max(heaps) > 1)) for heaps in _all_heaps())
    to_zero = sum(
        any(_xor_of(after) == 0 for after in _after(heaps)) == (_xor_of(heaps) != 0) for heaps in _all_heaps()
    )
    return reproduced(
        normal == misere == to_zero == len(_all_heaps()),
        f"by retrograde values of all {len(_all_heaps())} positions of four heaps of up to seven: the rule names the "
        f"winner in {normal} in normal play; in misère play, turned round where no heap is above one, "
        f"in {misere}. The step of the proof: some move leads to XOR 0 exactly if the XOR is not 0, in {to_zero}",
    )


@functools.cache
def _all_heaps() -> tuple[tuple[int, ...], ...]:
    return tuple((a, b, c, d) for a in range(8) for b in range(8) for c in range(8) for d in range(8))


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


@example("figure-004", "004", "7 against {6, 5, 4} and {3, 2, 1}: 5 and 4, 2 and 1 need not be looked at",
         "tabiya analyse --tree 004 -a 004-minimax,004-alphabeta-printed --trace")  # fmt: skip
def _figure_004() -> Verdict:
    tree = EXAMPLES["004"].tree()
    by_number = {child.number: child.value for inner in tree.children for child in inner.children}
    struck = [str(by_number[number]) for number in visits("004", "004-alphabeta-printed").left]
    return reproduced(
        struck == ["5", "4", "2", "1"], f"struck out: {', '.join(struck)}; value {find('004-minimax').search(tree, 2)}"
    )


@example("tictactoe", "000, 003, 004", "tic-tac-toe can be solved from every position, with all best moves",
         "tabiya analyse tictactoe -d 9 -a 004-minimax --wins one")  # fmt: skip
def _tictactoe() -> Verdict:
    game = load_game("tictactoe")
    twin = CompiledListing(find("004-minimax"), Judge(book_evaluator(game), wins=Wins.ONE))
    positions = {position.text(): position for position in _reachable(game.start())}
    open_ones = [position for position in positions.values() if position.outcome() is None]
    agree = sum(twin.best_moves(position, 9) == _best_by_definition(position) for position in open_ones)
    best = len(twin.best_moves(game.start(), 9))
    return reproduced(
        agree == len(open_ones) and twin.search(game.start(), 9).value == 0,
        f"{len(positions):,} positions, {len(open_ones):,} of them open: all best moves agree with the definition in "
        f"{agree:,}; the start is a draw, and {best} of 9 first moves keep it",
    )


def _reachable(start: Position) -> list[Position]:
    seen, found, waiting = {start.text()}, [start], [start]
    while waiting:
        at = waiting.pop()
        if at.outcome() is None:
            for child in map(at.play, at.legal_moves()):
                if child.text() not in seen:
                    seen.add(child.text())
                    found.append(child)
                    waiting.append(child)
    return found


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


@example("branching", "003", "chess has about 35, 1,000, 42,000 and 1.5 million positions at 1 to 4 plies")
def _branching() -> Verdict:
    from scripts.docs.textbooks.positions import middle_games
    from tabiya.games.perft import perft

    positions = middle_games()
    counts = [sum(perft(position, depth) for position in positions) / len(positions) for depth in (1, 2, 3, 4)]
    start = [perft(load_game("chess").start(), depth) for depth in (1, 2, 3, 4)]
    return reproduced(
        all(0.5 < count / said < 2 for count, said in zip(counts, (35, 1_000, 42_000, 1_500_000), strict=True)),
        f"means over {len(positions)} middle-game positions (Win at Chess, 26 men or more): "
        f"{', '.join(f'{count:,.0f}' for count in counts)}; the start has {', '.join(f'{count:,}' for count in start)}",
    )


@example("evaluate-each-move", "003", "MinMax(1) is no more than calling Evaluate after each legal move",
         "tabiya analyse reversi -d 1 -a 003-minmax --trace --as-printed")  # fmt: skip
def _evaluate_each_move() -> Verdict:
    from scripts.docs.textbooks.positions import sample

    same = calls = 0
    for position in sample("reversi", 20):
        judge, counter = Judge(book_evaluator(position.game)), Counter()
        value = find("003-minmax").search(Board(position, judge), 1, observer=counter)
        same += value == max(-Board(position, judge).play(move).eval() for move in position.legal_moves())
        calls += counter.leaves == len(position.legal_moves())
    return reproduced(
        same == calls == 20, f"the same value in {same} of 20 positions of reversi, one Evaluate a move in {calls}"
    )
