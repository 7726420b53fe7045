"""What Numba does with a function that only compiled functions call: as little as possible.

Left to itself Numba optimises every function together with all that it calls and makes machine code of that, and then
again for each of the function's callers: what lies ten calls deep is compiled ten times. Here it is translated once and
handed on as it is; a function that Python calls is optimised with all of them, once (docs/decisions/011-compiling.md).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import llvmlite.binding
import numba
from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.errors import new_error_context  # type: ignore[attr-defined]
from numba.core.typed_passes import NativeLowering

from tabiya.games.compiled.numba_patches import IN_FORCE

MANGLED = "_ZN"  # what the names of compiled functions begin with


class Part:
    """The code of one inner function without what it calls, in the form in which a library is linked."""

    def __init__(self, library: InnerLibrary) -> None:
        self._library, self._reload_init = library, library._reload_init

    def _get_module_for_linking(self) -> Any:
        return self._library.alone()


class InnerLibrary(JITCodeLibrary):
    """The code of one function, neither linked nor optimised nor turned into machine code."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self._part = Part(self)
        self._whole: Any = None

    def finalize(self) -> None:
        """Nothing more will be added."""
        self._raise_if_finalized()
        self._final_module.verify()
        self._finalize_dynamic_globals()
        self._finalized = True

    def alone(self) -> Any:
        """The module of this function alone."""
        return super()._get_module_for_linking()

    def parts(self) -> Iterator[Any]:
        """This function and all below it, callers before what they call."""
        yield self._part
        yield from parts_of(self._linking_libraries)

    def _get_module_for_linking(self) -> Any:
        """For a library of Numba's own, which does not look any further: a module with all below."""
        if self._whole is None:
            self._whole = self.alone().clone()
            for part in in_order(self._linking_libraries):
                self._whole.link_in(part._get_module_for_linking(), preserve=True)
        return self._whole


def parts_of(libraries: Any) -> Iterator[Any]:
    """All parts to be linked, with repetitions."""
    for library in libraries:
        if isinstance(library, InnerLibrary):
            yield from library.parts()
        else:
            yield library


def in_order(libraries: Any) -> list[Any]:
    """All parts to be linked, once each and after everything that calls them: the linker drops what is not called yet.

    After the last caller, not the first: that one may have turned out not to call it after all.
    """
    return list(dict.fromkeys(reversed(list(parts_of(libraries)))))[::-1]


class OuterLibrary(JITCodeLibrary):
    """The code of a function that Python calls, with that of all functions below it."""

    def finalize(self) -> None:
        """Link all of it, optimise, and make machine code."""
        self._linking_libraries: list[Any] = in_order(self._linking_libraries)
        super().finalize()

    def _verify_declare_only_symbols(self) -> None:
        """Nothing may be left that is called and nowhere defined: calling it would end the process.

        Numba looks for names of its own alone.
        """
        for function in self._final_module.functions:
            if function.is_declaration and function.name.startswith(MANGLED):
                raise AssertionError(f"{function.name} was not linked")


class KeptLibrary(JITCodeLibrary):
    """The machine code of a function from the cache. The form that others are linked with is read when one of them is.

    To read it took a third of the time of loading the rules.
    """

    _shared_module: Any

    @classmethod
    def of(cls, codegen: Any, kept: tuple[str, str, tuple[bytes, bytes]]) -> KeptLibrary:
        """What `serialize_using_object_code` gave."""
        name, _, (code, bitcode) = kept
        library = cls(codegen, name)
        library._bitcode = bitcode
        library.enable_object_caching()
        library._set_compiled_object(code)
        library._finalize_final_module()
        return library

    def get_pointer_to_function(self, name: str) -> int:
        """Where a function begins; Numba would look for the name in what is not read yet."""
        address: int = self._codegen._engine.get_function_address(name)
        return address

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            self._shared_module = llvmlite.binding.parse_bitcode(self._bitcode)
        return self._shared_module


def called_from_python_without_in_python() -> None:
    """Stands where Python would enter a function that has no way in; the error names it."""
    raise TypeError("for compiled callers only; see games/compiled/jit.py")


@functools.cache
def _address_of_refusal() -> int:
    dispatcher = numba.njit("void()", no_cfunc_wrapper=True)(called_from_python_without_in_python)
    result = dispatcher.overloads[()]
    address: int = result.library.get_pointer_to_function(result.fndesc.llvm_cpython_wrapper_name)
    return address


def _refusal(description: Any, environment: Any) -> Any:
    """What Numba knows an inner function by, and what raises TypeError when Python calls it."""
    name, module = description.qualname.split(".")[-1], description.lookup_module()
    return _dynfunc.make_function(
        module, name, called_from_python_without_in_python.__doc__, _address_of_refusal(), environment, ()
    )


def _library(state: Any, kind: type[JITCodeLibrary]) -> JITCodeLibrary:
    library = kind(state.targetctx.codegen(), state.func_id.func_qualname)
    library.enable_object_caching()
    return library


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(NativeLowering):
    """Numba's own, without a way in from Python."""

    _name = "inner_lowering"

    def run_pass(self, state: Any) -> bool:
        """Fill state.library and state["cr"], as Numba's does."""
        state.library = _library(state, InnerLibrary)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        refusal = _refusal(lowered.fndesc, lowered.env)
        state.targetctx.insert_user_function(refusal, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=refusal)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class OuterLowering(NativeLowering):
    """Numba's own, with all functions below."""

    _name = "outer_lowering"

    def run_pass(self, state: Any) -> bool:
        """Fill state.library and state["cr"], as Numba's does."""
        state.library = _library(state, OuterLibrary)
        return bool(super().run_pass(state))


class InnerCompiler(CompilerBase):
    """The pipeline of functions that only compiled functions call."""

    def define_pipelines(self) -> list[Any]:
        """Numba's, with our lowering."""
        return [_pipeline(self.state, InnerLowering)]


class OuterCompiler(CompilerBase):
    """The pipeline of functions that Python calls."""

    def define_pipelines(self) -> list[Any]:
        """Numba's, with our lowering."""
        return [_pipeline(self.state, OuterLowering)]


class Passes(PassManager):
    """Runs them one after the other. Numba's own writes down, at each, what it is given, for listeners and to print."""

    def run(self, state: Any) -> None:
        """Run all of them."""
        with IN_FORCE:
            super().run(state)

    def _runPass(self, index: int, step: Any, state: Any) -> None:  # noqa: N802 (Numba's name)
        step.analysis = self._analysis
        with new_error_context("Pass {name}", name=step.name()):
            step.run_initialization(state)
            step.run_pass(state)
            step.run_finalizer(state)


def _pipeline(state: Any, lowering: type[NativeLowering]) -> Any:
    passes = Passes("nopython")
    for step, text in DefaultPassBuilder.define_nopython_pipeline(state).passes:
        passes.add_pass(lowering if step is NativeLowering else step, text)
    passes.finalize()
    return passes
