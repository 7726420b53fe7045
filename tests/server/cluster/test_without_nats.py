"""Without the package `nats-py` a server is what it was, and who asks for a bus is told what is missing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.processes import without
from tests.source_rules.sources import ROOT


def without_nats(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", without("nats") + code], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_a_server_needs_no_nats() -> None:
    done = without_nats("import tabiya.server.app, tabiya.server.cluster.gateway_process")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_a_gateway_without_nats_is_one_sentence() -> None:
    done = without_nats("from tabiya.cli.main import main; main(['gateway', '--bus', 'nats://127.0.0.1:1'])")
    missing = "a bus needs the package nats-py: pip install 'tabiya[gateways]'"
    assert (done.returncode, done.stderr) == (1, f"tabiya: {missing}\n")


@pytest.mark.slow
def test_a_gateway_without_a_bus_is_one_sentence() -> None:
    done = without_nats("from tabiya.cli.main import main; main(['gateway'])")
    assert (done.returncode, "--bus nats://HOST:4222" in done.stderr) == (1, True)
