"""python -m scripts.long_runs.simulation --seeds 1000 [--first N] [--planted NAME] [--trace]"""

from __future__ import annotations

import sys

from scripts.long_runs.simulation.by_seeds import command
from scripts.long_runs.simulation.planted_bugs import PLANTED
from scripts.long_runs.simulation.world import run_seed


def main() -> int:
    """Run the seeds; 1 if any of them has failed."""
    return command("scripts.long_runs.simulation", run_seed, PLANTED)


if __name__ == "__main__":
    sys.exit(main())
