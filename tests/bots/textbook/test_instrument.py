from __future__ import annotations

from collections.abc import Sequence

import pytest

from tabiya.bots.textbook.catalogue import LISTINGS, Horizon, Listing, find
from tabiya.bots.textbook.instrument import CallNotifier, CompositeObserver, copied
from tabiya.bots.textbook.node import INFINITY, Node
from tabiya.bots.textbook.observers import Counter, Line, TooBig
from tabiya.bots.textbook.text_000 import negamax_alphabeta
from tabiya.bots.textbook.tree import parse_tree


class Diary:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def enter(self, node: Node, alpha: int, beta: int) -> None:
        self.lines.append(f"enter {node.move or 'root'} {alpha} {beta}")

    def leave(self, node: Node, value: int) -> None:
        self.lines.append(f"leave {node.move or 'root'} {value}")

    def cut(self, node: Node, move: str, left: Sequence[str]) -> None:
        self.lines.append(f"cut {node.move or 'root'} by {move} left {' '.join(left)}")


TREE = "[[4],[3,9]]"
STORY = [
    "enter root -1000000 1000000",
    "enter 1 -1000000 1000000",
    "enter 1 -1000000 1000000",
    "leave 1 4",
    "leave 1 4",
    "enter 2 4 1000000",
    "enter 1 4 1000000",
    "leave 1 3",
    "cut 2 by 1 left 2",
    "leave 2 3",
    "leave root 4",
]


def test_an_observer_gets_the_windows_the_values_and_the_cut_offs_in_order() -> None:
    diary = Diary()
    assert find("000-alphabeta").search(parse_tree(TREE), 2, observer=diary) == 4
    assert diary.lines == STORY


def test_several_observers_get_every_call() -> None:
    first, second = Diary(), Diary()
    find("000-alphabeta").search(parse_tree(TREE), 2, observer=CompositeObserver([first, second]))
    assert first.lines == second.lines == STORY


def test_a_listing_without_a_window_is_watched_with_the_full_one() -> None:
    diary = Diary()
    find("002-negamax").search(parse_tree("[3]"), 1, observer=diary)
    assert diary.lines == ["enter root -1000000 1000000", "enter 1 -1000000 1000000", "leave 1 -3", "leave root 3"]


def test_the_listing_itself_stays_as_printed() -> None:
    function, code = negamax_alphabeta.NegaMax, negamax_alphabeta.NegaMax.__code__
    copied(negamax_alphabeta, ("NegaMax",), CallNotifier(Diary()).wrap)
    assert negamax_alphabeta.NegaMax is function
    assert function.__code__ is code


def test_an_unwatched_search_calls_nothing_but_the_listing(monkeypatch: pytest.MonkeyPatch) -> None:
    def reported(*arguments: object) -> None:
        raise AssertionError("an unwatched search tells nobody")

    monkeypatch.setattr("tabiya.bots.textbook.instrument.CallNotifier.wrap", reported)
    assert find("000-alphabeta").search(parse_tree(TREE), 2) == 4


@pytest.mark.parametrize("listing", LISTINGS, ids=lambda listing: listing.name)
def test_every_listing_tells_of_each_node_once(listing: Listing) -> None:
    diary = Diary()
    listing.search(parse_tree("[7]"), 1, observer=diary)
    entered = [line.split()[1] for line in diary.lines if line.startswith("enter")]
    assert entered == (["root"] if listing.looks is Horizon.AT_MOVES else ["root", "1"])


def test_too_many_nodes_end_the_search() -> None:
    tree = parse_tree("[[1,2],[3,4]]")
    counter = Counter(limit=7)
    find("minimax").search(tree, 2, observer=counter)
    assert counter.nodes == 7
    with pytest.raises(TooBig, match="more than 6 nodes"):
        find("minimax").search(tree, 2, observer=Counter(limit=6))


def test_a_counter_tells_leaves_cuts_and_researches_apart() -> None:
    counter = Counter()
    find("001-alphabetapvs").search(parse_tree("[[5,6],[7,8],[1,9,9]]"), 2, observer=counter)
    assert (counter.nodes, counter.leaves, counter.cuts, counter.unseen, counter.researches) == (12, 7, 1, 2, 1)


def test_the_line_forgets_what_a_null_window_only_suggested() -> None:
    line = Line(of_mover=True)
    find("001-alphabetapvs").search(parse_tree("[[5,6],[7,8]]"), 2, observer=line)
    assert line.line == ("2", "1")


def test_where_every_move_loses_everything_there_is_no_line() -> None:
    for name in ("000-minimax", "000-negamax", "000-alphabeta", "001-alphabeta"):
        listing = find(name)
        line = Line(listing.of_mover)
        tree = parse_tree("[1,1]")
        tree.children[0].value = tree.children[1].value = -INFINITY
        assert listing.search(tree, 1, observer=line) == -INFINITY
        assert line.line == ()
