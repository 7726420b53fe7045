"""A recorded search against what was told while it ran: every step, every count, for all listings and games."""

from __future__ import annotations

import json
import random
import zlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from tabiya.bots.textbook.board import Board
from tabiya.bots.textbook.catalogue import LISTINGS, Listing, find
from tabiya.bots.textbook.examples import EXAMPLES
from tabiya.bots.textbook.node import INFINITY, Node, Wins
from tabiya.bots.textbook.observers import Counter
from tabiya.bots.textbook.random_trees import random_tree
from tabiya.bots.textbook.recording.recording import COLUMNS, Recorder, Recording, Step, Stopped
from tabiya.bots.textbook.run_listing import run_listing
from tabiya.bots.textbook.tree import parse_tree
from tests.bots.textbook.boards import DEPTHS, leaf_evaluator_for, positions
from tests.bots.textbook.trees import SEARCHING, even_trees


@dataclass(slots=True)
class Told:
    """An observer that writes down each step as it is told, with the counts by then, kept in the plainest way."""

    steps: list[Step] = field(default_factory=list)
    counts: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    counter: Counter = field(default_factory=Counter)
    values: dict[int, int] = field(default_factory=dict)
    visits: int = 0
    open: list[int] = field(default_factory=list)

    def enter(self, node: Node, alpha: int, beta: int) -> None:
        self.counter.enter(node, alpha, beta)
        self.open.append(self.visits)
        self._note(Step(self.visits, False))
        self.visits += 1

    def leave(self, node: Node, value: int) -> None:
        self.counter.leave(node, value)
        self.values[self.open[-1]] = value
        self._note(Step(self.open.pop(), True))

    def cut(self, node: Node, move: str, left: Sequence[str]) -> None:
        self.counter.cut(node, move, left)

    def _note(self, step: Step) -> None:
        counter = self.counter
        self.steps.append(step)
        self.counts.append((counter.nodes, counter.leaves, counter.cuts, counter.unseen, counter.researches))


def recorded(listing: Listing, node: Node, depth: int) -> tuple[Recording, Told]:
    reported, recorder = Told(), Recorder()
    run_listing(listing, node, depth, observers=[recorder, reported])
    return recorder.recording(of_mover=listing.of_mover), reported


def assert_equal_steps(recording: Recording, reported: Told, every: int = 1) -> None:
    assert recording.steps == len(reported.steps)
    for step in [*range(0, recording.steps, every), recording.steps - 1]:
        assert recording.at(step) == reported.steps[step]
        assert recording.counts(step) == reported.counts[step]
        visit, is_end = reported.steps[step]
        assert (recording.finished if is_end else recording.entered)(visit) == step
    assert list(recording.value) == [reported.values[visit] for visit in range(len(recording))]


@pytest.mark.parametrize("name", DEPTHS)
@pytest.mark.parametrize("listing", LISTINGS, ids=lambda listing: listing.name)
def test_steps_and_counts_are_those_of_an_observer(listing: Listing, name: str) -> None:
    wins = Wins.ONE if listing.precludes else Wins.SOONER
    for position in positions(name)[:2]:
        board = Board(position, leaf_evaluator_for(name, wins=wins, near=name == "connect5"))
        recording, reported = recorded(listing, board, min(2, DEPTHS[name]))
        assert_equal_steps(recording, reported, every=1 + recording.steps // 40)


@pytest.mark.parametrize("listing", SEARCHING, ids=lambda listing: listing.name)
def test_every_step_of_a_drawn_tree_is_right(listing: Listing) -> None:
    for tree in even_trees(6, most=1):
        recording, reported = recorded(listing, tree, tree.height())
        assert_equal_steps(recording, reported)


def test_a_visit_has_its_moves_its_way_and_what_is_below_it() -> None:
    recording, _ = recorded(find("000-alphabeta"), EXAMPLES["000"].tree(), 3)
    assert list(recording.columns["number"]) == [0, 1, 2, 3, 4, 5, 6, 7, 10, 11]
    assert list(recording.below(0)) == [1, 4, 8]
    assert recording.path(7) == [0, 4, 5, 7]
    assert recording.left(4) == ["2", "3"]
    assert recording.left(8) == ["2"]
    assert recording.move_of(5) == "1"
    assert recording.seen_by(4) == (6, INFINITY, 4)
    assert recording.seen_by(4, mover=True) == (-INFINITY, -6, -4)


def test_a_move_that_is_searched_again_is_known_as_such() -> None:
    recording, _ = recorded(find("001-alphabetapvs"), parse_tree("[[5,6],[7,8]]"), 2)
    assert [visit for visit in range(len(recording)) if recording.is_again(visit)] == [7]
    assert (recording.move_of(4), recording.move_of(7), list(recording.below(0))) == ("2", "2", [1, 4, 7])


def test_the_bytes_for_a_page_hold_every_column() -> None:
    recording, _ = recorded(find("alphabeta-failhard"), EXAMPLES["001"].tree(), 2)
    line, _, columns = recording.packed({"depth": 2}).partition(b"\n")
    head, data, at = json.loads(line), zlib.decompress(columns), 0
    assert (head["depth"], head["visits"], head["of_mover"]) == (2, 11, True)
    for name, kind, length in head["columns"]:
        assert kind == COLUMNS[name][1]
        column = array(COLUMNS[name][0])
        assert at % column.itemsize == 0  # JavaScript refuses other places
        column.frombytes(data[at : at + length * column.itemsize])
        assert column == recording.columns[name]
        at += length * column.itemsize
    assert at == len(data)


def test_a_search_ends_soon_after_it_is_no_longer_wanted() -> None:
    seen: list[int] = []

    def go_on(visits: int) -> bool:
        seen.append(visits)
        return visits < 2000

    tree = random_tree(random.Random(1), 4, 6)
    with pytest.raises(Stopped):
        find("minimax").search(tree, 6, observer=Recorder(go_on))
    assert seen == [0, 1024, 2048]


def test_a_step_that_is_not_there_is_an_error() -> None:
    recording, _ = recorded(find("minimax"), EXAMPLES["002"].tree().play("1"), 1)
    with pytest.raises(IndexError, match="steps 0 to 1, not 2"):
        recording.at(2)
