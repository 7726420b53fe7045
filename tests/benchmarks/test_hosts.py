"""The benchmark of hosts measures what it says, in a small run."""

from __future__ import annotations

import asyncio
import json

import pytest

from benchmarks import hosts
from tests.server.cluster.nats import nats
from tests.storage.postgres import private_cluster

pytestmark = pytest.mark.slow
# enough moves for each kind to take more than the hundredth of a second in which the system counts
SMALL = ["--hosts", "1", "--game", "nim", "--pairs", "4", "--matches", "4", "--seconds", "2", "--rate", "400"]


async def test_a_host_plays_and_every_kind_of_process_is_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(hosts, "WARM_S", 0.2)
    with private_cluster() as cluster:
        async with nats() as bus:
            where = ["--postgresql", cluster.url(), "--bus", bus.url, "--format", "json"]
            monkeypatch.setattr("sys.argv", ["hosts", *where, *SMALL])
            await asyncio.to_thread(hosts.main)
        assert "tabiya_bench_hosts" not in cluster.sql("SELECT datname FROM pg_database")
    (row,) = json.loads(capsys.readouterr().out)
    assert row["hosts"] == 1
    assert all(row[name] > 0 for name in ("moves_per_s", "playing", "server", "gateway", "database", "bus", "p99_ms"))


async def test_the_processes_of_one_server_are_counted_as_hosts_and_the_server(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(hosts, "WARM_S", 0.2)
    monkeypatch.setattr("sys.argv", ["hosts", "--processes", "--format", "json", *SMALL, "--hosts", "2"])
    await asyncio.to_thread(hosts.main)
    (row,) = json.loads(capsys.readouterr().out)
    assert row["hosts"] == 2
    assert all(row[name] > 0 for name in ("moves_per_s", "full", "playing", "server", "could", "p99_ms"))
