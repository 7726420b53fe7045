from __future__ import annotations

import pytest

from tabiya.bots.textbook.random_trees import hopeless_tree
from tabiya.bots.textbook.tree import (
    DEEPEST,
    LONGEST_TEXT,
    MOST_NODES,
    MOST_VALUE,
    Tree,
    TreeError,
    parse_tree,
)


def test_a_tree_is_read_and_written_back() -> None:
    assert str(parse_tree(" [[9, 8, 7], [6, null], 5]")) == "[[9,8,7],[6,null],5]"
    assert str(parse_tree("-3")) == "-3"
    assert repr(parse_tree("[1]")) == "<Tree [1]>"


def test_nodes_are_numbered_in_the_order_of_a_full_search() -> None:
    tree = parse_tree("[[9,8,7],[6,5,4]]")
    assert (tree.number, tree.children[0].number, tree.children[1].number) == (0, 1, 5)
    assert [leaf.number for leaf in tree.children[1].children] == [6, 7, 8]


def test_seats_alternate_from_the_one_given_for_the_root() -> None:
    for seat in (0, 1):
        tree = parse_tree("[[1],2]", seat)
        assert (tree.seat, tree.children[0].seat, tree.children[0].children[0].seat) == (seat, 1 - seat, seat)


def test_moves_are_numbers_and_lead_to_the_children() -> None:
    tree = parse_tree("[[9,8],7]")
    assert tree.moves() == ("1", "2")
    child = tree.play("1")
    assert (child.move, child.ply, child.moves(), child.over) == ("1", 1, ("1", "2"), False)
    assert (tree.move, tree.ply, tree.play("2").over, tree.play("2").moves()) == ("", 0, True, ())


@pytest.mark.parametrize("move", ["0", "3", "a", "-1", ""])
def test_a_move_that_is_not_there_is_named(move: str) -> None:
    with pytest.raises(TreeError, match="node 0 has the moves 1 to 2, not"):
        parse_tree("[1,2]").play(move)


def test_a_leaf_has_its_value_for_max_and_for_the_side_to_move() -> None:
    for seat in (0, 1):
        leaf = parse_tree("[7]", seat).play("1")
        assert leaf.seat == 1 - seat
        assert (leaf.analysis(), leaf.eval(), leaf.estimate()) == (7, 7 - 14 * leaf.seat, 7 - 14 * leaf.seat)
        assert parse_tree("[7]", seat).gain("1") == -leaf.eval()
        assert leaf.captures() == ()


def test_inner_nodes_and_unknown_leaves_have_no_value() -> None:
    tree = parse_tree("[[1,null]]")
    with pytest.raises(TreeError, match="node 1 has children, so it has no value of its own: search deeper"):
        tree.play("1").analysis()
    with pytest.raises(TreeError, match="the search looked at node 3, a leaf whose value is not given"):
        tree.play("1").play("2").eval()


def test_a_tree_knows_its_size() -> None:
    tree = parse_tree("[[9,8,[7]],6]")
    assert (tree.size(), tree.leaves(), tree.height(), tree.is_even()) == (7, 4, 3, False)
    assert parse_tree("[[1],[2,3]]").is_even()
    assert not parse_tree("[[[1],2],[[3],4]]").is_even()
    assert hopeless_tree(3, 2).is_even()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "nested lists of whole numbers"),
        ("[[1,2]", "nested lists of whole numbers"),
        ("[1,2,]", "nested lists of whole numbers"),
        ("[" * 100_000, "nested too deeply"),
        ("9" * 5_000, "nested too deeply or a number too long"),
        ("[]", "an inner node needs at least one child"),
        ("[[1],[]]", "an inner node needs at least one child"),
        ("[1.5]", r"a leaf is a whole number or null, not 1\.5"),
        ("[true]", "a leaf is a whole number or null, not true"),
        ('["a"]', 'a leaf is a whole number or null, not "a"'),
        ('{"a":1}', "a leaf is a whole number or null"),
        (f"[{MOST_VALUE + 1}]", f"from -{MOST_VALUE} to {MOST_VALUE}"),
        (f"[{-MOST_VALUE - 1}]", f"from -{MOST_VALUE} to {MOST_VALUE}"),
        ("[" * (DEEPEST + 1) + "1" + "]" * (DEEPEST + 1), f"at most {DEEPEST} plies deep"),
        (f"[{'1,' * MOST_NODES}1]", f"at most {MOST_NODES} nodes"),
        (" " * (LONGEST_TEXT + 1), f"at most {LONGEST_TEXT} characters"),
    ],
    ids=lambda text: text[:12] if len(text) > 12 else text,
)
def test_what_is_no_tree_is_refused_with_a_reason(text: str, message: str) -> None:
    with pytest.raises(TreeError, match=message):
        parse_tree(text)


def test_the_largest_allowed_trees_are_read() -> None:
    assert parse_tree("[" * DEEPEST + "1" + "]" * DEEPEST).height() == DEEPEST
    assert parse_tree(f"[{'1,' * (MOST_NODES - 2)}1]").size() == MOST_NODES
    assert parse_tree(f"[{MOST_VALUE},{-MOST_VALUE}]").leaves() == 2


def test_trees_are_values_made_of_nodes() -> None:
    assert isinstance(parse_tree("[1]").children[0], Tree)
