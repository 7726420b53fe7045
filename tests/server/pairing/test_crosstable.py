"""Ranks: what counts most, then one tie-break after another among those who are equal so far."""

from __future__ import annotations

from tabiya.server.pairing.crosstable import CrosstableRow, crosstable_rows, ranked
from tabiya.server.pairing.state import Meeting, PairingState


def line(entrant: int, points: float, against: dict[int, float], **tie_breaks: float) -> CrosstableRow:
    met = {other: (score, 2) for other, score in against.items()}
    return CrosstableRow(entrant, points, 4, 0, 0, 0, met, tie_breaks)


def order(lines: list[CrosstableRow], *tie_breaks: str) -> list[tuple[int, int]]:
    return [(one.rank, one.entrant) for one in ranked(lines, tie_breaks)]


def test_direct_encounter_parts_those_who_are_equal_if_all_of_them_have_met() -> None:
    lines = [line(0, 3, {1: 0.5}), line(1, 3, {0: 1.5}), line(2, 5, {})]
    assert order(lines, "direct_encounter") == [(1, 2), (2, 1), (3, 0)]
    assert [one.tie_breaks for one in ranked(lines, ["direct_encounter"])] == [
        {},
        {"direct_encounter": 1.5},
        {"direct_encounter": 0.5},
    ]
    three = [line(0, 3, {1: 2.0}), line(1, 3, {0: 0.0, 2: 2.0}), line(2, 3, {1: 0.0})]
    assert order(three, "direct_encounter") == [(1, 0), (1, 1), (1, 2)]


def test_direct_encounter_looks_only_at_those_who_are_equal_in_what_comes_before_it() -> None:
    lines = [
        line(0, 3, {1: 2.0, 2: 0.0}, buchholz=7),
        line(1, 3, {0: 0.0, 2: 2.0}, buchholz=9),
        line(2, 3, {0: 2.0, 1: 0.0}, buchholz=9),
    ]
    assert order(lines, "buchholz", "direct_encounter") == [(1, 1), (2, 2), (3, 0)]


def test_values_that_differ_by_rounding_alone_are_equal() -> None:
    lines = [line(0, 3, {}, score=0.1 + 0.2), line(1, 3, {}, score=0.3)]
    assert order(lines, "score") == [(1, 0), (1, 1)]


def test_a_tie_break_that_a_line_lacks_counts_as_zero() -> None:
    assert order([line(0, 1, {}), line(1, 1, {}, wins=1)], "wins") == [(1, 1), (2, 0)]


def test_lines_count_what_has_a_result_and_nothing_else() -> None:
    state = PairingState(marks="1." + "r=" + "+x")
    first, second = crosstable_rows(2, (Meeting(0, 1), Meeting(0, 1), Meeting(0, 1)), state)
    assert (first.points, first.played, first.wins, first.draws, first.losses) == (2.5, 4, 2, 1, 1)
    assert (second.points, second.played, second.against) == (0.5, 4, {0: (0.5, 4)})
