"""Claims about time, judged from what benchmarks/textbook.py has measured and kept."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from scripts.docs.textbooks.finding import Changed, Finding

MEASURED = Path(__file__).parents[4] / "docs/measurements/textbooks_measured.json"
HEADLINE = "good evaluation without search / poor evaluation with search"  # as benchmarks/textbook.py calls it
LARGE = "20x20, 0.05 s"  # board and time a move of the matches that ask more than one question


@functools.cache
def _measured() -> dict[str, Any]:
    """Everything measured, by part; each part has machine and date."""
    found: dict[str, Any] = json.loads(MEASURED.read_text("utf-8"))
    return found


def _part(name: str) -> dict[str, Any]:
    """One part without machine and date. Raises Changed if it was never measured."""
    if name not in _measured():
        raise Changed(f"{name} was not measured: run python -m benchmarks.textbook --only {name} --write")
    return {key: value for key, value in _measured()[name].items() if key not in ("machine", "date")}


def three_to_four_levels() -> Finding:
    plies = {game: _part("depth")[f"{game} minimax"] for game in ("reversi", "chess", "connect5")}
    printed, compiled = (
        ", ".join(f"{game} {found[form]:g}" for game, found in plies.items()) for form in ("book", "twin")
    )
    return plies["chess"]["book"] <= 4, {"printed": printed, "compiled": compiled}


def depth_in_a_second() -> Finding:
    depth, parts = {name: found["twin"] for name, found in _part("depth").items()}, []
    for game in ("reversi", "chess"):
        of_game = {name.removeprefix(f"{game} "): plies for name, plies in depth.items() if name.startswith(f"{game} ")}
        parts.append(f"{game}: " + ", ".join(f"{name} {plies:g}" for name, plies in of_game.items()))
    best = max(depth[f"reversi {name}-failhard by evaluation"] for name in ("pvs", "alphabeta"))
    return best - depth["reversi minimax"] >= 2, {"told": "; ".join(parts)}


def two_moves_ahead() -> Finding:
    times, speed = _part("move_times"), _part("speed")
    moves = times["greedy by evaluating every board"]["nodes"] - 1
    two, near_ms = times["minimax, 2 plies"], times["alpha-beta, 3 plies, near the stones (2)"]["ms"]
    printed_s = two["nodes"] / speed["connect5-fours minimax"]["book"]
    three_s, four_s = moves * two["ms"] / 1000, moves**2 * two["ms"] / 1000
    found = {"printed_s": printed_s, "printed_min": printed_s * moves / 60, "three_s": three_s, "four_h": four_s / 3600}
    holds = printed_s * moves > 60 and four_s > 600 and near_ms < 1000
    return holds, {"moves": moves, "two": two, "near_ms": near_ms} | found


def time_of_searching() -> Finding:
    times = _part("move_times")
    gains, boards, two = (
        times[name]["ms"]
        for name in ("greedy by what a move changes", "greedy by evaluating every board", "minimax, 2 plies")
    )
    factors = {"factor": two / boards, "most": two / gains}
    return gains < boards < two, {"gains": gains, "boards": boards, "two": two} | factors


def alpha_beta_shaves() -> Finding:
    times = _part("move_times")
    whole, cut, near = (
        times[name]["ms"]
        for name in ("minimax, 2 plies", "alpha-beta, 2 plies", "alpha-beta, 2 plies, near the stones (2)")
    )
    return cut < 0.8 * whole, {"whole": whole, "cut": cut, "less": 1 - cut / whole, "near": near}


def whole_board() -> Finding:
    times = _part("move_times")
    gains, boards = times["greedy by what a move changes"], times["greedy by evaluating every board"]
    return gains["ms"] < boards["ms"], {"gains": gains, "boards": boards, "factor": boards["ms"] / gains["ms"]}


def smarter_is_slower() -> Finding:
    smart, simple = (_part("speed")[f"{name} minimax"]["twin"] for name in ("connect5", "connect5-fours"))
    return smart < simple, {"smart": smart, "simple": simple}


def evaluator_or_search() -> Finding:
    found = _part("matches")
    sizes = {name.split(":")[0]: match for name, match in found.items() if name.endswith(HEADLINE)}
    large = [match["percent"] for name, match in sizes.items() if name.startswith("20x20")]
    same = found[f"{LARGE}: poor evaluation without search / the same with search"]
    searching = same | {"percent": round(100 - same["percent"], 1)}
    parts = "; ".join(f"{name}: {_score(match)}" for name, match in sizes.items())
    holds = large[-1] > 80 and large[-1] > large[0] and same["percent"] < 40
    return holds, {"told": parts, "searching": _score(searching)}


def near_the_stones() -> Finding:
    found, times = _part("matches"), _part("move_times")
    near = found[f"{LARGE}: near the stones (2) / all moves, poor evaluation with search"]
    nearer = found[f"{LARGE}: touching a stone (1) / near the stones (2), poor evaluation with search"]
    whole, few = times["alpha-beta, 2 plies"], times["alpha-beta, 2 plies, near the stones (2)"]
    return near["percent"] > 60, {"whole": whole, "few": few, "near": _score(near), "nearer": _score(nearer)}


def compiled_twins() -> Finding:
    speed = _part("speed")
    worst = {
        game: min(found["times"] for key, found in speed.items() if key.startswith(f"{game} "))
        for game in dict.fromkeys(key.split()[0] for key in speed)
    }
    parts, printed = ", ".join(f"{game} {times}" for game, times in worst.items()), [f["book"] for f in speed.values()]
    slow = sum(times < 50 for times in worst.values())
    return slow == 1, {"told": parts, "slowest": min(printed), "fastest": max(printed)}


def _score(match: dict[str, Any]) -> str:
    return f"{match['percent']:g} % ± {match['error']:g} ({match['games']} games)"
