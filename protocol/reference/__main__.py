"""`python -m tabiya.protocol.reference [--check]`; see the package."""

import argparse
import sys
from pathlib import Path

from tabiya.protocol.reference import ROOT, documents


def main(arguments: list[str], root: Path = ROOT) -> int:
    """Writes the documents under `root`, or compares them; exit status 0 written or fresh, 1 stale."""
    parser = argparse.ArgumentParser(
        prog="python -m tabiya.protocol.reference", description="Write the protocol reference."
    )
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 if a file is stale")
    if parser.parse_args(arguments).check:
        return _check(root)
    for path, text in documents(root).items():
        (root / path).write_text(text, encoding="utf-8", newline="\n")
        sys.stdout.write(f"{path} written\n")
    return 0


def _check(root: Path) -> int:
    stale = [path for path, text in documents(root).items() if not _holds(root / path, text)]
    for path in stale:
        sys.stderr.write(f"{path} is stale: run `make docs` and commit it\n")
    return 1 if stale else 0


def _holds(file: Path, text: str) -> bool:
    return file.exists() and file.read_bytes() == text.encode()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
