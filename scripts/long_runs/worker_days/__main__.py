"""python -m scripts.long_runs.worker_days --days 1000 [--first N] [--planted NAME] [--trace]"""

from __future__ import annotations

import sys

from scripts.long_runs.simulation.by_seeds import command
from scripts.long_runs.worker_days.day import run_day
from scripts.long_runs.worker_days.planted_bugs import PLANTED


def main() -> int:
    """Run the days; 1 if any of them has failed."""
    return command("scripts.long_runs.worker_days", run_day, PLANTED, unit="day")


if __name__ == "__main__":
    sys.exit(main())
