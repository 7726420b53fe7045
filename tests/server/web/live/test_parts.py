"""What has changed in a page is told row by row, and leads from every page to every other."""

from __future__ import annotations

import random

import pytest

from tabiya.server.web.live.parts import Rows, Splice, changes, parts_of, splices


def spliced(rows: Rows, steps: list[Splice]) -> Rows:
    """What a browser makes of them."""
    made = list(rows)
    for at, removed, fresh in steps:
        made[at : at + removed] = fresh
    return tuple(made)


def test_a_part_is_cut_into_the_elements_and_texts_directly_in_it() -> None:
    page = """<!doctype html><body data-live><p>before</p>
    <div data-part="head"> 3 games <b title="a &gt; b">run</b><br>now</div>
    <tbody data-part='' data-part="rows"><tr><td>1<td></tr>
    <tr><td data-part="inner"><img src="x"></td></tr></tbody><svg data-part="none"><path/></svg></body>"""
    with pytest.raises(ValueError, match="ends no element"):
        parts_of(page)
    found = parts_of(page.replace("1<td>", "1</td>"))
    assert {name: [row.strip() for row in rows] for name, rows in found.items()} == {
        "head": ["3 games", '<b title="a &gt; b">run</b>', "<br>", "now"],
        "rows": ["<tr><td>1</td></tr>", '<tr><td data-part="inner"><img src="x"></td></tr>'],
        "none": ["<path/>"],
    }
    with pytest.raises(ValueError, match="<p> is not ended"):
        parts_of("<p>")


def test_a_row_that_has_changed_is_told_alone() -> None:
    old, new = ("a", "b", "c", "d"), ("a", "B", "c", "e", "d", "f")
    assert splices(old, new) == [(4, 0, ("f",)), (3, 0, ("e",)), (1, 1, ("B",))]
    assert changes({"one": old, "two": old}, {"one": old, "two": new}) == {"two": splices(old, new)}


@pytest.mark.parametrize("seed", range(50))
def test_the_splices_lead_from_any_rows_to_any_others(seed: int) -> None:
    dice = random.Random(seed)
    old, new = (tuple(dice.choice("abcdef") for _ in range(dice.randrange(12))) for _ in range(2))
    assert spliced(old, splices(old, new)) == new
