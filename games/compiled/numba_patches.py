"""Four methods of Numba's compiler that do the same with less work, in force only while our own kernels compile.

Most of a first compilation is Numba's own Python. These save 11 to 23 % of the processor time of a cold `tabiya warmup
GAME` (2.5 to 4 s a game, measured on two busy cores). The machine code is identical; a test compares it.

A method is replaced only if its source is the one that was compared (the same in Numba 0.67.0, 0.68.0 and 0.68.1); with
another Numba the original method stays, and compiling takes longer.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import operator
from typing import Any, NamedTuple

from numba.core import ir, types
from numba.core.targetconfig import TargetConfig
from numba.core.types.functions import BaseFunction

OPERATORS = {bool, *(function for name, function in vars(operator).items() if not name.startswith("_"))}
PLAIN = (types.Number, types.Boolean, types.Array)  # what an operator means for these, their types alone decide
ATOMS = frozenset({str, int, bool, type(None), ir.Loc})

numbas_call_type = BaseFunction.get_call_type


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

    Cached by the function's type, which changes as soon as the function gets another overload.
    """
    if named or function.typing_key not in OPERATORS or not all(isinstance(each, PLAIN) for each in arguments):
        return numbas_call_type(function, context, arguments, named)
    known = vars(function).setdefault("known_calls", {})
    key = (context, *arguments)
    if key not in known:
        known[key] = numbas_call_type(function, context, arguments, named)
    return known[key]


class Patch(NamedTuple):
    """One method.  digest: of the source of Numba's own, which `replacement` may stand for."""

    owner: Any
    name: str
    replacement: Any
    original: Any
    digest: str

    def fits(self) -> bool:
        """Whether this Numba's method is the known one."""
        try:
            source = inspect.getsource(self.original)
        except OSError:  # installed without its sources
            return False
        return hashlib.sha256(source.encode()).hexdigest().startswith(self.digest)


KNOWN = (
    Patch(TargetConfig, "values", values, TargetConfig.values, "12a29dc810f6a91b"),
    Patch(TargetConfig, "__eq__", is_equal, TargetConfig.__eq__, "6d8774572d07d381"),
    Patch(ir.Inst, "_rec_list_vars", variables_in, ir.Inst._rec_list_vars, "054700e9100b6299"),
    Patch(BaseFunction, "get_call_type", call_type, numbas_call_type, "6559c167bfc0ad36"),
)


class InForce:
    """A context manager that applies the patches that fit; compilations nest.

    Numba lets one thread at a time compile, so the depth needs no lock of its own.
    """

    def __init__(self) -> None:
        self._depth = 0

    @functools.cached_property
    def patches(self) -> tuple[Patch, ...]:
        """Those that fit this Numba, found out when something is first compiled."""
        return tuple(patch for patch in KNOWN if patch.fits())

    def __enter__(self) -> None:
        self._depth += 1
        if self._depth == 1:
            for patch in self.patches:
                setattr(patch.owner, patch.name, patch.replacement)

    def __exit__(self, *_error: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            for patch in self.patches:
                setattr(patch.owner, patch.name, patch.original)


IN_FORCE = InForce()
