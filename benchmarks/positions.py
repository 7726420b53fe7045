"""Positions of games that were really played, from the opening to the end: what searches are measured on.

    python -m benchmarks.positions [--count 24] [--nodes 2000] [--seed 1]      # writes benchmarks/positions.json again

The file is kept, so that a search is measured on the same positions before and after a change: writing it again changes
the pinned nodes of `tabiya bench signature`, too.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.duel import openings
from scripts import self_play
from tabiya.bots.engine.engine import Engine
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names

KEPT = Path(__file__).with_name("positions.json")
COUNT, NODES, SEED = 24, 2_000, 1
WHOLE, MIDDLE = (0.0, 1.0), (0.2, 0.7)  # parts of a game


def kept(game: str) -> list[Position]:
    """Those in the file, from the opening to the end; none for a game that it does not have."""
    loaded = load_game(game)
    return [loaded.parse(text) for text in json.loads(KEPT.read_text("utf-8")).get(game, ())]


def played(
    game: str, count: int, seed: int, nodes: int = NODES, between: tuple[float, float] = WHOLE
) -> list[Position]:
    """One position out of each of `count` games of the engine with itself, the next always later in its game.

    nodes: for each move.  between: which part of the games; the first position is soon after the one, the last soon
    before the other.  From random openings, fixed by the seed. In each of them a move is to be made.
    """
    engine, found = Engine(evaluator_for(load_game(game)), table_mb=1), []
    for number, position in enumerate(openings(game, count, seed)):
        line = self_play.played(position, lambda at: engine.search(at, nodes=nodes).move)
        share = between[0] + (between[1] - between[0]) * (number + 0.5) / count
        found.append(line[int(share * (len(line) - 1))])
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description="write the positions that searches are measured on")
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--nodes", type=int, default=NODES, help="for each move of the games they are out of")
    parser.add_argument("--seed", type=int, default=SEED)
    given = parser.parse_args(arguments)
    texts = {game: [at.text() for at in played(game, given.count, given.seed, given.nodes)] for game in names()}
    KEPT.write_text(json.dumps(texts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
