"""docs/explanation/textbooks.md and docs/measurements/textbooks.md: templates, filled from catalogue and verdicts."""

from __future__ import annotations

import inspect
import json
import random
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scripts.docs.markdown import table
from scripts.docs.textbooks import tables
from scripts.docs.textbooks.claims.timed import MEASURED
from scripts.docs.textbooks.items import Item, Verdict, claims, examples, items
from scripts.docs.textbooks.walk import of_games, output, with_outputs
from tabiya.bots.textbook.catalogue import LISTINGS, Horizon, Listing
from tabiya.bots.textbook.random_trees import random_tree
from tabiya.bots.textbook.recording.explanation import explain
from tabiya.bots.textbook.run_listing import run_listing

ROOT = Path(__file__).parents[3]
PAGE = "docs/explanation/textbooks.md"
MEASUREMENTS = "docs/measurements/textbooks.md"
PICTURE = "docs/pictures/alpha-beta.svg"
TEMPLATE = Path(__file__).parent / "template.md"
MEASUREMENTS_TEMPLATE = Path(__file__).parent / "measurements.md"
COUNTED = ROOT / "docs/measurements/textbooks_counted.json"
MUTANTS = ROOT / "docs/measurements/textbooks_mutants.json"


def documents() -> dict[str, str]:
    """The two pages and a picture of the first one, by their paths."""
    verdicts, kept = read_verdicts(), json.loads(MEASURED.read_text("utf-8"))
    page = {"listings": "\n".join(map(_listing_row, LISTINGS)), "shown": _shown()}
    measurements = {
        "examples": _rows(examples().values(), verdicts),
        "claims": _rows(claims().values(), verdicts),
        "counts": _counts(verdicts),
        "machine": "; ".join(sorted({f"{part['date']}, {part['machine']}" for part in kept.values()})),
        **_figures(kept),
    }
    walk = with_outputs(TEMPLATE.read_text("utf-8"), read_outputs())
    return {
        PAGE: _filled(walk, page),
        MEASUREMENTS: _filled(MEASUREMENTS_TEMPLATE.read_text("utf-8"), measurements),
        PICTURE: explain("000-figure").svg(),
    }


def _filled(page: str, texts: dict[str, str]) -> str:
    for name, text in texts.items():
        assert f"{{{{{name}}}}}" in page, name
        page = page.replace(f"{{{{{name}}}}}", text)
    return page


def read_verdicts() -> dict[str, Verdict]:
    """The verdicts as they were written down, by name."""
    kept = json.loads(COUNTED.read_text("utf-8"))["verdicts"]
    return {name: Verdict(**kept[name]) for name in items() if name in kept}


def read_tables() -> dict[str, tables.Rows]:
    """The counted tables as they were written down, by name."""
    kept: dict[str, tables.Rows] = json.loads(COUNTED.read_text("utf-8"))["tables"]
    return kept


def read_outputs() -> dict[str, list[str]]:
    """The recorded outputs of the walk's commands about games, by command."""
    kept: dict[str, list[str]] = json.loads(COUNTED.read_text("utf-8"))["outputs"]
    return kept


def write_counted(verdicts: dict[str, Verdict], counted: dict[str, tables.Rows]) -> None:
    """Write both down, and what the walk's commands about games print."""
    kept = {name: {"word": verdict.word, "figures": verdict.figures} for name, verdict in verdicts.items()}
    outputs = {command: output(command) for command in of_games(TEMPLATE.read_text("utf-8"))}
    whole = {"verdicts": kept, "tables": counted, "outputs": outputs}
    text = json.dumps(whole, indent=2, ensure_ascii=False)
    COUNTED.write_text(text + "\n", encoding="utf-8")


def _figures(kept: dict[str, Any]) -> dict[str, str]:
    rows = read_tables() | tables.measured(kept)
    scores, survivors = tables.mutants(MUTANTS)
    return {
        "leaves": table(
            ("moves", "plies", "b^d", "nothing cut", "worst first", "random", "best first", "formula"), rows["leaves"]
        ),
        "pvs": table(("best move first", "alpha-beta", "PVS", "gain", "searched again"), rows["pvs"]),
        "depth": table(
            ("algorithm", "reversi", "compiled", "chess", "compiled", "Connect 5", "compiled"), rows["depth"], 1
        ),
        "speed": table(("game", "algorithm", "as printed", "compiled", "times, worst", "three runs"), rows["speed"], 2),
        "matches": table(("board, time a move", "who against whom", "games", "score"), rows["matches"]),
        "mutants": table(("part", "mutants", "found", "score", "command"), scores),
        "survivors": table(("part", "how many", "such as", "why no test can find it"), survivors),
    }


def _listing_row(listing: Listing) -> str:
    cells = (
        f"[{listing.name}](../../{listing.path})",
        f"{', '.join(f'`{name}`' for name in listing.functions)}: {listing.about}",
        listing.fail.value + (", cuts at > only" if listing.strict else ""),
        listing.looks.value,
        "yes" if listing.tests_ends else "no",
        f"`{listing.family}`" if listing.family else "",
        _leaves(listing),
        deviation(listing),
    )
    return f"| {' | '.join(cells)} |"


def deviation(listing: Listing) -> str:
    """The deviation from the print that the listing's file states."""
    about = (inspect.getdoc(listing.module) or "").replace("\n", " ")
    found = re.search(r"Deviation(?: from [\w.]+)?: (.+?)\.?$", about)
    assert found is not None, f"{listing.path} does not say how it deviates from the print"
    return found[1].replace("|", "\\|")


def _leaves(listing: Listing) -> str:
    if listing.looks in (Horizon.ONE_PLY, Horizon.AT_MOVES):
        return "one ply"
    tree = random_tree(random.Random(1), 4, 6, 1 if listing.precludes else 100)
    return f"{run_listing(listing, tree, 6).leaves:,}" + (" (values -1, 0, 1)" if listing.precludes else "")


def _shown() -> str:
    examples_shown, claims_shown = (sum(bool(item.scene) for item in found().values()) for found in (examples, claims))
    return (
        f"{examples_shown} of {len(examples())} worked examples of the books and {claims_shown} of {len(claims())} "
        "claims that were judged"
    )


def _rows(rows: Iterable[Item], verdicts: dict[str, Verdict]) -> str:
    return "\n".join(_row(item, verdicts[item.name]) for item in rows)


def _row(item: Item, verdict: Verdict) -> str:
    command = item.command.replace("|", "\\|")
    scene = f"`{item.scene}`" if item.scene else f"none: {item.about}"
    return f"| {item.source} | {item.says} | {verdict.word} | {verdict.figures} | `{command}` | {scene} |"


def _counts(verdicts: dict[str, Verdict]) -> str:
    return (
        f"{sum(name in verdicts for name in claims())} of {len(claims())} claims judged, "
        f"{sum(name in verdicts for name in examples())} of {len(examples())} examples run, "
        f"{len(LISTINGS)} of {len(LISTINGS)} listings"
    )
