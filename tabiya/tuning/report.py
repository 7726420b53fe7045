"""Results of a run of `tabiya tune`, as plain values for tables, JSON and CSV, and as sentences."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from tabiya.tuning.spsa import Parameter
from tabiya.tuning.state import TuningState
from tabiya.tuning.terms import written_number

QUARTERS = {"quarter": 1, "half": 2, "three_quarters": 3}
VERIFY_GAMES = 2_000


def parameter_rows(state: TuningState) -> list[dict[str, Any]]:
    """One row for each parameter: its first value, its values at the quarters of the run, and its value now."""
    rows, terms = [], state.terms
    for at, parameter in enumerate(terms.parameters):
        course = [parameter.start, *(iteration.values[at] for iteration in state.iterations)]
        rows.append(
            {
                "parameter": parameter.name,
                "start": _number(parameter, parameter.start),
                **{name: _rounded(course[len(state.iterations) * part // 4]) for name, part in QUARTERS.items()},
                "value": _rounded(course[-1]),
                "tuned": _number(parameter, parameter.nearest(course[-1])),
                "min": _number(parameter, parameter.low),
                "max": _number(parameter, parameter.high),
                "c_end": _rounded(parameter.c_end),
                "r_end": _rounded(parameter.r_end),
            }
        )
    return rows


def run_values(state: TuningState, more: Sequence[str] = ()) -> dict[str, Any]:
    """Everything about the run as a whole. more: as for `verify_command`."""
    terms, pairs = state.terms, state.pairs
    return {
        "player": terms.player,
        "game": terms.game,
        "seed": terms.seed,
        "iterations": len(state.iterations),
        "of": terms.gains.iterations,
        "games": 2 * pairs.number,
        "pairs": list(pairs.counts),
        "tuned": terms.player_with(terms.nearest(state.values)),
        "verify": verify_command(state, more),
    }


def sentences(state: TuningState, more: Sequence[str] = ()) -> list[str]:
    """The sentences under the table. more: as for `verify_command`."""
    iterations, pairs = state.terms.gains.iterations, state.pairs
    lines = [f"{len(state.iterations)} of {iterations} iterations, {2 * pairs.number} games, seed {state.terms.seed}"]
    if not state.is_over:
        lines.append("the same command goes on with it")
    command = verify_command(state, more)
    lines.append(f"verify: {command}" if command else "the values to be played have not changed")
    return lines


def verify_command(state: TuningState, more: Sequence[str] = ()) -> str:
    """The `tabiya match` of the tuned player against that of the start; empty if they are the same.

    more: further words, such as the option of the openings.
    """
    terms = state.terms
    tuned, start = (terms.player_with(terms.nearest(values)) for values in (state.values, terms.start))
    if tuned == start:
        return ""
    words = ["tabiya", "match", tuned, start, "--game", terms.game, "--games", str(VERIFY_GAMES)]
    words += ["--time", terms.time_control, "--seed", str(terms.seed + 1)]
    for name, value in terms.options.items():
        words += ["--option", f"{name}={value}"]
    return shlex.join([*words, *more])


def progress_line(state: TuningState) -> str:
    """The run in a line, while it goes on."""
    shown = (
        f"{parameter.name} {written_number(parameter, parameter.nearest(value))}"
        for parameter, value in zip(state.terms.parameters, state.values, strict=True)
    )
    return ", ".join(shown)


def _number(parameter: Parameter, value: float) -> int | float:
    return int(value) if parameter.whole and value == int(value) else _rounded(value)


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")
