"""Files that a sandboxed program can read: the system, the interpreter and our package."""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path

HOME = Path(__file__).absolute().parents[2]  # not resolved: in a checkout parts of the package are links
PACKAGES = ("tabiya", "games", "protocol", "storage", "server", "bots")
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
SETTINGS = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime")
JAVA_SETTINGS = Path("/etc")  # its programs do not start without
PASSED_ON = ("NUMBA_", "OPENBLAS_", "OMP_", "MKL_")  # on what processors are capable of, and where kernels are


@functools.cache
def readable() -> tuple[str, ...]:
    """Absolute paths that exist, outer ones before inner."""
    interpreter = {sys.prefix, sys.base_prefix, str(Path(sys.executable).parent), str(Path(sys.executable).resolve())}
    packages = {str(HOME / name) for name in PACKAGES}
    paths = {*SYSTEM, *SETTINGS, *map(str, JAVA_SETTINGS.glob("java*")), *interpreter, *packages, *_kernel_folders()}
    kept: list[str] = []
    for path in sorted(path for path in paths if os.path.lexists(path)):
        if not any(path.startswith(f"{outer}/") for outer in kept):
            kept.append(path)
    return tuple(kept)


def _kernel_folders() -> set[str]:
    """Where compiled kernels are kept beside the sources' own folders: as Numba looks for them."""
    given = os.environ.get("NUMBA_CACHE_DIR", "")
    return {str(Path(given).absolute())} if given else {str(_cache_home() / "numba")}


def _cache_home() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute()


def environment(scratch: str) -> dict[str, str]:
    """All that a sandboxed program finds in its environment. scratch: the folder that it may write."""
    own = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": scratch,
        "TMPDIR": scratch,
        "LANG": "C.UTF-8",
        "XDG_CACHE_HOME": str(_cache_home()),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",  # its output is available when it fails
        "TABIYA_KERNELS_READ_ONLY": "1",
    }
    return own | {name: value for name, value in os.environ.items() if name.startswith(PASSED_ON)}
