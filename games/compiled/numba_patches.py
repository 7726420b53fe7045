"""What Numba works out anew thousands of times while it compiles one engine, and need not.

Most of the time of a first compilation is spent in Numba's own Python. What is replaced here answers the same with less
work, and the machine code stays the same to the letter; the tests compare both (docs/decisions/011-compiling.md).
"""

from __future__ import annotations

import functools
import operator
from typing import Any

from numba.core import event, ir, types
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.targetconfig import TargetConfig
from numba.core.transforms import canonicalize_cfg
from numba.core.types.functions import BaseFunction

OPERATORS = {bool, *(function for name, function in vars(operator).items() if not name.startswith("_"))}
PLAIN = (types.Number, types.Boolean, types.Array)  # what an operator means for these, their types alone decide
ATOMS = frozenset({str, int, bool, type(None), ir.Loc})

LLVM_LOCK = "numba:llvm_lock"

numbas_start, numbas_end = event.start_event, event.end_event
numbas_call_type = BaseFunction.get_call_type
numbas_run = PostProcessor.run


@functools.cache
def defaults(kind: type[TargetConfig]) -> dict[str, Any]:
    """The default of every option of this kind of configuration."""
    return {name: option.default for name, option in kind.options.items()}


def values(config: TargetConfig) -> dict[str, Any]:
    """Every option's value: Numba asks one property after the other."""
    kind: Any = type(config)
    return {**defaults(kind), **config._values}


def is_equal(config: TargetConfig, other: object) -> bool:
    """Whether two configurations have the same values: asked for at every call of an overloaded method."""
    if not isinstance(other, TargetConfig):
        return NotImplemented
    return config._values == other._values or config.values() == other.values()


def variables_in(_node: Any, found: Any) -> list[ir.Var]:
    """The variables in what an instruction is made of, in order: Numba makes and joins a list at every level."""
    variables: list[ir.Var] = []
    gather(found, variables)
    return variables


def gather(found: Any, variables: list[ir.Var]) -> None:
    """Append them. What instructions mostly are made of comes first."""
    kind = type(found)
    if kind is ir.Var:
        variables.append(found)
    elif kind in ATOMS:
        pass
    elif isinstance(found, (list, tuple)):
        for each in found:
            gather(each, variables)
    elif isinstance(found, dict):
        for each in found.values():
            gather(each, variables)
    elif isinstance(found, ir.Inst):
        variables += found.list_vars()


def call_type(function: BaseFunction, context: Any, arguments: Any, named: Any) -> Any:
    """The signature of a call. Numba tries an operator's meanings one after the other; for numbers it stays the same.

    Remembered by the function's own type, which is another one as soon as it gets another meaning.
    """
    if named or function.typing_key not in OPERATORS or not all(isinstance(each, PLAIN) for each in arguments):
        return numbas_call_type(function, context, arguments, named)
    known = vars(function).setdefault("known_calls", {})
    key = (context, *arguments)
    if key not in known:
        known[key] = numbas_call_type(function, context, arguments, named)
    return known[key]


def run(processor: PostProcessor, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Look at a function's blocks anew.

    Which variables are alive where a block begins, generators ask, and Numba's object mode, which has `emit_dels` set
    before it does.
    """
    if emit_dels or processor.func_ir.is_generator:
        numbas_run(processor, emit_dels, extend_lifetimes)
        return
    processor.func_ir.blocks = canonicalize_cfg(processor.func_ir.blocks)
    processor.func_ir.variable_lifetime = VariableLifetime(processor.func_ir.blocks)
    processor.func_ir.generator_info = None


def start_event(kind: str, data: Any = None) -> None:
    """Tell who listens. To how long LLVM is at work, each function being compiled listens, and nobody asks them."""
    if kind != LLVM_LOCK:
        numbas_start(kind, data)


def end_event(kind: str, data: Any = None, exc_details: Any = None) -> None:
    """Tell who listens, as at its start."""
    if kind != LLVM_LOCK:
        numbas_end(kind, data, exc_details)


def take() -> None:
    """From now on, in this process."""
    for owner, name, ours in (
        (TargetConfig, "values", values),
        (TargetConfig, "__eq__", is_equal),
        (ir.Inst, "_rec_list_vars", variables_in),
        (BaseFunction, "get_call_type", call_type),
        (PostProcessor, "run", run),
        (event, "start_event", start_event),
        (event, "end_event", end_event),
    ):
        setattr(owner, name, ours)
