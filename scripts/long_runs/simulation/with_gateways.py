"""python -m scripts.long_runs.simulation.with_gateways --seeds 1000 [--first N] [--planted NAME] [--trace]

The same runs with bots behind two gateways, which die and stand still, and a bus that loses, doubles and overtakes.
"""

from __future__ import annotations

import sys
from functools import partial

from scripts.long_runs.simulation.by_seeds import command
from scripts.long_runs.simulation.planted_bugs import IN_GATEWAYS, PLANTED
from scripts.long_runs.simulation.world import run_seed

GATEWAYS = 2


def main() -> int:
    """Run the seeds; 1 if any of them has failed."""
    run = partial(run_seed, gateways=GATEWAYS)
    return command("scripts.long_runs.simulation.with_gateways", run, PLANTED | IN_GATEWAYS)


if __name__ == "__main__":
    sys.exit(main())
