"""Templates that are compiled once per process, for all environments."""

from __future__ import annotations

import jinja2
from jinja2.bccache import Bucket


class CompiledTemplates(jinja2.BytecodeCache):
    """Keeps them in memory. A changed file is compiled again: a bucket compares digests of its source.

    The environments have to read templates alike (`trim_blocks` and the like): the key is the name and the file alone.
    """

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket if its template is kept."""
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what the bucket has."""
        self._kept[bucket.key] = bucket.bytecode_to_string()


COMPILED = CompiledTemplates()
"""Those of pages and documents: the macros of a match take 70 ms to compile, and 2 from here."""
