"""Parameters to tune, in the format of fishtest and OpenBench: `NAME,START,MIN,MAX,C_END,R_END`."""

from __future__ import annotations

import math
from collections.abc import Iterable

from tabiya.tuning.spsa import Parameter

KINDS = {"int": True, "float": False}  # OpenBench's words -> whole
C_SHARE = 20  # without a C_END: of the range, as Stockfish's `Tune` prints it
LEAST_WHOLE_C = 0.5  # below, both sides would play the same whole number
STEP, MOST_R = 3.0, 0.25  # of runs of all lengths the best in simulated games: docs/measurements/tuning.md
MOST_PARAMETERS = 1_000
FORM = "NAME,START,MIN,MAX and if wanted C_END,R_END behind, as in hash_bonus,300,0,600,30,0.002"


class ParameterError(ValueError):
    """A parameter that cannot be tuned so; the text is one sentence."""


def read_parameters(lines: Iterable[str], pairs: int) -> tuple[Parameter, ...]:
    """The parameters in these lines; empty ones are passed over. pairs: of the whole run. Raises ParameterError."""
    found = tuple(read_parameter(line, pairs) for line in lines if line.strip())
    if not found or len(found) > MOST_PARAMETERS:
        raise ParameterError(f"1 to {MOST_PARAMETERS} parameters are tuned at a time, not {len(found)}: {FORM}")
    names = [parameter.name.casefold() for parameter in found]
    for parameter in found:
        if names.count(parameter.name.casefold()) > 1:
            raise ParameterError(f"the parameter {parameter.name} is given twice")
    return found


def read_parameter(line: str, pairs: int) -> Parameter:
    """One parameter. pairs: of the whole run, for the usual R_END. Raises ParameterError.

    Whole numbers are played where the line says `int`, or where START, MIN and MAX are written without a point.
    """
    name, *fields = (field.strip() for field in line.split(","))
    kind = fields.pop(0) if fields and fields[0] in KINDS else ""
    if not name or not 3 <= len(fields) <= 5:
        raise ParameterError(f"a parameter is {FORM}; not {line.strip()!r}")
    numbers = [_number(name, field) for field in fields]
    start, low, high = numbers[:3]
    whole = KINDS[kind] if kind else all(field.lstrip("+-").isdecimal() for field in fields[:3])
    usual_c = max((high - low) / C_SHARE, LEAST_WHOLE_C if whole else 0.0)
    c_end, r_end = (*numbers[3:], *(usual_c, usual_r(pairs))[len(numbers) - 3 :])
    found = Parameter(name, start, low, high, c_end, r_end, whole)
    _check(found)
    return found


def usual_r(pairs: int) -> float:
    """R_END if none is given: a short run takes longer steps, or its values would hardly move."""
    return min(MOST_R, STEP / math.sqrt(pairs))


def _check(parameter: Parameter) -> None:
    name, low, high = parameter.name, parameter.low, parameter.high
    if not low < high:
        raise ParameterError(f"{name}: MIN must be less than MAX, not {low:g} and {high:g}")
    if not low <= parameter.start <= high:
        raise ParameterError(
            f"{name}: START must lie between MIN and MAX, {parameter.start:g} is not in {low:g} to {high:g}"
        )
    if parameter.whole and not (low.is_integer() and high.is_integer()):
        raise ParameterError(f"{name}: the bounds of a whole number are whole numbers, not {low:g} and {high:g}")
    least = LEAST_WHOLE_C if parameter.whole else 0.0
    if not (parameter.c_end >= least and 0 < parameter.c_end <= high - low):
        bound = f"at least {least:g}, or both sides would play the same number" if parameter.whole else "more than 0"
        raise ParameterError(f"{name}: C_END is {bound}, and at most MAX - MIN, not {parameter.c_end:g}")
    if not parameter.r_end > 0:
        raise ParameterError(f"{name}: R_END is more than 0, not {parameter.r_end:g}")


def _number(name: str, text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise ParameterError(f"{name}: {text!r} is no number ({FORM})")
    return found
