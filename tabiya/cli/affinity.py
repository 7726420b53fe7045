"""`--affinity`: a core for each program of a match."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tabiya.errors import UserError


def cores_for(players: Sequence[str], concurrency: int) -> tuple[int, ...]:
    """A core for each program of the concurrent games, of the cores of this process. Raises UserError."""
    from tabiya.bots.players.spec import ENGINES, parse_player, quoted

    for player in players:
        if parse_player(player).kind not in ENGINES:
            raise UserError(f"--affinity is for programs by a protocol of engines, and {quoted(player)} is none")
    if not hasattr(os, "sched_getaffinity"):
        raise UserError("--affinity needs Linux: this system keeps no program on one core")
    cores, programs = sorted(os.sched_getaffinity(0)), len(players) * concurrency
    if programs > len(cores):
        raise UserError(
            f"--affinity gives each program a core, and games at the same time (--concurrency {concurrency}) have "
            f"{programs} programs; there are {len(cores)} cores"
        )
    return tuple(cores[:programs])
