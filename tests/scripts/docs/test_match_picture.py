"""The README's picture can be made anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.docs.match_picture import main


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_the_picture_of_a_match_is_taken(tmp_path: Path) -> None:
    main(["--to", str(tmp_path / "match.png")])
    assert (tmp_path / "match.png").read_bytes().startswith(b"\x89PNG")
