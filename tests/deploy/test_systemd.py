"""systemd takes the units, which give a server no more rights than it needs; the copy of each night is one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tabiya.storage.open import open_store
from tests.deploy.commands import unknown_flags
from tests.programs import program
from tests.server.planted import LINE, change, plays, two_players
from tests.source_rules.sources import ROOT
from tests.storage.postgres import private_cluster

UNITS = ROOT / "deploy" / "systemd"
# as `systemd-analyze security` counts, from 0 for nothing to 10 for everything; a worker makes namespaces
MOST_EXPOSED = {
    "tabiya-server.service": 2.0,
    "tabiya-pages.service": 2.0,
    "tabiya-host@1.service": 2.0,
    "tabiya-gateway.service": 2.0,
    "tabiya-backup.service": 2.0,
    "tabiya-worker.service": 4.0,
}


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A root of a machine with our units and something in the place of our commands."""
    shutil.copytree(UNITS, tmp_path / "etc/systemd/system")
    system = tmp_path / "usr/lib/systemd/system"
    system.mkdir(parents=True)
    for name in ("basic", "sysinit", "multi-user", "network-online", "timers", "shutdown", "time-sync"):
        (system / f"{name}.target").write_text("[Unit]\nDescription=of the system\n")
    commands = tmp_path / "opt/tabiya/bin"
    commands.mkdir(parents=True)
    for name in ("tabiya", "tabiya-backup"):
        (commands / name).write_text("#!/bin/sh\n")
        (commands / name).chmod(0o755)
    return tmp_path


def analyzed(machine: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [program("systemd-analyze"), f"--root={machine}", "--no-pager", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("unit", [*MOST_EXPOSED, "tabiya-backup.timer"])
def test_systemd_takes_each_unit_without_a_word(machine: Path, unit: str) -> None:
    done = analyzed(machine, "verify", "--man=no", unit)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.slow
def test_a_fault_in_a_unit_is_found(machine: Path) -> None:
    file = machine / "etc/systemd/system/tabiya-server.service"
    file.write_text(file.read_text("utf-8").replace("Type=notify", "Type=sometimes"))
    assert "Failed to parse" in analyzed(machine, "verify", "--man=no", file.name).stderr


@pytest.mark.slow
@pytest.mark.parametrize(("unit", "most"), MOST_EXPOSED.items())
def test_no_unit_has_more_rights_than_it_needs(machine: Path, unit: str, most: float) -> None:
    done = analyzed(machine, "security", "--offline=true", unit)
    level = re.search(r"exposure level for \S+: ([\d.]+)", done.stdout)
    assert level, done.stderr
    assert float(level[1]) <= most


@pytest.mark.parametrize("unit", ["server", "pages", "host@", "gateway", "worker"])
def test_a_unit_gives_a_command_and_flags_that_there_are(unit: str) -> None:
    text = (UNITS / f"tabiya-{unit}.service").read_text("utf-8")
    command = re.search(r"^ExecStart=/opt/tabiya/bin/tabiya (.*)$", text, re.MULTILINE)
    assert command
    assert unknown_flags(command[1].split()) == []


# --- copies


def copied(folder: Path, into: Path, database: str) -> subprocess.CompletedProcess[str]:
    """Run the copy as its unit does; `tabiya` lies beside it."""
    shutil.copy(UNITS / "tabiya-backup", folder)
    link = folder / "tabiya"
    if not link.exists():
        link.symlink_to(ROOT / ".venv/bin/tabiya")
    postgres = ":".join(sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin"))))
    environment = os.environ | {"TABIYA_DATABASE_URL": database, "PATH": f"{os.environ['PATH']}:{postgres}"}
    command = [str(folder / "tabiya-backup"), str(into)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def tabiya(*words: str) -> None:
    subprocess.run([str(ROOT / ".venv/bin/tabiya"), *words], check=True, capture_output=True)


@pytest.mark.slow
def test_the_copy_of_a_file_is_verified_and_the_last_fourteen_are_kept(tmp_path: Path) -> None:
    database, into = tmp_path / "games.db", tmp_path / "copies"
    into.mkdir()
    tabiya("match", "random", "random", "--game", "nim", "--games", "2", "--database", str(database))
    old = [into / f"tabiya-2020-01-{day:02}T041700.db" for day in range(1, 16)]
    for each in old:
        each.write_text("old")
    done = copied(tmp_path, into, str(database))
    assert done.returncode == 0, done.stderr
    kept = sorted(into.iterdir())
    assert len(kept) == 14
    assert kept[:13] == old[2:]
    tabiya("verify", "--database", str(kept[-1]))
    assert kept[-1].stat().st_mode & 0o077 == 0


def copies_after_a_failure(folder: Path, words: str) -> list[str]:
    """What lies beside an earlier copy when another one has failed with these words."""
    into = folder / "copies"
    into.mkdir()
    (into / "tabiya-2020-01-01T041700.db").write_text("old")
    done = copied(folder, into, str(folder / "games.db"))
    assert done.returncode != 0
    assert words in done.stderr
    return [each.suffix for each in sorted(into.iterdir())]


def test_half_a_copy_is_not_left_and_those_of_before_are(tmp_path: Path) -> None:
    command = tmp_path / "tabiya"
    command.write_text("#!/bin/sh\necho half >$3\necho the disk is full >&2\nexit 1\n")
    command.chmod(0o755)
    assert copies_after_a_failure(tmp_path, "the disk is full") == [".db"]


@pytest.mark.slow
async def test_a_copy_with_faults_is_kept_beside_those_of_before(tmp_path: Path) -> None:
    store = await open_store(str(tmp_path / "games.db"))
    await plays(store, await two_players(store), LINE)
    await store.close()
    change(tmp_path / "games.db", "DELETE FROM results")
    assert copies_after_a_failure(tmp_path, "1 fault in 1 match") == [".db", ".faulty"]


@pytest.mark.slow
def test_the_copy_of_a_postgresql_is_one_that_can_be_put_back(tmp_path: Path) -> None:
    with private_cluster() as cluster:
        address = cluster.create("games")
        tabiya("db", "upgrade", "--database", address)
        done = copied(tmp_path, tmp_path, address)
        assert done.returncode == 0, done.stderr
        assert [each.suffix for each in tmp_path.iterdir() if each.name.startswith("tabiya-2")] == [".dump"]
