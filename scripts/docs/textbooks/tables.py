"""The page's tables of figures: counted ones are kept with the verdicts, measured ones come from the benchmark."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from scripts.docs.textbooks.trees import fewest, leaves, races
from tabiya.bots.textbook.node import INFINITY
from tabiya.bots.textbook.random_trees import best_first, hopeless_tree, random_tree, worst_first

Rows = list[list[str]]
SHAPES = ((2, 6), (4, 2), (4, 3), (4, 4), (4, 5), (4, 6), (8, 4), (20, 3), (35, 2))
TREES = 10
SEED = 1975


def counted() -> dict[str, Rows]:
    """The tables that are the same on every machine."""
    return {"leaves": leaves_rows(), "pvs": pvs_rows()}


def leaves_rows() -> Rows:
    """Leaves of alpha-beta by width, depth and order, against the formulas."""
    return [leaves_row(width, depth) for width, depth in SHAPES]


def leaves_row(width: int, depth: int) -> list[str]:
    """One shape of tree: moves, plies, all leaves, nothing cut, worst first, at random, best first, the formula."""
    draw = random.Random(SEED)
    trees = [random_tree(draw, width, depth, INFINITY - 1) for _ in range(TREES)]
    orders = [[worst_first(tree) for tree in trees], trees, [best_first(tree) for tree in trees]]
    hopeless = leaves("alphabeta-failhard", hopeless_tree(width, depth))
    found = [leaves("alphabeta-failhard", *ordered) for ordered in orders]
    counts = [width**depth, hopeless, *found, fewest(width, depth)]
    return [str(width), str(depth), *(f"{count:,.0f}" for count in counts)]


def pvs_rows() -> Rows:
    """Alpha-beta and PVS by the quality of the order."""
    return [
        [
            f"{race.share:.0%}",
            f"{race.alphabeta:,.0f}",
            f"{race.pvs:,.0f}",
            f"{100 * (1 - race.pvs / race.alphabeta):+.1f} %",
            f"{race.researches:,.0f}",
        ]
        for race in races()
    ]


def measured(kept: dict[str, Any]) -> dict[str, Rows]:
    """The tables of what takes time: from textbooks_measured.json."""
    return {"depth": _depth_rows(kept["depth"]), "speed": _speed_rows(kept["speed"]), "matches": _match_rows(kept)}


def _depth_rows(depth: dict[str, Any]) -> Rows:
    games = ("reversi", "chess", "connect5")
    listings = dict.fromkeys(key.split(" ", 1)[1] for key in depth if key.startswith(games))
    return [
        [f"`{name.split(' ')[0]}`{' '.join(['', *name.split(' ')[1:]])}"]
        + [f"{depth[f'{game} {name}'][form]:g}" for game in games for form in ("book", "twin")]
        for name in listings
    ]


def _speed_rows(speed: dict[str, Any]) -> Rows:
    return [
        [
            *key.split(" "),
            f"{found['book']:,}",
            f"{found['twin']:,}",
            str(found["times"]),
            ", ".join(map(str, found.get("runs", []))),
        ]
        for key, found in speed.items()
        if isinstance(found, dict)
    ]


def _match_rows(kept: dict[str, Any]) -> Rows:
    return [
        [*question.split(": ", 1), str(match["games"]), f"{match['percent']:g} % ± {match['error']:g}"]
        for question, match in kept["matches"].items()
        if isinstance(match, dict)
    ]


def mutants(file: Path) -> tuple[Rows, Rows]:
    """Scores by part, and the survivors with the reason why they change nothing: from textbooks_mutants.json."""
    kept = json.loads(file.read_text("utf-8"))
    scores, survivors = [], []
    for name, part in kept.items():
        found = part["killed"] + part["overdue"]
        scores.append(
            [name, str(part["mutants"]), str(found), f"{100 * found / part['mutants']:.1f} %", f"`{part['command']}`"]
        )
        reasons: dict[str, list[str]] = {}
        for one in part["survivors"]:
            reasons.setdefault(one["why"], []).append(one["mutant"])
        survivors += [[name, str(len(texts)), f"`{texts[0]}`", why] for why, texts in reasons.items()]
    return scores, survivors
