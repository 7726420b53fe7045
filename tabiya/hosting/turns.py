"""Which programs are run next, where there are more of them than may run at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

from tabiya.storage.program_records import ProgramId, ProgramRecord

MOST_FAILURES = 3  # one after the other; then a program is set aside until its owner does something


def next_programs(
    programs: Iterable[ProgramRecord],
    running: Iterable[ProgramId],
    turns: Mapping[ProgramId, int],
    failures: Mapping[ProgramId, int],
    free: int,
) -> list[ProgramRecord]:
    """Those that are to be started now, `free` at most: who has had the fewest turns first, among equals the newest.

    turns, failures: so far, and one after the other; none where a program is not named.  A program that would find
    nobody to play with is not started: each game has at least two that run, or none.
    """
    runs = set(running)
    playing = [program for program in programs if program.in_use and program.state == "good"]
    waiting = [program for program in playing if program.id not in runs and failures.get(program.id, 0) < MOST_FAILURES]
    waiting.sort(key=lambda program: (turns.get(program.id, 0), -program.created_at, program.id))
    games = [program.game for program in playing if program.id in runs]
    chosen: list[ProgramRecord] = []
    for program in waiting:
        if program in chosen:
            continue
        group = [program, *_partner(program, waiting, chosen)] if program.game not in games else [program]
        if len(group) == 1 and program.game not in games:
            continue
        if len(chosen) + len(group) > free:
            break  # nobody who has had more turns takes the place that it waits for
        chosen += group
        games += [each.game for each in group]
    return chosen


def _partner(program: ProgramRecord, waiting: list[ProgramRecord], chosen: list[ProgramRecord]) -> list[ProgramRecord]:
    """The first other one of its game, if there is one."""
    others = (each for each in waiting if each.game == program.game and each != program and each not in chosen)
    return list(islice(others, 1))
