"""Who is run next: everybody in turn, new versions first, nobody alone."""

from __future__ import annotations

import random
from collections import Counter

from tabiya.hosting.turns import MOST_FAILURES, next_programs
from tabiya.storage.program_records import ProgramId, ProgramRecord, ProgramState
from tabiya.storage.records import BotId


def program(number: int, game: str = "nim", state: ProgramState = "good", in_use: bool = True) -> ProgramRecord:
    return ProgramRecord(
        id=ProgramId(number), bot_id=BotId(number), number=1, game=game, digest="1f", file_name="bot.py", bytes=1,
        created_at=float(number), state=state, in_use=in_use,
    )  # fmt: skip


def numbers(chosen: list[ProgramRecord]) -> list[int]:
    return [each.id for each in chosen]


def test_who_has_had_fewest_turns_goes_first_and_among_equals_the_newest() -> None:
    programs = [program(number) for number in (1, 2, 3, 4)]
    assert numbers(next_programs(programs, [], {}, {}, 2)) == [4, 3]
    turns = {ProgramId(4): 2, ProgramId(3): 1}
    assert numbers(next_programs(programs, [], turns, {}, 3)) == [2, 1, 3]
    assert numbers(next_programs(programs, [ProgramId(2)], turns, {}, 1)) == [1]


def test_a_program_that_would_be_alone_waits_and_takes_nobodys_place() -> None:
    programs = [program(1), program(2), program(3, "chess")]
    assert numbers(next_programs(programs, [], {}, {}, 2)) == [2, 1]
    assert next_programs(programs[:1], [], {}, {}, 2) == []
    assert next_programs(programs, [], {}, {}, 1) == []
    assert numbers(next_programs([*programs, program(4, "chess")], [ProgramId(3)], {}, {}, 1)) == [4]


def test_only_what_is_in_use_and_has_passed_runs_and_not_what_fails_again_and_again() -> None:
    programs = [program(1), program(2), program(3, state="new"), program(4, in_use=False), program(5)]
    failures = {ProgramId(5): MOST_FAILURES, ProgramId(2): MOST_FAILURES - 1}
    assert numbers(next_programs(programs, [], {}, failures, 4)) == [2, 1]


def test_in_the_long_run_all_have_equal_turns() -> None:
    draw, turns = random.Random(5), Counter[ProgramId]()
    programs = [program(number, ("nim", "chess")[number % 2]) for number in range(1, 12)]
    running: list[ProgramId] = []
    for _ in range(600):
        for chosen in next_programs(programs, running, turns, {}, 4 - len(running)):
            running.append(chosen.id)
            turns[chosen.id] += 1
        running.remove(draw.choice(running))
    assert max(turns.values()) - min(turns[each.id] for each in programs) <= 4
