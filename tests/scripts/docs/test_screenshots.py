"""The pictures of README and documents can be taken again."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.docs.screenshots.__main__ import main


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_pictures_of_a_class_and_of_a_person_who_plays_are_taken(tmp_path: Path) -> None:
    main(["--to", str(tmp_path), "--only", "match", "play", "--small"])
    assert sorted(file.name for file in tmp_path.iterdir()) == ["match.webp", "play.webp"]
    for file in tmp_path.iterdir():
        data = file.read_bytes()
        assert (data[:4], data[8:12]) == (b"RIFF", b"WEBP")
        assert len(data) > 10_000  # an empty page has less
