"""The picture in the README, docs/pictures/match.png: plays a match of chess and photographs its page.

    python -m scripts.docs.match_picture [--to docs/pictures/match.png]

Needs Chromium. Plays `tabiya match` into a database, shows it with `tabiya serve`, and has a headless browser open the
page of the first game.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
MATCH = ("match", "pvs:4", "alphabeta:2", "--game", "chess", "--games", "2", "--time", "20+0.2", "--seed", "5")
CAMERA = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1280,1000")
DRAWN_AFTER_MS = 4000
READY_WITHIN_S = 120.0


def photograph(to: Path) -> None:
    """Play, serve, photograph. Raises CalledProcessError, or TimeoutError where the server does not start."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise FileNotFoundError(f"none of {', '.join(BROWSERS)} is installed")
    with tempfile.TemporaryDirectory(prefix="tabiya-picture-") as name:
        database, ready = Path(name) / "match.db", Path(name) / "ready"
        tabiya = (sys.executable, "-m", "tabiya")
        subprocess.run([*tabiya, *MATCH, "--database", str(database)], check=True, stdout=subprocess.DEVNULL)
        ports = ("--port", "0", "--pages-port", "0")
        serving = [*tabiya, "serve", *ports, "--database", str(database), "--ready-file", str(ready)]
        with subprocess.Popen(serving, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
            try:
                page = f"{_pages_address(ready)}/matches/1"
                options = (*CAMERA, f"--virtual-time-budget={DRAWN_AFTER_MS}", f"--screenshot={to.resolve()}")
                subprocess.run([browser, *options, page], check=True, stderr=subprocess.DEVNULL, timeout=READY_WITHIN_S)
            finally:
                server.terminate()


def _pages_address(ready: Path) -> str:
    deadline = time.monotonic() + READY_WITHIN_S
    while not ready.exists():
        if time.monotonic() > deadline:
            raise TimeoutError(f"the server was not ready within {READY_WITHIN_S:.0f} s")
        time.sleep(0.1)
    return str(json.loads(ready.read_text("utf-8"))["pages"])


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m scripts.docs.match_picture", description=__doc__)
    parser.add_argument("--to", type=Path, default=ROOT / "docs/pictures/match.png", help="the PNG file")
    photograph(parser.parse_args(arguments).to)


if __name__ == "__main__":
    main()
