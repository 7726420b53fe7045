"""The reference page and the JSON Schema of the protocol, made from the message classes and a page of prose.

    python -m tabiya.protocol.reference             write docs/reference/protocol.md and protocol.schema.json
    python -m tabiya.protocol.reference --check     compare; exit 1 and name each file that differs

prose.md holds what people write and marks such as {{refusals}} for what is generated; the examples come from the
test vectors in docs/reference/protocol.vectors.json.
"""

from pathlib import Path

from tabiya.protocol.reference.page import page
from tabiya.protocol.reference.schema import schema_text
from tabiya.protocol.reference.vectors import VECTORS_PATH, read_vectors

__all__ = ["PAGE_PATH", "ROOT", "SCHEMA_PATH", "VECTORS_PATH", "documents"]

ROOT = Path(__file__).resolve().parents[2]
PAGE_PATH = "docs/reference/protocol.md"
SCHEMA_PATH = "docs/reference/protocol.schema.json"


def documents(root: Path = ROOT) -> dict[str, str]:
    """Every document generated here: path from the repository's root -> whole text, the same on every machine.

    root: where the test vectors are read from.  Raises OSError or ValueError when they cannot be.
    """
    prose = (Path(__file__).parent / "prose.md").read_text(encoding="utf-8")
    return {PAGE_PATH: page(prose, read_vectors(root)), SCHEMA_PATH: schema_text()}
