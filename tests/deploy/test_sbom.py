"""The software bill of materials has every locked package with its hashes, and is the same bytes each time."""

from __future__ import annotations

import json
import re
import subprocess

import pytest

from tests.house.sources import ROOT

BILL = ROOT / "build" / "tabiya.cdx.json"


def written() -> bytes:
    """What `make sbom` writes. Its program looks whether that is CycloneDX."""
    done = subprocess.run(["make", "sbom"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return BILL.read_bytes()


@pytest.mark.slow
def test_every_locked_package_is_in_the_bill_with_its_hashes() -> None:
    once = written()
    assert written() == once
    bill = json.loads(once)
    assert (bill["bomFormat"], bill["metadata"]["component"]["name"]) == ("CycloneDX", "tabiya")
    found = {
        f"{each['name']}=={each['version']}": {one["content"] for one in each["externalReferences"][0]["hashes"]}
        for each in bill["components"]
    }
    lock = (ROOT / "requirements" / "image.txt").read_text("utf-8")
    locked = {
        name: set(re.findall(r"sha256:([0-9a-f]{64})", rest))
        for name, rest in re.findall(r"^([\w.-]+==[^ \n]+)((?:.*\\\n)*.*)", lock, re.MULTILINE)
    }
    assert len(locked) > 20
    assert found == locked
