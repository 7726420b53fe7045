"""Published and recomputed figures; docs/sources.md says where each file comes from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def figures(name: str) -> Any:
    """The contents of `name`.json in this folder."""
    return json.loads((Path(__file__).parent / f"{name}.json").read_text(encoding="utf-8"))
