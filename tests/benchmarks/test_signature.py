"""The nodes of the playing engine are those that are pinned; and the command that pins them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import signature
from benchmarks.positions import kept, played
from benchmarks.signature import EVERY_THIRD, Signature, affordable, main, measure, pinned, ready
from tabiya.games.registry import names

SMALL = names()[0]
MEANT = """{game}: the engine visits {nodes} nodes to depth {depth}, benchmarks/signature.json says {pinned}.
If rules, evaluation or search were meant to change what is searched, pin the new number in the same commit:
    .venv/bin/tabiya bench signature --write
If the change was meant to make it only faster or clearer, it has changed what the engine plays: that is a fault."""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """In place of the one in the repository; it does not exist yet."""
    monkeypatch.setattr(signature, "PINNED", tmp_path / "signature.json")
    return tmp_path / "signature.json"


@pytest.mark.slow
@pytest.mark.parametrize("game", names())
def test_the_nodes_to_a_fixed_depth_are_those_that_are_pinned(game: str) -> None:
    row = measure(game, pinned())
    assert row.nodes == row.pinned, MEANT.format(**vars(row))


def test_every_game_is_pinned_on_positions_in_which_a_move_is_to_be_made() -> None:
    assert set(pinned()) == set(names())
    for game in names():
        positions = kept(game)
        assert len(positions) == 24
        assert all(position.legal_moves() and position.outcome() is None for position in positions)


def test_another_number_than_the_pinned_one_fails_until_it_is_written(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["--games", SMALL, "--write"])
    right = json.loads(file.read_text())
    file.write_text(json.dumps({SMALL: right[SMALL] | {"nodes": 7}, "other": right[SMALL]}))
    with pytest.raises(SystemExit) as ended:
        main(["--games", SMALL])
    assert ended.value.code == 1
    assert "pinned: 7" in capsys.readouterr().out
    main(["--games", SMALL, "--write"])
    assert json.loads(file.read_text()) == right | {"other": right[SMALL]}
    main(["--games", SMALL])


def test_deeper_searches_are_measured_and_compared_with_nothing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(json.dumps({SMALL: {"depth": 2, "nodes": 7}}))
    main(["--games", SMALL, "--deeper", "1", "--format", "json"])
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["game"], row["depth"], row["pinned"]) == (SMALL, 3, None)
    assert row["nodes"] > len(kept(SMALL)[EVERY_THIRD])
    with pytest.raises(SystemExit, match="without --deeper"):
        main(["--games", SMALL, "--deeper", "1", "--write"])


def test_a_game_without_a_pinned_depth_gets_the_greatest_that_needs_no_more_than_the_most_nodes(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, positions = ready(SMALL), kept(SMALL)[EVERY_THIRD]
    monkeypatch.setattr(signature, "MOST_NODES", 1_000)
    depth = affordable(engine, positions)
    assert signature.nodes_of(engine, positions, depth) <= 1_000 < signature.nodes_of(engine, positions, depth + 1)
    assert measure(SMALL, {}).depth == depth
    assert measure(SMALL, {SMALL: Signature(3, 0)}).depth == 3


def test_positions_are_spread_over_whole_games_and_the_same_for_the_same_seed() -> None:
    found, again = (played(SMALL, 6, seed=5, nodes=50) for _ in range(2))
    assert [position.text() for position in found] == [position.text() for position in again]
    assert [position.outcome() for position in found] == [None] * 6
    assert len(found[0].legal_moves()) > len(found[-1].legal_moves())
    early, late = (played(SMALL, 1, seed=5, nodes=50, between=part)[0] for part in ((0.0, 0.1), (0.8, 1.0)))
    assert len(early.legal_moves()) > len(late.legal_moves())
