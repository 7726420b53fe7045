"""Who is run next: new versions first, then everybody in turn, nobody alone, nobody when nothing would be learned."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from tabiya.hosting.turns import (
    KNOWN_ELO,
    KNOWN_MOST,
    KNOWN_TURNS,
    MOST_FAILURES,
    NEW_ELO,
    NEW_MOST,
    NEW_TURNS,
    Queue,
    Rated,
    next_programs,
)
from tabiya.storage.program_records import ProgramId, ProgramRecord, ProgramState
from tabiya.storage.records import BotId


def program(number: int, game: str = "nim", state: ProgramState = "good", in_use: bool = True) -> ProgramRecord:
    return ProgramRecord(
        id=ProgramId(number), bot_id=BotId(number), number=1, game=game, digest="1f", file_name="bot.py", bytes=1,
        created_at=float(number), state=state, in_use=in_use,
    )  # fmt: skip


def chosen(
    programs: list[ProgramRecord],
    running: list[ProgramId],
    turns: Mapping[ProgramId, int],
    failures: Mapping[ProgramId, int],
    free: int,
    *known: Any,
    **more: Any,
) -> list[ProgramId]:
    return [each.id for each in next_programs(Queue(programs, running, turns, failures, free), *known, **more)]


def often(*programs: ProgramRecord) -> dict[ProgramId, int]:
    """So many turns that their ratings can be known."""
    return {each.id: KNOWN_TURNS for each in programs}


def test_the_program_with_the_fewest_turns_goes_first_and_among_equals_the_newest() -> None:
    programs = [program(number) for number in (1, 2, 3, 4)]
    first, _ = chosen(programs, [], {}, {}, 2)
    assert first == 4
    turns = {ProgramId(4): 2, ProgramId(3): 1}
    assert chosen(programs, [], turns, {}, 3) == [2, 1, 3]
    assert chosen(programs, [ProgramId(2)], turns, {}, 1) == [1]


def test_a_program_that_would_be_alone_waits_and_takes_nobodys_place() -> None:
    programs = [program(1), program(2), program(3, "chess")]
    assert chosen(programs, [], {}, {}, 2) == [2, 1]
    assert chosen(programs[:1], [], {}, {}, 2) == []
    assert chosen(programs, [], {}, {}, 1) == []
    assert chosen([*programs, program(4, "chess")], [ProgramId(3)], {}, {}, 1) == [4]


def test_only_what_is_in_use_and_has_passed_runs_and_not_what_fails_again_and_again() -> None:
    programs = [program(1), program(2), program(3, state="new"), program(4, in_use=False), program(5)]
    failures = {ProgramId(5): MOST_FAILURES, ProgramId(2): MOST_FAILURES - 1}
    assert chosen(programs, [], {}, failures, 4) == [2, 1]


def test_in_the_long_run_all_have_equal_turns() -> None:
    draw, turns = random.Random(5), Counter[ProgramId]()
    programs = [program(number, ("nim", "chess")[number % 2]) for number in range(1, 12)]
    running: list[ProgramId] = []
    for _ in range(600):
        for each in chosen(programs, running, turns, {}, 4 - len(running)):
            running.append(each)
            turns[each] += 1
        running.remove(draw.choice(running))
    assert max(turns.values()) - min(turns[each.id] for each in programs) <= 4


def test_new_ones_go_first_until_their_rating_is_known_whatever_turns_they_have_had() -> None:
    programs = [program(number) for number in (1, 2, 3)]
    rated = {ProgramId(1): Rated(1500, NEW_ELO), ProgramId(2): Rated(1500, NEW_ELO + 1)}
    turns = {ProgramId(2): 30, ProgramId(3): 40, ProgramId(1): NEW_TURNS}
    assert chosen(programs, [], turns, {}, 2, rated) == [2, 1]
    assert chosen(programs, [ProgramId(1)], turns, {}, 1, rated) == [2]
    assert chosen(programs, [], turns | {ProgramId(1): NEW_TURNS - 1}, {}, 2, rated)[0] == 1  # of one partner alone


def test_a_program_that_loses_every_game_counts_as_new_only_for_a_limited_number_of_turns() -> None:
    programs = [program(number) for number in (1, 2, 3)]
    rated = {ProgramId(1): Rated(700, 300), ProgramId(2): Rated(1500, NEW_ELO), ProgramId(3): Rated(1500, NEW_ELO)}
    others = {ProgramId(2): NEW_TURNS, ProgramId(3): NEW_TURNS}
    assert chosen(programs, [], others | {ProgramId(1): NEW_MOST - 1}, {}, 2, rated)[0] == 1
    assert chosen(programs, [], others | {ProgramId(1): NEW_MOST}, {}, 2, rated)[0] == 3
    turns = {each.id: KNOWN_MOST for each in programs}
    assert chosen(programs, [], turns, {}, 2, rated) == []
    assert chosen(programs, [], turns | {ProgramId(1): KNOWN_MOST - 1}, {}, 2, rated)[0] == 1


def test_a_partner_is_of_similar_rating_and_not_always_the_same() -> None:
    programs = [program(number) for number in range(1, 9)]
    rated = {each.id: Rated(1000 + 100 * each.id, 40) for each in programs}
    turns = {each.id: 10 for each in programs} | {ProgramId(8): 1, ProgramId(1): 9, ProgramId(6): 9}
    assert chosen(programs, [], turns, {}, 2, rated) == [8, 6]
    assert chosen(programs, [], turns | {ProgramId(5): 8}, {}, 2, rated) == [8, 5]


def test_a_partner_is_of_the_same_division_if_there_is_one_and_found_for_who_runs_alone() -> None:
    programs = [program(number) for number in range(1, 6)]
    rated = {each.id: Rated(1000 + 100 * each.id, 40) for each in programs}
    divisions = {ProgramId(5): 0, ProgramId(1): 0, ProgramId(4): 1}
    assert chosen(programs, [], {}, {}, 2, rated, divisions=divisions) == [5, 1]
    turns = {ProgramId(number): 5 - number for number in range(1, 6)}  # 5 has had none, then 4
    assert chosen(programs, [ProgramId(1)], turns, {}, 1, rated, divisions=divisions) == [5]
    assert chosen(programs, [ProgramId(2)], turns, {}, 1, rated) == [5]
    assert chosen(programs[:4], [ProgramId(2)], turns, {}, 1, rated, divisions=divisions) == [3]


def test_a_program_alone_finds_a_partner_among_those_with_known_ratings() -> None:
    programs = [program(1), program(2)]
    rated = {ProgramId(2): Rated(1500, KNOWN_ELO)}
    turns = often(*programs)
    assert chosen(programs, [ProgramId(1)], turns, {}, 1, rated) == [2]
    assert chosen(programs, [ProgramId(1)], turns, {}, 1, rated | {ProgramId(1): Rated(1500, 9)}) == []


def test_partners_change() -> None:
    programs, met, turns = [program(number) for number in range(1, 9)], Counter[frozenset[int]](), Counter[ProgramId]()
    for _ in range(200):
        pair = chosen(programs, [], turns, {}, 2)
        turns.update(pair)
        met[frozenset(pair)] += 1
    assert len(met) > 20  # of 28


def test_programs_with_known_ratings_start_only_as_partners() -> None:
    programs = [program(number) for number in (1, 2, 3)]
    rated = {each.id: Rated(1500, KNOWN_ELO) for each in programs}
    turns = often(*programs)
    assert chosen(programs, [], turns, {}, 2, rated) == []
    assert chosen(programs, [], turns | {ProgramId(3): KNOWN_TURNS - 1}, {}, 2, rated)[0] == 3
    rated[ProgramId(2)] = Rated(1500, KNOWN_ELO + 1)
    assert chosen(programs, [], turns, {}, 2, rated)[0] == 2


def test_with_somebody_of_the_house_a_program_may_be_the_only_one() -> None:
    programs = [program(1), program(2, "chess")]
    assert chosen(programs, [], {}, {}, 2, house=["nim"]) == [1]
    assert chosen(programs, [], {}, {}, 2, house=["chess", "nim"]) == [2, 1]


@pytest.mark.parametrize("seed", range(3))
def test_a_newcomer_is_known_after_so_many_games_and_the_ladder_then_rests(seed: int) -> None:
    """Every turn is four games, which narrow an interval as those of equals do: 681 Elo / sqrt(games)."""
    turns, games = Counter[ProgramId](), Counter[ProgramId]()
    programs = random.Random(seed).sample([program(number) for number in range(1, 21)], 20)
    games.update({each.id: 400 for each in programs[:-1]})  # all but the last are known already
    turns.update(often(*programs[:-1]))
    newcomer, first, rounds = programs[-1].id, 0, 0
    while True:
        rated = {each: Rated(1500 + each % 7, 681 / number**0.5) for each, number in games.items()}
        pair = chosen(programs, [], turns, {}, 2, rated)
        if not pair:
            break
        rounds += 1
        if rated.get(newcomer, Rated(0, 999)).plus_minus > NEW_ELO:
            first += 1
            assert newcomer in pair
        for each in pair:
            turns[each] += 1
            games[each] += 4
    assert first == 33  # 132 games
    assert 400 < rounds < 1_200
    assert min(games.values()) >= (681 / KNOWN_ELO) ** 2
