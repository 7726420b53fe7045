"""How an evaluator's record of parameters reaches compiled code.

A kernel is nothing at run time: its type picks its methods (games/compiled/kernel_types.py). A kernel with parameters
is the address of their record, of a type that derives from the other, so that it is passed wherever a kernel is;
`self.corner` becomes a load from that address. The values are no part of the type: other values, the same code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numba
from numba import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_getattr_generic, typeof_impl

from tabiya.bots.custom_evaluation.parameters import Parameters, ParameterValues
from tabiya.games.compiled.kernel_types import KernelType, passed_as_address


class ParameterBound:
    """Mixed into an evaluator whose class declares parameters.

    parameters: of the class.  parameter_record: their values.  parameter_address: where in memory they are, for good.
    """

    parameters: ClassVar[Parameters]
    parameter_record: Any = None
    parameter_address = 0

    def give(self, values: Mapping[str, Any]) -> None:
        """Play with other values from now on; those that are not given stay. Raises ParameterError.

        Not during a search; the caller forgets what searches with the old values have learned.
        """
        if self.parameter_record is None:
            self.parameter_record = self.parameters.record()
            self.parameter_address = int(self.parameter_record.ctypes.data)
        self.parameters.write(self.parameter_record, values)
        self.__dict__.update(self.given)  # for Python

    @property
    def given(self) -> ParameterValues:
        """The present values, by name."""
        return self.parameters.values(self.parameter_record)


@passed_as_address("parameter_address")
class ParameterBoundType(KernelType):
    """The compiled type of a kernel with parameters. record: their type; the kernel's name stands for it, too."""

    def __init__(self, kernel_name: str, record: types.Record) -> None:
        self.record = record
        super().__init__(kernel_name)


_TYPES: dict[type, ParameterBoundType] = {}


@typeof_impl.register(ParameterBound)
def _typeof(kernel: Any, context: Any) -> ParameterBoundType:
    kind = type(kernel)
    if kind not in _TYPES:
        _TYPES[kind] = ParameterBoundType(kind.kernel_name(), numba.from_dtype(kind.parameters.layout))
    return _TYPES[kind]


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]
    """`self.corner` is what the record has under that name; all other names are the kernel's."""

    key = ParameterBoundType

    def generic_resolve(self, kernel: ParameterBoundType, name: str) -> Any:
        """The type of a parameter, None if there is none of that name; a list cannot be written to."""
        if name not in kernel.record.fields:
            return None
        found = kernel.record.typeof(name)
        if isinstance(found, types.NestedArray):
            return types.Array(found.dtype, found.ndim, found.layout, readonly=True)
        return found


@lower_getattr_generic(ParameterBoundType)
def _load(context: Any, builder: Any, kernel: ParameterBoundType, address: Any, name: str) -> Any:
    record = builder.bitcast(address, context.get_value_type(kernel.record))
    return context.get_getattr(kernel.record, name)(context, builder, kernel.record, record, name)
