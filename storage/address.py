"""Where the data are: a path, `sqlite:///path`, `postgresql://user@host/name` or `memory:`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from msgspec import Struct

from tabiya.storage.errors import CannotOpen

Kind = Literal["memory", "sqlite", "postgresql"]
KINDS = "a file path, sqlite:///PATH, postgresql://USER@HOST/NAME or memory:"


class Address(Struct, frozen=True):
    """An understood address.  target: the file for SQLite, the whole URL for PostgreSQL, else empty."""

    kind: Kind
    target: str = ""

    @property
    def path(self) -> Path:
        """The SQLite file."""
        return Path(self.target)

    def __str__(self) -> str:
        """For people and logs: without the password."""
        return self.kind + ":" if self.kind == "memory" else without_password(self.target)

    def __repr__(self) -> str:
        """The same, so that no password reaches a log by accident."""
        return f"Address({self})"


def parse_address(text: str) -> Address:
    """Understand what a person typed.  Raises `CannotOpen` with one sentence that names what is allowed."""
    text = text.strip()
    if text in ("memory:", "memory"):
        return Address("memory")
    scheme, found, rest = text.partition("://")
    if not found:
        return _sqlite(text)
    backend = scheme.lower().partition("+")[0]  # SQLAlchemy's postgresql+asyncpg:// is often at hand
    if backend == "sqlite":
        return _sqlite(rest.removeprefix("/"))  # as SQLAlchemy has it: ///path is relative, ////path absolute
    if backend in ("postgresql", "postgres"):
        return Address("postgresql", f"postgresql://{rest}")
    raise CannotOpen(f"{scheme}:// is not a kind of database that Tabiya knows; give {KINDS}")


def _sqlite(path: str) -> Address:
    if not path or path == ":memory:":
        raise CannotOpen(f"the database address names no file; give {KINDS}")
    return Address("sqlite", str(Path(path).expanduser()))


def without_password(text: str) -> str:
    """The text with every password of an address in it replaced by stars."""
    # up to the last @: a password may hold one
    text = re.sub(r"(://[^:@/?\s]*):[^\s]*@", r"\1:***@", text)
    return re.sub(r"(?i)(password=)[^&\s]*", r"\1***", text)
