"""Which programs are run next, where there are more of them than may run at once: a ladder that never sleeps.

Who is new comes first, until its rating is known to within NEW_ELO; then all have their turns, until more games would
teach nothing; then nobody is started until there is another version.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple
from zlib import crc32

from tabiya.storage.program_records import ProgramId, ProgramRecord

MOST_FAILURES = 3  # one after the other; then a program is set aside until its owner does something
NEW_ELO = 60.0  # with a wider interval a rating says little yet: about 130 games
KNOWN_ELO = 25.0  # with a narrower one more games teach nothing: about 750 games
NEAREST = 4  # of the nearest in rating one is the partner, not always the same


class Rated(NamedTuple):
    """What is known of how well a version plays. rating: Elo.  plus_minus: half the width of its 95 % interval."""

    rating: float
    plus_minus: float


def next_programs(
    programs: Iterable[ProgramRecord],
    running: Iterable[ProgramId],
    turns: Mapping[ProgramId, int],
    failures: Mapping[ProgramId, int],
    free: int,
    rated: Mapping[ProgramId, Rated] | None = None,
    house: Collection[str] = (),
    divisions: Mapping[ProgramId, int] | None = None,
) -> list[ProgramRecord]:
    """Those that are to be started now, `free` at most: new ones first, then who has had the fewest turns.

    turns, failures: so far, and one after the other; none where a program is not named.  rated: those that have played.
    house: games in which somebody of the house is there for who is alone.  Elsewhere each game has at least two that
    run, or none; the second is one of the same division, if there are such, and of similar rating.
    """
    rated, divisions, runs = rated or {}, divisions or {}, set(running)
    playing = [program for program in programs if program.in_use and program.state == "good"]
    waiting = [program for program in playing if program.id not in runs and failures.get(program.id, 0) < MOST_FAILURES]
    waiting.sort(key=lambda program: (_is_known(program, rated), turns.get(program.id, 0), -program.created_at))
    in_play = {*house, *(program.game for program in playing if program.id in runs)}
    chosen: list[ProgramRecord] = []

    def partner(program: ProgramRecord) -> ProgramRecord | None:
        others = [each for each in waiting if each.game == program.game and each not in (program, *chosen)]
        same = [each for each in others if divisions.get(each.id) == divisions.get(program.id)]
        return _partner(program, same or others, turns, rated) if others else None

    for single in _alone(program for program in playing if program.id in runs):
        other = partner(single)
        if other and len(chosen) < free and not (_teaches_nothing(single, rated) and _teaches_nothing(other, rated)):
            chosen.append(other)
    for program in waiting:
        if program in chosen or _teaches_nothing(program, rated):
            continue
        other = partner(program)
        group = [program, other] if other else [program]
        if program.game in in_play:
            group = group[: max(1, free - len(chosen))]
        elif len(group) == 1:
            continue
        if len(chosen) + len(group) > free:
            break  # nobody who has had more turns takes the place that it waits for
        chosen += group
        in_play.add(program.game)
    return chosen


def _alone(running: Iterable[ProgramRecord]) -> list[ProgramRecord]:
    """In each game, the one without a partner of those that run: the last of an odd number."""
    of_game = defaultdict[str, list[ProgramRecord]](list)
    for program in running:
        of_game[program.game].append(program)
    return [programs[-1] for programs in of_game.values() if len(programs) % 2]


def _is_known(program: ProgramRecord, rated: Mapping[ProgramId, Rated]) -> bool:
    return program.id in rated and rated[program.id].plus_minus <= NEW_ELO


def _teaches_nothing(program: ProgramRecord, rated: Mapping[ProgramId, Rated]) -> bool:
    return program.id in rated and rated[program.id].plus_minus <= KNOWN_ELO


def _partner(
    program: ProgramRecord,
    others: list[ProgramRecord],
    turns: Mapping[ProgramId, int],
    rated: Mapping[ProgramId, Rated],
) -> ProgramRecord:
    """Of similar rating, because such a game teaches most; of those one with the fewest turns, another one each time.

    Always the same two would make ratings that cannot be compared with those of others.
    """
    if program.id in rated:
        rating = rated[program.id].rating
        far = [abs(rated[each.id].rating - rating) if each.id in rated else 0.0 for each in others]
        others = [each for _, each in sorted(zip(far, others, strict=True), key=lambda pair: pair[0])[:NEAREST]]

    def place(other: ProgramRecord) -> tuple[int, int]:
        had = turns.get(other.id, 0)
        return had, crc32(f"{program.id} {turns.get(program.id, 0)} {other.id} {had}".encode())

    return min(others, key=place)
