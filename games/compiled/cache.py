"""Where compiled kernels are kept, and when they are stale.

Numba stamps a cached function with the file that holds it alone: after an edit of a kernel it *calls*, the old machine
code would run silently. These locators stamp with a digest of every kernel source instead, and they decline functions
that are not ours. A folder that cannot be written never stops the program: the next place is tried, the last is a
private temporary folder (then nothing is kept, and a warning says so once).
"""

from __future__ import annotations

import atexit
import functools
import getpass
import glob
import hashlib
import inspect
import os
import pickle
import shutil
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
from numba.core import caching, config, dispatcher
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    InTreeCacheLocator,
    UserProvidedCacheLocator,
    UserWideCacheLocator,
)
from numba.core.compiler import CompileResult
from numba.core.runtime import _nrt_python

from tabiya.games.compiled.lock import locked
from tabiya.games.compiled.pipeline import KeptLibrary

ROOT = Path(__file__).resolve().parents[2]
KERNEL_FOLDERS = (
    "games",
    *("bots/custom_evaluation", "bots/engine", "bots/evaluators", "bots/search", "bots/solvers"),
    *("bots/textbook/compiled", "bots/textbook/evaluations"),
)
READ_ONLY = "TABIYA_KERNELS_READ_ONLY"
UNKEPT = "in no file"  # a part of the name of a type whose code is not kept
OURS = ("Provided", "InTree", "UserWide", "Temporary")
NUMBAS = (
    "UserProvidedCacheLocator",
    "InTreeCacheLocator",
    "UserWideCacheLocator",
    "IPythonCacheLocator",
    "ZipCacheLocator",
)
UNREADABLE = (
    EOFError,
    pickle.UnpicklingError,
    ImportError,
    AttributeError,
)  # cut short, or of types of another version


def compilers() -> tuple[str, ...]:
    """The versions of Numba, of LLVM and of Python: another one makes other code, or other types in the index."""
    return numba.__version__, llvmlite.__version__, sys.version


@functools.cache
def stamp() -> str:
    """Digest of all that compiled code can depend on: our sources, and the versions of what compiles them."""
    digest = hashlib.sha256("\0".join(compilers()).encode())
    for folder in KERNEL_FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def is_ours(py_file: str) -> bool:
    """Whether a function's file is one of the sources the stamp covers."""
    path = Path(py_file).resolve()
    return any((ROOT / folder) in path.parents for folder in KERNEL_FOLDERS)


def is_read_only() -> bool:
    """Whether this process may only read what others have compiled: a student's program in its sandbox."""
    return bool(os.environ.get(READ_ONLY))


class _Stamped:
    """Adds the common stamp, and declines functions of other projects (Numba's own locators follow ours)."""

    _py_file: str

    def get_source_stamp(self) -> str:
        """The digest of all kernel sources in place of the one file's."""
        return stamp()

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        """A locator for this function, or None if it is not ours or the folder cannot be written.

        Where folders are only to be read, None if there is nothing in it.
        """
        return super().from_function(py_func, py_file) if is_ours(py_file) else None  # type: ignore[misc]

    def ensure_cache_path(self) -> None:
        """Raises OSError if the folder cannot be used."""
        if not is_read_only():
            super().ensure_cache_path()  # type: ignore[misc]
        elif not any(Path(self.get_cache_path()).glob("*.nbi")):  # type: ignore[attr-defined]
            raise FileNotFoundError("no kernels are kept there")


class Provided(_Stamped, UserProvidedCacheLocator):
    """The folder named by NUMBA_CACHE_DIR."""


class InTree(_Stamped, InTreeCacheLocator):
    """`__pycache__` beside the source."""


class UserWide(_Stamped, UserWideCacheLocator):
    """The user's own cache folder."""


class Temporary(_Stamped, UserProvidedCacheLocator):
    """The last resort: a folder of this user in the system's temporary folder."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        self._py_file = py_file
        self._lineno = py_func.__code__.co_firstlineno
        self._cache_path = str(Path(_temporary_folder()) / self.get_suitable_cache_subpath(py_file))

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        """A locator in a private temporary folder; None for functions that are not ours."""
        if not is_ours(py_file):
            return None
        self = cls(py_func, py_file)
        if not is_read_only():  # else nothing is kept, here as little as elsewhere, and each process compiles
            self.ensure_cache_path()
        return self


@functools.cache
def _temporary_folder() -> str:
    folder = tempfile.mkdtemp(prefix=f"tabiya-kernels-{_user()}-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    warnings.warn(
        "no folder for compiled kernels can be written; they are compiled again in every process "
        "(set NUMBA_CACHE_DIR to a folder you can write)",
        RuntimeWarning,
        stacklevel=2,
    )
    return folder


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid()) if hasattr(os, "getuid") else "user"


class CacheFile(IndexDataCacheFile):
    """Numba's cache file of one function, safe when several processes compile it at once, for different games.

    Numba reads the index, takes the next number for the data file, writes the index and then the data. Two processes
    can so take the same number, and one then runs the machine code of the other's game; one that is killed in between
    leaves an index that names the data of an older source. Here each entry has a name of its own and is written
    before the index, under a lock. What cannot be read is compiled again, and replaced.
    """

    _cache_path: str
    _index_name: str
    _source_stamp: Any

    def save(self, key: Any, data: Any) -> None:
        """Add an entry; those of older sources are removed with the first one of a new source."""
        if is_read_only():
            return
        with locked(Path(self._cache_path)):
            overloads = self._load_index()
            if not overloads:
                self._remove_data()
            overloads[key] = self._name_for(key)
            self._save_data(overloads[key], data)
            self._save_index(overloads)

    def load(self, key: Any) -> Any:
        """The entry, None if there is none or it cannot be read."""
        try:
            return super().load(key)
        except UNREADABLE:
            return None

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except UNREADABLE:
            return {}

    def _name_for(self, key: Any) -> str:
        digest = hashlib.sha256(self._dump((self._source_stamp, key))).hexdigest()[:24]
        return f"{self._index_name.removesuffix('.nbi')}.{digest}.nbc"

    def _remove_data(self) -> None:
        for path in Path(self._cache_path).glob(f"{glob.escape(self._index_name.removesuffix('.nbi'))}.*.nbc"):
            path.unlink(missing_ok=True)


class _Loading:
    """A target of the compiler that makes libraries of what is kept as `KeptLibrary` does."""

    def __init__(self, target: Any) -> None:
        self._target = target

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)

    def codegen(self) -> _Loading:
        return self

    def unserialize_library(self, kept: Any) -> KeptLibrary:
        return KeptLibrary.of(self._target.codegen(), kept)


class _KernelCacheImpl(CompileResultCacheImpl):
    def rebuild(self, target_context: Any, payload: Any) -> Any:
        return CompileResult._rebuild(_Loading(target_context), *payload)._replace(target_context=target_context)


class KernelCache(FunctionCache):
    """Numba's cache of one function, which loads machine code without what only a compilation needs.

    Numba first loads and registers all that it can compile, which took half of the time of loading the rules. A
    compilation does that itself when there is nothing to load.
    """

    _impl_class = _KernelCacheImpl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is kept for this signature, None if nothing is."""
        if not is_kept(sig):
            return None
        _add_symbols()
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep it, unless the next process could not tell whether it is stale."""
        if is_kept(sig):
            super().save_overload(sig, data)


def is_kept(sig: Any) -> bool:
    """Whether code for arguments of these types is kept."""
    return UNKEPT not in str(sig)


@functools.cache
def _add_symbols() -> None:
    """Tell the linker where the functions of Numba's runtime are."""
    for name, address in _nrt_python.c_helpers.items():
        llvmlite.binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


def cache_of(function: Any) -> FunctionCache:
    """The cache of a function; those of others have Numba's own."""
    return (KernelCache if is_ours(inspect.getfile(function)) else FunctionCache)(function)


def install() -> None:
    """Make Numba ask these locators, in this order, and keep what they hold as above."""
    caching.IndexDataCacheFile = CacheFile
    dispatcher.FunctionCache = cache_of  # type: ignore[attr-defined]
    config.CACHE_LOCATOR_CLASSES = ",".join([*(f"{__name__}.{name}" for name in OURS), *NUMBAS])
