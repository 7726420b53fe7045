"""python -m scripts.long_runs.simulation.with_hosts --seeds 1000 [--first N] [--planted NAME] [--trace]

The runs of with_gateways, in which two or three hosts play the matches: they die, stand still, are cut off and
replaced, while servers come and go.
"""

from __future__ import annotations

import sys
from functools import partial

from scripts.long_runs.simulation.by_seeds import command
from scripts.long_runs.simulation.planted_bugs import IN_GATEWAYS, IN_HOSTS, PLANTED
from scripts.long_runs.simulation.with_gateways import GATEWAYS
from scripts.long_runs.simulation.world import run_seed


def main() -> int:
    """Run the seeds; 1 if any of them has failed."""
    run = partial(run_seed, gateways=GATEWAYS, hosts=True)
    return command("scripts.long_runs.simulation.with_hosts", run, PLANTED | IN_GATEWAYS | IN_HOSTS)


if __name__ == "__main__":
    sys.exit(main())
