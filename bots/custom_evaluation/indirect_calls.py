"""How an author's `evaluate` comes into the engine: through a link, so that the engine itself is compiled once.

An engine for a class of its own would be compiled again, search and rules and all, after every edit. Instead it is
compiled for an evaluator whose methods jump to wherever the author's are in memory; that machine code is kept, and
serves every author. Only what the author wrote, and what it calls, is compiled again (docs/decisions/013-links.md).
"""

from __future__ import annotations

import functools
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic, typeof_impl

from tabiya.bots.custom_evaluation.parameter_binding import ParameterBound
from tabiya.bots.evaluators.base import Evaluator, bound
from tabiya.bots.search.kernel_calls import evaluation_of, priority_of
from tabiya.games.compiled.kernel_types import KernelType, is_compiled, passed_as_address
from tabiya.games.rules import Rules, State

PARAMETERS, EVALUATE, PRIORITY = range(3)  # what an evaluator's links are the addresses of


class IndirectEvaluator:
    """Mixed into an evaluator some of whose methods call another evaluator's code by address.

    indirect_evaluator: the other.  links: addresses, by the numbers above; uint64.
    link_address: where in memory these are.
    """

    indirect_evaluator: Evaluator
    links: Any
    link_address: int


@passed_as_address("link_address")
class IndirectEvaluatorType(KernelType):
    """The compiled type of a kernel with links, the same wherever they lead."""


@typeof_impl.register(IndirectEvaluator)
def _typeof(kernel: Any, context: Any) -> IndirectEvaluatorType:
    return IndirectEvaluatorType(kernel.kernel_name())


def _jump(place: int, context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Call what the link leads to, the other evaluator in place of the linked one. What it raises is raised."""
    links = builder.bitcast(arguments[0], context.get_value_type(types.uint64).as_pointer())
    parameters, code = (builder.load(cgutils.gep_inbounds(builder, links, number)) for number in (PARAMETERS, place))
    convention = context.call_conv
    function = convention.get_function_type(signature.return_type, signature.args).as_pointer()
    status, found = convention.call_function(
        builder,
        builder.inttoptr(code, function),
        signature.return_type,
        signature.args,
        [builder.inttoptr(parameters, arguments[0].type), *arguments[1:]],
    )
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    return found


@intrinsic
def _evaluate_elsewhere(typingctx: Any, evaluator: Any, state: Any) -> Any:
    return types.int64(evaluator, state), functools.partial(_jump, EVALUATE)


@intrinsic
def _priority_elsewhere(typingctx: Any, evaluator: Any, state: Any, move: Any) -> Any:
    return types.int64(evaluator, state, types.int64), functools.partial(_jump, PRIORITY)


class IndirectMethods:
    """The methods that can be called by address."""

    def evaluate(self, state: State) -> Any:
        """The other evaluator's value."""
        return _evaluate_elsewhere(self, state)

    def priority(self, state: State, move: int) -> Any:
        """The other evaluator's value."""
        return _priority_elsewhere(self, state, move)


INDIRECT_METHODS = {name: method for name, method in vars(IndirectMethods).items() if is_compiled(name)}


def _indirect_class(base: type[Evaluator], names: frozenset[str]) -> type[Evaluator]:
    """Made again each time; its name, and so its compiled type, is always the same."""
    title = f"{base.kernel_name()} with links: {', '.join(sorted(names))}"
    return type(
        title, (IndirectEvaluator, base), {name: INDIRECT_METHODS[name] for name in names} | {"__module__": __name__}
    )


def indirect_evaluator(evaluator: Evaluator, base: type[Evaluator], names: frozenset[str], game: Rules) -> Evaluator:
    """An evaluator of the class `base` for this game with the methods of these names from another.

    names: all in INDIRECT_METHODS. They are compiled. Raises what the compiler raises.
    """
    found: Any = bound(_indirect_class(base, names), game)
    found.indirect_evaluator, found.links = evaluator, np.zeros(3, np.uint64)
    found.links[PARAMETERS] = evaluator.parameter_address if isinstance(evaluator, ParameterBound) else 0
    if "evaluate" in names:
        found.links[EVALUATE] = _address_of(evaluation_of, evaluator)
    if "priority" in names:
        found.links[PRIORITY] = _address_of(priority_of, evaluator, types.int64)
    found.link_address = int(found.links.ctypes.data)
    return found


def _address_of(function: Any, evaluator: Evaluator, *arguments: types.Type) -> int:
    """Where the machine code of a compiled function of an evaluator, a record and more is; it stays there.

    What the jump takes for a whole number must be one: `np.int64` of a tuple is an array.
    """
    signature = (numba.typeof(evaluator), numba.from_dtype(evaluator.state), *arguments)
    function.compile(signature)
    compiled = function.overloads[signature]
    if compiled.signature.return_type != types.int64:
        name = function.__name__.removesuffix("_of")
        raise TypingError(f"{name} returns {compiled.signature.return_type}, which is not a number")
    address: int = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    return address
