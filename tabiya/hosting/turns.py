"""Chooses the next programs to run when there are more than may run at once.

Who is new comes first, until its rating is known to within NEW_ELO; then all have their turns, until more games would
teach nothing; then nobody is started until there is another version. Either takes some turns, whatever the interval
says, since it may be that of games against one partner alone; and ends after many, since the interval of who loses
every game, or of two who meet nobody else, never gets narrow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple
from zlib import crc32

from tabiya.storage.program_records import ProgramId, ProgramRecord

MOST_FAILURES = 3  # one after the other; then a program is set aside until its owner does something
NEW_ELO, NEW_TURNS, NEW_MOST = 60.0, 5, 100  # with a wider interval a rating says little yet: about 130 games
KNOWN_ELO, KNOWN_TURNS, KNOWN_MOST = 25.0, 15, 500  # with a narrower one more games teach nothing: about 750 games
NEAREST = 4  # of the nearest in rating one is the partner, not always the same


class Rated(NamedTuple):
    """What is known of how well a version plays. rating: Elo.  plus_minus: half the width of its 95 % interval."""

    rating: float
    plus_minus: float


class Queue(NamedTuple):
    """The programs and places. programs: whose bots are not connected otherwise. running: of these.

    turns, failures: so far, and one after the other; none where a program is not named.  free: places.
    """

    programs: Collection[ProgramRecord]
    running: Collection[ProgramId]
    turns: Mapping[ProgramId, int]
    failures: Mapping[ProgramId, int]
    free: int

    def can_play(self, program: ProgramRecord) -> bool:
        """Whether it has passed its check, is the version that plays, and is not set aside."""
        failed = self.failures.get(program.id, 0) >= MOST_FAILURES
        return program.in_use and program.state == "good" and not failed

    @property
    def waiting(self) -> list[ProgramRecord]:
        """Programs that can play and do not."""
        return [program for program in self.programs if program.id not in self.running and self.can_play(program)]


def next_programs(
    queue: Queue,
    rated: Mapping[ProgramId, Rated] | None = None,
    house: Collection[str] = (),
    divisions: Mapping[ProgramId, int] | None = None,
) -> list[ProgramRecord]:
    """The programs to start now, at most `free`: new ones first, then those with the fewest turns.

    rated: those that have played.  house: games in which somebody of the house is there for who is alone.  Elsewhere
    each game has at least two that run, or none; the second is one of the same division, if there are such, and of
    similar rating.
    """
    rated, divisions, turns, free = rated or {}, divisions or {}, queue.turns, queue.free
    running = [program for program in queue.programs if program.id in queue.running]
    in_play = {*house, *(program.game for program in running)}
    chosen: list[ProgramRecord] = []

    def is_known(program: ProgramRecord, to_within: float, after_turns: int, at_latest: int) -> bool:
        is_narrow = program.id in rated and rated[program.id].plus_minus <= to_within
        return turns.get(program.id, 0) >= (after_turns if is_narrow else at_latest)

    def teaches_nothing(program: ProgramRecord) -> bool:
        return is_known(program, KNOWN_ELO, KNOWN_TURNS, KNOWN_MOST)

    def place(program: ProgramRecord) -> tuple[bool, int, float]:
        return is_known(program, NEW_ELO, NEW_TURNS, NEW_MOST), turns.get(program.id, 0), -program.created_at

    waiting = sorted(queue.waiting, key=place)

    def partner(program: ProgramRecord) -> ProgramRecord | None:
        others = [each for each in waiting if each.game == program.game and each not in (program, *chosen)]
        same = [each for each in others if divisions.get(each.id) == divisions.get(program.id)]
        return _partner(program, same or others, turns, rated) if others else None

    for single in _alone(running):
        other = partner(single)
        if other and len(chosen) < free and not (teaches_nothing(single) and teaches_nothing(other)):
            chosen.append(other)
    for program in waiting:
        if program in chosen or teaches_nothing(program):
            continue
        other = partner(program)
        group = [program, other] if other else [program]
        if program.game in in_play:
            group = group[: max(1, free - len(chosen))]
        elif len(group) == 1:
            continue
        if len(chosen) + len(group) > free:
            break  # no program with more turns may take its place
        chosen += group
        in_play.add(program.game)
    return chosen


def _alone(running: Iterable[ProgramRecord]) -> list[ProgramRecord]:
    """In each game with an odd number of running programs, the last one: it has no partner."""
    of_game = defaultdict[str, list[ProgramRecord]](list)
    for program in running:
        of_game[program.game].append(program)
    return [programs[-1] for programs in of_game.values() if len(programs) % 2]


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
