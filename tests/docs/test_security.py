"""docs/security.md names every limit with its default, and the tests that hold them."""

from __future__ import annotations

import re

import msgspec

from tabiya.protocol.limits import WireLimits
from tests.source_rules.sources import ROOT

PAGE = (ROOT / "docs/security.md").read_text("utf-8")


def test_every_limit_is_named_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `([A-Z_]+)` \| `([\d.]+)` \|", PAGE, re.MULTILINE))
    assert rows == {field.name.upper(): str(field.default) for field in msgspec.structs.fields(WireLimits)}


def test_many_tests_are_named() -> None:
    assert len(set(re.findall(r"`(test_\w+)`", PAGE))) > 40  # that they exist: tests/docs/test_pages.py
