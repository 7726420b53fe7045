"""The stages of a class's tournament; tests/tabiya/cli/hosting/test_classroom.py plays whole ones."""

from __future__ import annotations

import pytest

from tabiya.classroom.class_tournament import in_pairs
from tabiya.classroom.record import Entry
from tabiya.server.pairing.state import Plan
from tabiya.server.pairing.swiss import Swiss


@pytest.mark.parametrize("size", [2, 5, 13, 40])
def test_programs_are_started_in_the_order_in_which_a_swiss_pairs_them(size: int) -> None:
    swiss, plan = Swiss(), Plan(entrants=size)
    state = swiss.advance(plan, swiss.begin(plan, tuple(range(size))))
    entries = [Entry(name=str(number), source="", folder="") for number in range(size)]
    order = [int(entry.name) for entry in in_pairs(entries)]
    paired = [{meeting.first, meeting.second} for meeting in state.meetings]
    assert [set(order[at : at + 2]) for at in range(0, size - size % 2, 2)] == paired
    assert sorted(order) == list(range(size))
