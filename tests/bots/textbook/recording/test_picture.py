"""The picture of a search: well-formed, self-contained, bounded, and it says what the text drawing says."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest

from tabiya.bots.textbook.random_trees import random_tree
from tabiya.bots.textbook.recording.explanation import Explanation, explain
from tabiya.bots.textbook.recording.painting import BEST, CUT, FAINT, KINDS, MUTED, Shape
from tabiya.bots.textbook.recording.picture import tree_picture
from tabiya.bots.textbook.tree import parse_tree
from tabiya.games.picture import INK, PAPER

SVG = "{http://www.w3.org/2000/svg}"
READ = {"\N{LESS-THAN OR EQUAL TO}": "<=", "\N{GREATER-THAN OR EQUAL TO}": ">=", "\N{INFINITY}": "inf"}


def elements(picture: str) -> Iterator[tuple[ElementTree.Element, dict[str, str]]]:
    """All elements with their attributes and those of the groups around them."""

    def below(
        element: ElementTree.Element, given: dict[str, str]
    ) -> Iterator[tuple[ElementTree.Element, dict[str, str]]]:
        attributes = given | element.attrib
        yield element, attributes
        for child in element:
            yield from below(child, attributes)

    return below(ElementTree.fromstring(picture), {})


def texts(picture: str, **wanted: str) -> list[str]:
    """The texts with these attributes, as the text drawing writes them."""
    found = []
    for element, attributes in elements(picture):
        if element.tag == f"{SVG}text" and wanted.items() <= attributes.items():
            text = (element.text or "").replace("\N{MINUS SIGN}", "-")
            for sign, plain in READ.items():
                text = text.replace(sign, plain)
            found.append(text)
    return found


def boxes(picture: str, **wanted: str) -> list[dict[str, str]]:
    return [
        attributes
        for element, attributes in elements(picture)
        if element.tag == f"{SVG}rect" and wanted.items() <= attributes.items()
    ]


def of_kind(kind: str) -> dict[str, str]:
    return {name.replace("_", "-"): str(value) for name, value in KINDS[kind].items()}


def large() -> Explanation:
    return explain(str(random_tree(random.Random(3), 6, 4)), "minimax")


def test_it_says_what_the_text_says() -> None:
    explained = explain("000", "000-alphabeta")
    picture = explained.svg()
    for visit in range(len(explained.recording)):
        assert explained.drawing.name(visit) in texts(picture)
        assert explained.drawing.window(visit) in texts(picture)
        assert explained.drawing.value(visit).removeprefix("= ") in texts(picture)
    assert texts(picture, **{"text-decoration": "line-through"}) == ["F", "G", "#12", "8"]


def test_max_and_min_differ_by_shape() -> None:
    picture = explain("001", "001-alphabeta").svg()
    square, round_ = boxes(picture, **of_kind(Shape.MAX)), boxes(picture, **of_kind(Shape.MIN))
    assert (len(square), len(round_), len(boxes(picture, **of_kind(Shape.LEAF)))) == (1, 3, 7)
    assert all("rx" not in box for box in square)
    assert all(float(box["rx"]) == float(box["height"]) / 2 for box in round_)


def test_the_principal_variation_is_marked_when_all_is_over() -> None:
    explained = explain("001", "001-alphabeta")
    assert len(boxes(explained.svg(), stroke=BEST)) == 3  # the root and the moves 2 2
    assert len(boxes(explained.at(20).svg(), stroke=BEST)) == 0


def test_a_line_goes_through_the_second_search_of_a_move() -> None:
    explained = explain([[5, 6], [7, 8]], "001-alphabetapvs")
    marked = {float(box["x"]) for box in boxes(explained.svg(), stroke=BEST)}
    last = [float(box["x"]) for box in boxes(explained.svg(), **of_kind(Shape.MIN))][-1]
    assert last in marked
    assert "#4 again" in texts(explained.svg())


def test_what_is_not_visited_yet_is_faint_and_the_current_node_stands_out() -> None:
    explained = explain("001", "001-alphabeta")
    picture = explained.at(3).svg()
    assert texts(picture, opacity=str(FAINT)) == [
        *(f"#{number}" for number in (3, 4, 5, 6, 7, 8, 9, 10)),
        *("#11", "6", "#12", "2"),
    ]
    assert texts(picture, **{"font-weight": "bold", "text-anchor": "middle"}) == ["-4"]
    assert len(boxes(picture, **of_kind("here"))) == 1


def test_a_large_search_is_folded_and_says_so() -> None:
    explained = large()
    picture = explained.svg(most=60)
    drawn = sum(len(boxes(picture, **of_kind(shape))) for shape in (Shape.MAX, Shape.MIN, Shape.LEAF))
    assert drawn <= 60
    hidden = len(explained.recording) - drawn
    assert f"{hidden:,} of 1,555 nodes are not drawn" in " ".join(texts(picture))
    folded = [text for text in texts(picture, **{"font-size": "11"}) if re.fullmatch(r"[\d,]+", text)]
    assert sum(int(text.replace(",", "")) for text in folded) == hidden


@pytest.mark.parametrize("most", [20, 120, 400])
def test_boxes_and_texts_do_not_overlap(most: int) -> None:
    spans: dict[str, list[tuple[float, float]]] = {}
    for element, attributes in elements(large().svg(most)):
        if element.tag == f"{SVG}text" and attributes.get("text-anchor") == "middle":
            half = len(element.text or "") * 0.6 * float(attributes["font-size"]) / 2
            middle = float(attributes["x"])
            spans.setdefault(attributes["y"], []).append((middle - half, middle + half))
    assert len(spans) > 3
    for row in spans.values():
        row.sort()
        assert all(left[1] < right[0] for left, right in itertools.pairwise(row))


def test_it_is_one_document_without_style_script_or_anything_from_outside() -> None:
    for picture in (large().svg(), explain("000", "000-alphabeta").svg(), explain("000", "000-alphabeta").at(4).svg()):
        for element, _ in elements(picture):
            assert element.tag.removeprefix(SVG) in {"svg", "title", "g", "rect", "path", "text"}
            assert not {"style", "class", "href", "onload"} & set(element.attrib)
            assert not any("url(" in value for value in element.attrib.values())


@pytest.mark.parametrize("seat", [0, 1])
def test_a_tree_before_any_search_has_its_leaves_and_empty_boxes(seat: int) -> None:
    tree = parse_tree("[[3,-5],[null,7,[1,2]]]", seat)
    picture = tree_picture(tree)
    assert sorted(texts(picture, **{"font-weight": "bold"})) == ["-5", "1", "2", "3", "7"]
    assert texts(picture, **{"font-size": "11", "text-anchor": "middle"}) == [f"#{number}" for number in range(10)]
    shapes = [len(boxes(picture, **of_kind(shape))) for shape in (Shape.MAX, Shape.MIN, Shape.LEAF)]
    assert shapes == [[2, 2, 6], [2, 2, 6]][seat]
    assert ElementTree.fromstring(picture).findtext(f"{SVG}title") == "the tree [[3,-5],[null,7,[1,2]]]"


def luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("shape", [Shape.MAX, Shape.MIN, Shape.LEAF])
def test_every_text_can_be_read_on_its_ground(shape: Shape) -> None:
    assert contrast(INK, str(KINDS[shape]["fill"])) > 7
    assert all(contrast(colour, PAPER) > 4.5 for colour in (INK, MUTED, CUT, BEST))
