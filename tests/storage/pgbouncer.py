"""A PgBouncer of the tests' own in front of a PostgreSQL: in a temporary folder, on loopback, gone afterwards."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.ports import free_port
from tests.storage.postgres import Cluster, give_away, unprivileged

SETTINGS = """
[databases]
* = host=127.0.0.1 port={server} user=tabiya

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
server_round_robin = {round_robin}
log_connections = 0
log_disconnections = 0
"""


@contextlib.contextmanager
def pgbouncer(cluster: Cluster, mode: str, *, round_robin: bool = False) -> Iterator[Cluster]:
    """The cluster as it is reached through a pooler.  mode: session, transaction or statement."""
    program = shutil.which("pgbouncer", path=os.pathsep.join([os.environ["PATH"], "/usr/sbin"]))
    if program is None:
        raise RuntimeError("these tests need PgBouncer: on Debian or Ubuntu `apt-get install pgbouncer`")
    folder, port = Path(tempfile.mkdtemp(prefix="tabiya-pgbouncer-")), free_port()
    settings = SETTINGS.format(server=cluster.port, port=port, mode=mode, round_robin=int(round_robin))
    try:
        give_away(folder)
        (folder / "pgbouncer.ini").write_text(settings, encoding="utf-8")
        command = [program, str(folder / "pgbouncer.ini")]
        with subprocess.Popen(command, stderr=subprocess.PIPE, cwd="/", text=True, **unprivileged()) as process:
            assert process.stderr is not None
            try:
                lines = list[str]()
                while "process up" not in (lines or [""])[-1]:
                    lines.append(process.stderr.readline())
                    assert lines[-1], f"PgBouncer does not start: {lines}"
                yield Cluster(port=port, folder=cluster.folder, bin=cluster.bin)
            finally:
                process.kill()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
