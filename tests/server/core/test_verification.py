"""A stored match that fits together has no faults, and each figure of it that is changed is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from tabiya.games.registry import load_game
from tabiya.server.core.verification import faults_of
from tabiya.storage.memory import MemoryStore
from tabiya.storage.records import MatchFilter, StoredMatch
from tests.server.planted import LINE, plays, two_players

Change = Callable[[StoredMatch], StoredMatch]


async def stored_match(moves: str, **terms: Any) -> StoredMatch:
    """A match as it is stored."""
    store = MemoryStore()
    await plays(store, await two_players(store), moves, **terms)
    (stored,) = (await store.stored_matches(MatchFilter(limit=1))).matches
    await store.close()
    return stored


def faults(stored: StoredMatch) -> list[str]:
    """What does not fit."""
    return list(faults_of(stored, load_game(stored.match.game)))


def row(at: int, **fields: Any) -> Change:
    """Change a row of a move."""

    def change(stored: StoredMatch) -> StoredMatch:
        rows = list(stored.moves)
        rows[at] = replace(rows[at], **fields)
        return replace(stored, moves=tuple(rows))

    return change


def match(**fields: Any) -> Change:
    """Change the match's own row."""
    return lambda stored: replace(stored, match=replace(stored.match, **fields))


def result(**fields: Any) -> Change:
    """Change the result."""

    def change(stored: StoredMatch) -> StoredMatch:
        assert stored.match.result is not None
        return match(result=replace(stored.match.result, **fields))(stored)

    return change


def lost_turn(**fields: Any) -> Change:
    """Change the account of the turn in which time ran out."""

    def change(stored: StoredMatch) -> StoredMatch:
        assert stored.match.result is not None
        assert stored.match.result.lost_turn is not None
        return result(lost_turn=replace(stored.match.result.lost_turn, **fields))(stored)

    return change


def cut(stored: StoredMatch) -> StoredMatch:
    """The last move is gone."""
    return replace(stored, moves=stored.moves[:-1])


@pytest.mark.parametrize("control", ["60+0.5", "2/10", "5/move", "none", "60+0.5,5/move"])
async def test_what_the_core_saves_has_no_faults(control: str) -> None:
    for moves in (LINE, "a1 a2", "a1 a2 b1"):
        assert faults(await stored_match(moves, control=control)) == []
        if moves != LINE:
            assert faults(await stored_match(moves, control=control, runs_out=True)) == []


WON: list[tuple[Change, str]] = [
    (match(start_text="chaos"), "the start position cannot be read"),
    (match(time_control="soon"), "'soon'"),
    (match(status="running"), "it is running and has a result"),
    (match(result=None), "it is ended and has no result"),
    (match(result=None, status="running"), "the game is over after ply 4, but no result is stored"),
    (row(2, ply=3), "ply 2 is missing"),
    (row(2, text="a1"), "ply 2 cannot be played"),
    (row(2, seat=1), "ply 2 is by seat 1"),
    (row(2, think_us=1), "after ply 2 do not follow"),
    (row(2, remaining_us=(1, 1)), "after ply 2 do not follow"),
    (row(2, server_us=9_000_000), "but 1000000 us have passed since ply 1"),
    (row(2, forgiven_us=9_000_000), "but 1000000 us have passed since ply 1"),
    (row(2, sent_at=1_750_000_012.9), "the account of ply 2 has 997000 us of thinking in a turn of 100000 us"),
    (row(2, network_us=7), "us of credit for"),
    (row(2, server_us=-1), "less than no time"),
    (row(1, illegal_counts=(0, 1)), "fewer than (0, 1) before"),
    (row(4, illegal_counts=(3, 0)), "number 3 loses"),
    (cut, "but the moves have not ended the game"),
    (result(winner=1), "the stored result is seat 1 wins (line), but the moves say seat 0 wins (line)"),
    (result(winner=None), "the stored result is nobody wins (line), but the moves say seat 0 wins (line)"),
    (result(ending="time"), "the stored result is seat 0 wins (time), but the moves say seat 0 wins (line)"),
    (result(remaining_us=(1, 1)), "seat 0 ends with 1 us on its clock"),
]
LOST_ON_TIME: list[tuple[Change, str]] = [
    (result(winner=0), "but seat 0 was to move"),
    (result(ending="stall"), "but the time control is 60+0.5"),
    (result(ending="draw_agreed"), "but nobody wins so"),
    (result(ending="aborted"), "but nobody wins so"),
    (result(ending="line"), "but the moves have not ended the game"),
    (result(ending="resignation", winner=None), "but somebody wins so"),
    (result(ending="time_cannot_win", winner=None), "but seat 1 could still win"),
    (result(remaining_us=(60_000_000, 1)), "seat 1 ends with 1 us on its clock"),
    (result(remaining_us=(90_000_000, 59_543_000)), "seat 0 ends with 90000000 us on its clock"),
    (result(overrun_ms=1), "overstepped by 7000 us, but 1 ms are stored"),
    (result(ended_at=1_750_000_900.0), "overstepped by "),
    (lost_turn(credit_us=0), "but its account gives"),
    (lost_turn(standstill_us=1), "but its account gives"),
    (lost_turn(ply=7), "the lost turn is of ply 7, but ply 2 was to be played"),
]


@pytest.mark.parametrize(("change", "says"), WON, ids=[says for _, says in WON])
async def test_each_fault_of_a_match_that_was_won_is_found(change: Change, says: str) -> None:
    found = faults(change(await stored_match(LINE)))
    assert any(says in fault for fault in found), found


@pytest.mark.parametrize(("change", "says"), LOST_ON_TIME, ids=[says for _, says in LOST_ON_TIME])
async def test_each_fault_of_a_match_that_was_lost_on_time_is_found(change: Change, says: str) -> None:
    found = faults(change(await stored_match("a1 a2", runs_out=True)))
    assert any(says in fault for fault in found), found
