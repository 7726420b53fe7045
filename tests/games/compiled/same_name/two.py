"""One of two kernels whose classes have the same name."""

from __future__ import annotations

from typing import Any

from tests.games.compiled.contract import Numbered


class Twin(Numbered):
    """Says 2."""

    def number(self, extra: Any) -> Any:
        return 2 + extra
