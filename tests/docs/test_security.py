"""docs/security.md names every limit with its default, and only tests that exist."""

from __future__ import annotations

import re

import msgspec

from tabiya.protocol.limits import WireLimits
from tests.house.sources import ROOT

PAGE = (ROOT / "docs/security.md").read_text("utf-8")


def test_every_limit_is_named_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `([A-Z_]+)` \| `([\d.]+)` \|", PAGE, re.MULTILINE))
    assert rows == {field.name.upper(): str(field.default) for field in msgspec.structs.fields(WireLimits)}


def test_every_test_that_is_named_exists() -> None:
    written = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"def (test_\w+)", path.read_text("utf-8"))
    }
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(named) > 40
    assert named - written == set()
