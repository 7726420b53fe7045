"""A server's API driven by its own document (Schemathesis): no internal error, and no answer that is not declared.

    tabiya demo --keep                                                # a server with matches, in another terminal
    python -m scripts.long_runs.api_document --examples 300 --seed 7

The same seed asks the same. Orders are given too: not for a server that somebody needs.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from pathlib import Path

CONFIG = Path(__file__).with_name("schemathesis.toml")
ALL_PHASES = ("examples", "coverage", "fuzzing", "stateful")


async def drive(
    server: str, token: str, *, examples: int, seed: int, phases: tuple[str, ...] = ALL_PHASES
) -> tuple[bool, str]:
    """Whether all was well, and the report.

    server: address of its pages.  token: an operator's; empty where none is needed.  examples: for each address.
    """
    command = [
        *(
            sys.executable,
            "-m",
            "schemathesis.cli",
            "--config-file",
            str(CONFIG),
            "run",
            f"{server}/api/v1/openapi.json",
        ),
        *("--phases", ",".join(phases), "--max-examples", str(examples), "--seed", str(seed)),
        *("--generation-database", "none", "--no-shrink"),
        *("--exclude-path-regex", "/live$"),  # a stream of a match ends with the match
    ]
    if token:
        command += ["--header", f"Authorization: Bearer {token}"]
    else:  # then nothing is wrong with an order that has none
        command += ["--exclude-checks", "ignored_auth", "--generation-with-security-parameters", "false"]
    with tempfile.TemporaryDirectory() as folder:  # it leaves what failed where it is started
        process = await asyncio.create_subprocess_exec(
            *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, cwd=folder
        )
        report, _ = await process.communicate()
    return process.returncode == 0, report.decode("utf-8", "replace")


def main() -> int:
    """Exit status: 0 if all was well."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", default="http://127.0.0.1:8080", help="address of a server's pages")
    parser.add_argument("--examples", type=int, default=100, help="for each address")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    token = os.environ.get("TABIYA_OPERATOR_TOKEN", "")
    is_well, report = asyncio.run(drive(given.server, token, examples=given.examples, seed=given.seed))
    print(report)
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
