"""The software bill of materials has every locked package with its hashes, the licences are known and permissive."""

from __future__ import annotations

import csv
import json
import re
import subprocess

import pytest
from packaging.utils import canonicalize_name

from tests.source_rules.sources import ROOT

BILL = ROOT / "build" / "tabiya.cdx.json"
SAID_IN_A_FILE = {"resvg-py"}  # of the package, MIT, and not in its description
PERMISSIVE = r"\bMIT\b|BSD|Apache|ISC|Python Software Foundation|PSF|Mozilla Public License 2"


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
    with (ROOT / "build" / "licences.csv").open(encoding="utf-8") as file:
        licences = {canonicalize_name(row["Name"]): row["License"] for row in csv.DictReader(file)}
    shipped = {canonicalize_name(each.partition("==")[0]) for each in locked} & set(licences) - SAID_IN_A_FILE
    assert len(shipped) > 20
    assert [name for name in shipped if not re.search(PERMISSIVE, licences[name]) or "GPL" in licences[name]] == []
