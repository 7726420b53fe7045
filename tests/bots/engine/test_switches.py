"""What the switches do: each changes the tree, keeps tactics that it must not miss, and saves what it promises."""

from __future__ import annotations

import functools
from dataclasses import replace

import pytest

from tabiya.bots.engine.engine import Engine
from tabiya.bots.engine.options import ENGINE, NAMES, PLAIN, Options
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.scores import MATE
from tabiya.games.position import Position
from tabiya.games.registry import load_game

pytestmark = pytest.mark.slow
MIDDLEGAMES = (
    "r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9",
    "r2q1rk1/1b2bppp/p1n1pn2/1pp5/3P4/1BN1PN2/PP2QPPP/R1BR2K1 w - - 2 12",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
)
UNSEEN = (
    "priorities",
    "endings",
    "exact_depth",
    "mate_distance",
    "patience",
)  # others need the first; here nothing is seen of the rest
TACTICS = (  # from Win at Chess (Reinfeld): the position, its best move, nodes that show it
    ("2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1", "g3g6", 600_000),
    ("5rk1/1ppb3p/p1pb4/6q1/3P1p1r/2P1R2P/PP1BQ1P1/5RKN w - - 0 1", "e3g3", 10_000),
)


@functools.cache
def engine(options: Options = ENGINE) -> Engine:
    return Engine(evaluator_for(load_game("chess")), options, table_mb=4)


def position(fen: str) -> Position:
    return load_game("chess").parse(fen)


@functools.cache
def nodes(options: Options, depth: int) -> int:
    return sum(engine(options).search(position(fen), depth=depth).nodes for fen in MIDDLEGAMES)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in UNSEEN])
def test_every_switch_changes_the_tree(name: str) -> None:
    depth = 11 if name == "verification" else 9  # shallow null moves are not verified
    assert nodes(replace(ENGINE, **{name: False}), depth) != nodes(ENGINE, depth)


@pytest.mark.parametrize(("fen", "move", "most"), TACTICS)
def test_tactics_are_not_pruned_away(fen: str, move: str, most: int) -> None:
    assert engine().search(position(fen), nodes=most).move == move


@pytest.mark.parametrize(
    ("fen", "plies"),
    [
        ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 3),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 3),
        ("6r1/8/8/8/8/5k2/8/7K b - - 0 1", 3),
    ],
)
def test_mates_are_found_with_their_distance(fen: str, plies: int) -> None:
    found = engine().search(position(fen), depth=2 * plies)
    assert found.value == MATE - plies
    assert len(found.pv) == plies


def test_with_pawns_alone_no_null_move_is_tried_because_of_zugzwang() -> None:
    pawns = position("8/2p5/3p4/KP4k1/7p/4P1P1/8/8 w - - 0 1")
    pieces = position(MIDDLEGAMES[1])
    without = replace(ENGINE, null_move=False)
    assert engine().search(pawns, depth=9).nodes == engine(without).search(pawns, depth=9).nodes
    assert engine().search(pieces, depth=9).nodes != engine(without).search(pieces, depth=9).nodes


def test_a_stalemate_is_a_draw_though_the_evaluation_is_far_above() -> None:
    assert abs(engine().search(position("5k2/5P2/4K3/8/8/8/8/8 w - - 0 1"), depth=6).value) < 50


def test_all_switches_together_need_far_fewer_nodes_than_none() -> None:
    plain = engine(replace(PLAIN, priorities=True, quiescence=True)).search(position(MIDDLEGAMES[0]), depth=5)
    assert engine().search(position(MIDDLEGAMES[0]), depth=5).nodes * 20 < plain.nodes
