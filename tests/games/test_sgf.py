"""Games as SGF: read back by a plain reader of its grammar, and replayed by the naive twins of the rules."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tabiya.games.contract import Game
from tabiya.games.endings import Ending
from tabiya.games.errors import IllegalMove
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names
from tabiya.games.sgf import write_sgf
from tabiya.games.transcript import GameRecord, result_of
from tests.games.playouts import random_game
from tests.games.sgf_reader import Node, read_sgf
from tests.games.twins import mnk, reversi
from tests.present import present

LETTERS = "abcdefghijklmnopqrst"
REVERSI, CONNECT5 = load_game("reversi"), load_game("connect5")


def written(line: list[Position], **fields: Any) -> list[Node]:
    """The nodes of a game as it is written, the root first."""
    assert isinstance(line[0].game, Game)
    outcome = line[-1].outcome()
    given = {"result": result_of(*outcome), "ending": outcome.ending} if outcome else {}
    record = GameRecord(line[0].text(), line[-1].moves, **(given | fields))
    (tree,) = read_sgf(write_sgf(line[0], record, present(line[0].game.sgf), "Tabiya 1.2"))
    assert tree.variations == []
    assert [tree.nodes[0][name] for name in ("FF", "CA", "AP")] == [["4"], ["UTF-8"], ["Tabiya:1.2"]]
    return tree.nodes


def moves_of(nodes: list[Node]) -> list[tuple[str, str]]:
    """Colour and point of every move."""
    return [next((name, node[name][0]) for name in "BW" if name in node) for node in nodes[1:]]


def replayed_reversi(nodes: list[Node]) -> reversi.Position:
    """The twin's position at the end; every move must be legal and its colour's turn."""
    rows = [["-"] * 8 for _ in range(8)]
    for name, disc in (("AB", "X"), ("AW", "O")):
        for point in nodes[0][name]:
            rows[LETTERS.index(point[1])][LETTERS.index(point[0])] = disc
    position = reversi.Position(rows, "XO"["BW".index(nodes[0]["PL"][0])])
    for colour, point in moves_of(nodes):
        move = f"{point[0]}{LETTERS.index(point[1]) + 1}" if point else "pass"
        assert ("XO"["BW".index(colour)], move in reversi.legal_moves(position)) == (position.mover, True)
        position = reversi.play(position, move)
    return position


def replayed_mnk(nodes: list[Node]) -> mnk.Position:
    """The same for rows of five, whose row 1 is at the bottom."""
    columns, _, rows = nodes[0]["SZ"][0].partition(":")
    height = int(rows or columns)
    stones = {
        f"{point[0]}{height - LETTERS.index(point[1])}": stone
        for name, stone in (("AB", "X"), ("AW", "O"))
        for point in nodes[0].get(name, [])
    }
    mover = "XO"["BW".index(nodes[0].get("PL", ["B"])[0])]
    position = mnk.Position(int(columns), height, 5, stones, mover)
    for colour, point in moves_of(nodes):
        move = f"{point[0]}{height - LETTERS.index(point[1])}"
        assert ("XO"["BW".index(colour)], move in mnk.legal_moves(position)) == (position.mover, True)
        position = mnk.play(position, move)
    return position


def test_games_of_stones_that_sgf_knows_can_be_written() -> None:
    assert {name for name in names() if load_game(name).sgf} == {"reversi", "connect5"}
    assert (present(REVERSI.sgf).game, present(CONNECT5.sgf).game) == (2, 4)


def test_a_game_of_reversi_is_replayed_by_another_reader_with_its_passes_and_its_score() -> None:
    draw, passes, results = random.Random(5), 0, set[str]()
    for _ in range(8):
        line = random_game(REVERSI.start(), draw)
        nodes = written(line)
        end = replayed_reversi(nodes)
        discs = ["".join(row).count(disc) for disc in "XO" for row in end.rows]
        black, white = sum(discs[:8]), sum(discs[8:])
        lead = "Draw" if black == white else f"{'B' if black > white else 'W'}+{abs(black - white)}"
        assert (nodes[0]["GM"], nodes[0]["SZ"], nodes[0]["RE"]) == (["2"], ["8"], [lead])
        assert tuple(present(reversi.outcome(end))) == line[-1].outcome()
        passes += sum(not point for _, point in moves_of(nodes))
        results.add(lead[0])
    assert passes > 0
    assert {"B", "W"} <= results


def test_a_game_of_reversi_that_begins_elsewhere_has_its_discs_and_who_is_to_move() -> None:
    line = random_game(REVERSI.start(), random.Random(7))[9:]
    assert line[0].to_move == 1
    start = REVERSI.parse(line[0].text())
    moves = line[-1].moves[9:]
    again = [start]
    for move in moves:
        again.append(again[-1].play(move))
    nodes = written(again)
    assert nodes[0]["PL"] == ["W"]
    assert tuple(present(reversi.outcome(replayed_reversi(nodes)))) == line[-1].outcome()


@pytest.mark.parametrize("size", [{}, {"columns": 20, "rows": 20}, {"columns": 20, "rows": 7}, {"columns": 6}])
def test_a_game_of_five_in_a_row_is_replayed_by_another_reader_on_boards_of_every_size(size: dict[str, int]) -> None:
    line = random_game(CONNECT5.start(size), random.Random(11))
    nodes = written(line)
    columns, rows = size.get("columns", 15), size.get("rows", 15)
    assert nodes[0]["GM"] == ["4"]
    assert nodes[0]["SZ"] == [str(columns) if columns == rows else f"{columns}:{rows}"]
    assert "AB" not in nodes[0]
    outcome = present(line[-1].outcome())
    assert tuple(present(mnk.outcome(replayed_mnk(nodes)))) == outcome
    assert nodes[0]["RE"] == ["Draw" if outcome.winner is None else f"{'BW'[outcome.winner]}+"]
    cut = CONNECT5.parse(line[5].text())
    nodes = written([cut, *[cut.play(line[-1].moves[5])]])
    assert (len(nodes[0]["AB"]), len(nodes[0]["AW"]), nodes[0]["PL"]) == (3, 2, ["W"])
    assert len(replayed_mnk(nodes).stones) == 6


@pytest.mark.parametrize(
    ("result", "ending", "text"),
    [
        ("1-0", Ending.RESIGNATION, "B+Resign"),
        ("0-1", Ending.TIME, "W+Time"),
        ("1-0", Ending.STALL, "B+Time"),
        ("0-1", Ending.ILLEGAL_MOVES, "W+Forfeit"),
        ("1-0", Ending.ADJUDICATED, "B+"),
        ("1/2-1/2", Ending.DRAW_AGREED, "Draw"),
        ("*", Ending.ABORTED, "Void"),
        ("*", None, "?"),
    ],
)
def test_a_result_is_written_in_sgfs_words(result: str, ending: Ending | None, text: str) -> None:
    assert written([REVERSI.start()], result=result, ending=ending)[0]["RE"] == [text]


@pytest.mark.parametrize(
    ("control", "limit", "more"),
    [
        ("60+0.5", ["60"], ["60+0.5"]),
        ("300+0", ["300"], None),
        ("40/60", ["60"], ["40/60"]),
        ("40/0.5+0.1", ["0.5"], ["40/0.5+0.1"]),
        ("2/move", None, ["2/move"]),
        ("none", None, None),
    ],
)
def test_the_time_control_is_written_as_far_as_sgf_knows_it(
    control: str, limit: list[str] | None, more: list[str] | None
) -> None:
    root = written([REVERSI.start()], tags={"TimeControl": control})[0]
    assert (root.get("TM"), root.get("OT")) == (limit, more)


def test_players_tags_clocks_and_comments_are_kept_whatever_letters_they_have() -> None:
    line = random_game(CONNECT5.start(), random.Random(2))[:4]
    root, *nodes = written(
        line,
        players=("a]\\:b\n", "böb"),
        tags={"Event": "Cup ]", "Site": "match 7", "Round": "1.2", "Date": "2026.11.25", "Reason": "why; not"},
        opening_plies=1,
        clocks_ms=(None, 1_500),
        comments=("", "[%eval 0.5]"),
    )
    assert [root[name] for name in ("PB", "PW", "EV", "GN", "RO", "DT")] == [
        ["a]\\:b "],
        ["böb"],
        ["Cup ]"],
        ["match 7"],
        ["1.2"],
        ["2026-11-25"],
    ]
    assert root["GC"] == ["Reason: why; not"]
    assert [(node.get("C"), node.get("BL"), node.get("WL")) for node in nodes] == [
        (["book"], None, None),
        (["[%eval 0.5]"], None, ["1.500"]),
        (None, None, None),
    ]


def test_moves_that_cannot_be_played_are_not_written() -> None:
    start = REVERSI.start()
    with pytest.raises(IllegalMove):
        write_sgf(start, GameRecord(start.text(), ("a1",)), present(REVERSI.sgf), "Tabiya 1")
