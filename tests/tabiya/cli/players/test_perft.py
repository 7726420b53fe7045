"""`tabiya perft`: published counts, from any position, divided, as table, JSON and CSV."""

from __future__ import annotations

import pytest

from tests.tabiya.cli.command_runner import tabiya

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


@pytest.mark.parametrize(
    ("words", "nodes"),
    [
        (("tictactoe", "5"), 15_120),
        (("reversi", "4"), 244),
        (("chess", "3"), 8_902),
        (("chess", "2", "--position", KIWIPETE), 2_039),
        (("chess", "2", "--moves", "e2e4 e7e5"), 835),
        (("nim", "2", "--option", "heaps=1,2"), 5),
        (("nim", "0"), 1),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, tuple) else "",
)
def test_the_published_counts_are_found(words: tuple[str, ...], nodes: int) -> None:
    result = tabiya("perft", *words, "--format", "json")
    assert result.rows["nodes"] == nodes
    assert result.rows["depth"] == int(words[1])


def test_a_person_is_told_the_count_and_the_time() -> None:
    result = tabiya("perft", "tictactoe", "2")
    assert result.out.startswith("tictactoe perft(2) = 72 in 0.")
    assert result.err == ""


def test_divided_it_says_how_many_leaves_each_move_has() -> None:
    lines = tabiya("perft", "tictactoe", "2", "--divide").out.splitlines()
    assert lines[:-1] == [f"{column}{row}: 8" for row in "123" for column in "abc"]
    assert "perft(2) = 72" in lines[-1]


def test_divided_in_json_the_parts_add_up() -> None:
    found = tabiya("perft", "tictactoe", "3", "--divide", "--format", "json").rows
    assert sum(found["divide"].values()) == found["nodes"] == 504


def test_csv_has_a_line_for_each_move_or_one_for_all() -> None:
    assert tabiya("perft", "nim", "2", "-o", "heaps=1,2", "--divide", "--format", "csv").out == (
        "move,nodes\na1,2\nb1,2\nb2,1\n"
    )
    assert tabiya("perft", "tictactoe", "2", "--format", "csv").out == "move,nodes\n,72\n"
