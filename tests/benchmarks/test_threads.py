"""One thread and several are compared at the same depth; nothing is measured here."""

from __future__ import annotations

import json

import pytest

from benchmarks import threads
from benchmarks.duel import openings
from benchmarks.threads import Compared, compare, main, row
from tabiya.bots.engine.engine import Engine
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.limits import SearchResult
from tabiya.games.registry import load_game

GAME = "chess"


def found(nodes: int, time_s: float, depth: int = 7) -> SearchResult:
    return SearchResult("a1", 0, depth, nodes, ("a1",), time_s, exact=False)


def test_totals_count_by_their_weight_and_medians_by_position() -> None:
    compared = [
        Compared(found(100, 1.0), found(100, 0.5), found(200, 1.0)),
        Compared(found(100, 1.0), found(150, 1.0), found(200, 1.5)),
        Compared(found(800, 8.0, depth=9), found(900, 6.0), found(1600, 10.0)),
    ]
    all_of_them = row("all", compared)
    assert (all_of_them.positions, all_of_them.depth, all_of_them.seconds) == (3, 7, 10.0)
    assert (all_of_them.speed, all_of_them.median_speed) == (round(10 / 7.5, 2), round(8 / 6, 2))
    assert (all_of_them.nodes, all_of_them.median_nodes) == (round(1150 / 7.5 / 100, 2), 1.5)
    assert all_of_them.apart == round(2000 / 12.5 / 100, 2)
    assert all_of_them.mean_speed == round((2 * 1 * 8 / 6) ** (1 / 3), 2)
    assert (
        all_of_them.interval == 0.55
    )  # 1.96 times the deviation of the logarithms 0.693, 0 and 0.288, by the root of 3
    assert row("1", compared[:1]).interval is None


def test_twice_as_fast_everywhere_is_twice_as_fast_on_the_mean() -> None:
    assert threads.mean_of([2.0, 2.0, 2.0]) == pytest.approx((2.0, 0.0))
    assert threads.mean_of([4.0, 0.25])[0] == pytest.approx(1.0)


def test_all_search_to_the_same_depth_in_either_order() -> None:
    evaluator = evaluator_for(load_game(GAME))
    one, several, *strangers = (Engine(evaluator, table_mb=1, threads=threads) for threads in (1, 2, 1, 1))
    position = load_game(GAME).start()
    depth = 5
    for first in (True, False):
        compared = compare(one, several, strangers, position, depth, first)
        assert compared is not None
        assert compared.one.depth == compared.several.depth == compared.apart.depth == depth
        assert compared.one.nodes == one.search(position, depth=depth).nodes
        assert compared.apart.nodes == 2 * compared.one.nodes


def test_where_the_end_is_known_nothing_is_compared() -> None:
    with pytest.raises(SystemExit, match="none of these positions"):
        main(["--game", "tictactoe", "--positions", "2", "--seeds", "1"])


def test_a_row_for_each_seed_and_one_for_all(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "played", lambda game, count, seed, between: openings(game, count, seed))
    main(["--game", GAME, "--positions", "2", "--depth", "5", "--seeds", "4,5", "--format", "json"])
    rows = json.loads(capsys.readouterr().out)
    assert [(each["seed"], each["positions"]) for each in rows] == [("4", 2), ("5", 2), ("all", 4)]
    assert all(each["speed"] > 0 and each["nodes"] > 0 for each in rows)
