"""Eight 64-bit sets at once, which the processor's wide registers hold together.

Compiled they are a value of the type `EightWordsType`, interpreted a numpy array uint64[8]; both know & | ^ ~, and
<< and >> by one number for all eight. The other side of & | ^ may be a single set, for all eight.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

from tabiya.games.compiled.external_arrays import INT64

EIGHT = 8
VECTOR = ir.VectorType(INT64, EIGHT)
WORD_BYTES = 8


class EightWordsType(types.Type):
    """Eight uint64 in vector registers."""

    def __init__(self) -> None:
        super().__init__("EightWords")


EIGHT_WORDS = EightWordsType()


@register_model(EightWordsType)
class EightWordsModel(models.PrimitiveModel):
    """A vector of LLVM."""

    def __init__(self, manager: Any, words: EightWordsType) -> None:
        super().__init__(manager, words, VECTOR)


def eight(words: Any, at: Any) -> Any:
    """words[at], ..., words[at + 7] of an array of uint64 in one piece."""
    return words[at : at + EIGHT].copy()


def put(words: Any, at: Any, value: Any) -> None:
    """Write eight words to words[at] and on."""
    words[at : at + EIGHT] = value


def has_any(value: Any) -> bool:
    """Whether one of the eight sets has a member."""
    return bool(value.any())


def members(value: Any) -> int:
    """How many members the eight sets have together."""
    return sum(int(word).bit_count() for word in value)


def _vector(builder: Any, value: Any) -> Any:
    """`value`, or eight times one word."""
    if value.type == VECTOR:
        return value
    one = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), value, ir.Constant(INT64, 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), EIGHT), [0] * EIGHT)
    return builder.shuffle_vector(one, ir.Constant(VECTOR, ir.Undefined), zeros)


def _operation(name: str) -> Callable[..., Any]:
    @intrinsic
    def in_code(typingctx: Any, one: Any, other: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, name)(*(_vector(builder, value) for value in args))

        return EIGHT_WORDS(one, other), generate

    def operation(one: Any, other: Any) -> Any:
        def compiled(one: Any, other: Any) -> Any:
            return in_code(one, other)

        known = (EIGHT_WORDS, types.uint64)
        return compiled if EIGHT_WORDS in (one, other) and one in known and other in known else None

    return operation


for _function, _name in (
    (operator.and_, "and_"),
    (operator.or_, "or_"),
    (operator.xor, "xor"),
    (operator.lshift, "shl"),
    (operator.rshift, "lshr"),
):
    overload(_function)(_operation(_name))


@intrinsic
def _inverted(typingctx: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.not_(args[0])

    return EIGHT_WORDS(EIGHT_WORDS), generate


@overload(operator.invert)
def _invert(value: Any) -> Any:
    def compiled(value: Any) -> Any:
        return _inverted(value)

    return compiled if value == EIGHT_WORDS else None


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, at: Any) -> Any:
    data = cgutils.create_struct_proxy(array_type)(context, builder, value=array).data
    return builder.bitcast(builder.gep(data, [at]), VECTOR.as_pointer())


@intrinsic
def _load(typingctx: Any, words: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_pointer(context, builder, signature.args[0], *args), align=WORD_BYTES)

    return EIGHT_WORDS(words, types.int64), generate


@overload(eight)
def _eight(words: Any, at: Any) -> Any:
    def compiled(words: Any, at: Any) -> Any:
        return _load(words, at)

    return compiled


@intrinsic
def _store(typingctx: Any, words: Any, at: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array, at, value = args
        builder.store(value, _pointer(context, builder, signature.args[0], array, at), align=WORD_BYTES)
        return context.get_dummy_value()

    return types.none(words, types.int64, EIGHT_WORDS), generate


@overload(put)
def _put(words: Any, at: Any, value: Any) -> Any:
    def compiled(words: Any, at: Any, value: Any) -> Any:
        _store(words, at, value)

    return compiled


def _reduced(builder: Any, name: str, value: Any) -> Any:
    """All eight words brought together by one of LLVM's own functions."""
    module, kind = builder.module, ir.FunctionType(INT64, [VECTOR])
    name = f"llvm.vector.reduce.{name}.v{EIGHT}i64"
    function = module.globals.get(name) or ir.Function(module, kind, name)
    return builder.call(function, [value])


@intrinsic
def _any(typingctx: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.icmp_unsigned("!=", _reduced(builder, "or", args[0]), ir.Constant(INT64, 0))

    return types.boolean(EIGHT_WORDS), generate


@overload(has_any)
def _has_any(value: Any) -> Any:
    def compiled(value: Any) -> Any:
        return _any(value)

    return compiled


@intrinsic
def _count(typingctx: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        module, kind, name = builder.module, ir.FunctionType(VECTOR, [VECTOR]), f"llvm.ctpop.v{EIGHT}i64"
        function = module.globals.get(name) or ir.Function(module, kind, name)
        return _reduced(builder, "add", builder.call(function, [args[0]]))

    return types.int64(EIGHT_WORDS), generate


@overload(members)
def _members(value: Any) -> Any:
    def compiled(value: Any) -> Any:
        return _count(value)

    return compiled
