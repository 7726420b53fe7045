"""A PostgreSQL of the tests' own: made in a temporary folder, reached by nobody else, gone afterwards."""

from __future__ import annotations

import contextlib
import functools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from tests.ports import free_port

MISSING = (
    "these tests need PostgreSQL's own programs (initdb, pg_ctl): on Debian or Ubuntu `apt-get install postgresql`"
)

# nothing of it need survive the tests
FAST = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c autovacuum=off -c max_connections=60"


class Cluster(Struct, frozen=True):
    """A running server on loopback, superuser `tabiya` without a password, `locked` with the password `open sesame`."""

    port: int
    folder: str
    bin: str

    def url(self, database: str = "postgres", user: str = "tabiya", password: str | None = None) -> str:
        """The address of one of its databases."""
        secret = "" if password is None else f":{password}"
        return f"postgresql://{user}{secret}@127.0.0.1:{self.port}/{database}"

    def create(self, name: str) -> str:
        """A new empty database; its address."""
        self.sql(f'CREATE DATABASE "{name}"')
        return self.url(name)

    def sql(self, statement: str, database: str = "postgres") -> str:
        """Run a statement as the superuser; what psql prints."""
        command = [f"{self.bin}/psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", statement, self.url(database)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def control(self, *arguments: str) -> None:
        """pg_ctl."""
        command = [f"{self.bin}/pg_ctl", "-D", f"{self.folder}/data", "-w", "-l", f"{self.folder}/log", *arguments]
        run_unprivileged(command)

    def start(self) -> None:
        """Start, also again after `stop`; on the same port."""
        place = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1"
        self.control("-o", f"{place} {FAST}", "start")

    def stop(self, mode: str = "immediate") -> None:
        """Stop at once, as a crash would.  mode: "fast" says goodbye to each connection."""
        self.control("-m", mode, "stop")

    @contextlib.contextmanager
    def replica(self) -> Iterator[Cluster]:
        """A copy on a port of its own that follows this one, and can be promoted (`control("promote")`)."""
        with _folder() as folder:
            copy = Cluster(port=free_port(), folder=str(folder), bin=self.bin)
            where = ["-D", f"{folder}/data", "-d", self.url()]
            run_unprivileged([f"{self.bin}/pg_basebackup", *where, "--write-recovery-conf", "--checkpoint=fast"])
            with _running(copy):
                yield copy


@contextlib.contextmanager
def private_cluster() -> Iterator[Cluster]:
    """A cluster for the time of the block.  Raises RuntimeError if PostgreSQL is not installed."""
    with _folder() as folder:
        cluster = Cluster(port=free_port(), folder=str(folder), bin=str(_programs()))
        _make(cluster)
        with _running(cluster):
            cluster.sql("CREATE ROLE locked LOGIN PASSWORD 'open sesame'")
            yield cluster


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="tabiya-pg-"))
    try:
        give_away(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _running(cluster: Cluster) -> Iterator[None]:
    cluster.start()
    try:
        yield
    finally:
        if Path(cluster.folder, "data", "postmaster.pid").exists():
            cluster.stop()


def _make(cluster: Cluster) -> None:
    data = f"{cluster.folder}/data"
    run_unprivileged(["cp", "-Rp", f"{_made_once(cluster.bin).name}/data", data])
    rules = ["local all all trust", "host all locked 127.0.0.1/32 scram-sha-256", "host all all 127.0.0.1/32 trust"]
    rules.append("host replication all 127.0.0.1/32 trust")
    Path(data, "pg_hba.conf").write_text("\n".join(rules) + "\n")


@functools.cache
def _made_once(programs: str) -> tempfile.TemporaryDirectory[str]:
    """What initdb makes, until this process ends: to copy it takes a third of the processor time."""
    folder = tempfile.TemporaryDirectory(prefix="tabiya-pg-")
    give_away(Path(folder.name))
    making = ["--no-sync", "--auth=trust", "--username=tabiya", "--encoding=UTF8", "--locale=C"]
    run_unprivileged([f"{programs}/initdb", "-D", f"{folder.name}/data", *making])
    return folder


def _programs() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    if on_path is None:
        raise RuntimeError(MISSING)
    return Path(on_path).parent


def unprivileged() -> dict[str, Any]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            user = pwd.getpwnam(name)
            return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise RuntimeError("running as root, the tests need a user `postgres` or `nobody` to run PostgreSQL")


def give_away(folder: Path) -> None:
    """Let it belong to the user that `unprivileged` names."""
    who = unprivileged()
    if who:
        os.chown(folder, who["user"], who["group"])


def run_unprivileged(command: list[str]) -> None:
    """Run a program of PostgreSQL."""
    # pg_ctl's server keeps the pipes open: its output goes to the log it was given
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd="/", **unprivileged())
