"""A process of `tabiya serve --processes`: `python -m tabiya.processes.host_of_server NUMBER LOG_LEVEL [json]`.

Its settings are those of the server, in the environment.
"""

from __future__ import annotations

import os
import sys

from tabiya.errors import UserError
from tabiya.processes.server_process import run_host, run_loop, signals_end_at_once, warm_rules


def main(number: int, log_level: str, *log_json: str) -> None:
    """Hold bots and play as the host of this number. Raises SystemExit with one sentence if it cannot."""
    from tabiya.server.config import read_config
    from tabiya.server.logs import set_up_logging

    set_up_logging(log_level, as_json=bool(log_json))
    with signals_end_at_once():
        warm_rules()
    try:
        run_loop(run_host(read_config(os.environ), lambda process: None, number))
    except UserError as error:
        raise SystemExit(f"tabiya: {error}") from None


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
