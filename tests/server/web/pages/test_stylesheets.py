"""The stylesheets take every colour and size from the properties, which can be read by everybody."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from scripts.docs.design_page import SHEET, roles

COLOURED = re.compile(r"color$|^background|^border|^outline|^fill$|^stroke$|^box-shadow$|^text-decoration")
SIZED = re.compile(r"^(font-size|margin.*|padding.*|gap|(row|column)-gap|border(-[a-z]+)*-radius)$")
NOT_COLOURS = {"none", "transparent", "currentcolor", "inherit", "solid", "dashed", "dotted", "underline", "collapse"}
NOT_COLOURS |= {"line-through", "separate"}
LITERAL = re.compile(r"#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\(", re.IGNORECASE)
A_SIZE = re.compile(r"(?<![\w.-])(?!0\b)[\d.]+(?:[a-z]+|%)")
SURFACES, FILLS, TEXTS = (
    ("--paper", "--card", "--hover"),
    ("--good", "--bad", "--even"),
    ("--ink", "--faint", "--accent", "--warn"),
)
# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB
SIGHT = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}
Colour = tuple[float, ...]


class Declaration(NamedTuple):
    """One line of a sheet, as `file: property: value`."""

    file: str
    name: str
    value: str


def declarations() -> Iterator[Declaration]:
    for file in sorted(SHEET.parent.glob("*.css")):
        text = re.sub(r"/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
        for name, value in re.findall(r"([\w-]+)\s*:\s*([^;{}]+)(?=[;}])", text):
            yield Declaration(file.name, name, " ".join(value.split()))


def is_literal_colour(value: str) -> bool:
    bare = re.sub(r"var\([^()]*\)|\"[^\"]*\"", "", value).lower()
    return bool(LITERAL.search(bare)) or bool(set(re.findall(r"(?<![\w.-])[a-z][a-z-]+", bare)) - NOT_COLOURS)


def is_literal_size(value: str) -> bool:
    return bool(A_SIZE.search(re.sub(r"\b1em\b", "", value)))


def test_every_colour_is_one_of_the_properties() -> None:
    defined = {role.name for group in roles().values() for role in group}
    stray = [each for each in declarations() if COLOURED.search(each.name) and is_literal_colour(each.value)]
    stray += [each for each in declarations() if LITERAL.search(each.value) and each.name not in defined]
    assert stray == [], "docs/reference/design.md has the colours"


def test_every_size_of_type_room_and_corner_is_one_of_the_properties() -> None:
    stray = [each for each in declarations() if SIZED.match(each.name) and is_literal_size(each.value)]
    assert [each for each in stray if each.name != "margin" or not each.value.endswith("mm")] == [], (
        "docs/reference/design.md has the sizes"
    )


@pytest.mark.parametrize(
    ("value", "colour", "size"),
    [
        ("var(--ink)", False, False),
        ("1px solid #abc", True, True),
        ("1px solid red", True, True),
        ("rgb(1 2 3)", True, False),
        ("0 auto", True, False),
        (".4rem var(--space-1)", False, True),
        ("calc(-1 * var(--space-2))", True, False),
        ("1em", False, False),
    ],
)
def test_a_literal_is_found(value: str, colour: bool, size: bool) -> None:
    assert (is_literal_colour(value), is_literal_size(value)) == (colour, size)


def test_every_property_is_defined_and_used() -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in SHEET.parent.glob("*.css"))
    used, defined = set(re.findall(r"var\((--[\w-]+)", text)), set(re.findall(r"(--[\w-]+):", text))
    assert used - defined == set()
    assert {role.name for group in roles().values() for role in group} - used == set()


def colours(dark: bool) -> dict[str, str]:
    return {
        role.name: (dark and role.dark) or role.value
        for group in roles().values()
        for role in group
        if role.value.startswith("#")
    }


def linear(colour: str) -> Colour:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return tuple(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)


def seen(colour: str, sight: str) -> Colour:
    """As an eye of this kind sees it."""
    return tuple(min(1.0, max(0.0, dot(row, linear(colour)))) for row in SIGHT[sight])


def dot(row: Colour, other: Colour) -> float:
    return sum(a * b for a, b in zip(row, other, strict=True))


def contrast(one: str, other: str) -> float:
    """As WCAG 2 measures it: 1 to 21."""
    low, high = sorted(dot((0.2126, 0.7152, 0.0722), linear(colour)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def oklab(colour: Colour) -> Colour:
    rows = ((0.4122214708, 0.5363325363, 0.0514459929), (0.2119034982, 0.6806995451, 0.1073969566))
    cones = tuple(dot(row, colour) ** (1 / 3) for row in (*rows, (0.0883024619, 0.2817188376, 0.6299787005)))
    made = ((0.2104542553, 0.793617785, -0.0040720468), (1.9779984951, -2.428592205, 0.4505937099))
    return tuple(dot(row, cones) for row in (*made, (0.0259040371, 0.7827717662, -0.808675766)))


def difference(one: str, other: str, sight: str) -> float:
    """Between two colours, in hundredths of OKLab; about 2 can just be told apart side by side."""
    pair = oklab(seen(one, sight)), oklab(seen(other, sight))
    return 100 * math.dist(*pair)


@pytest.mark.parametrize("dark", [False, True])
def test_text_of_every_kind_can_be_read_on_everything(dark: bool) -> None:
    of = colours(dark)
    pairs = [*itertools.product(TEXTS, (*SURFACES, *FILLS)), ("--accent-ink", "--accent"), ("--paper", "--warn")]
    pairs += [("--seat-ink", "--seat-0"), ("--seat-ink", "--seat-1")]
    assert [(text, on) for text, on in pairs if contrast(of[text], of[on]) < 4.5] == []
    drawn = itertools.product(("--edge", "--bar", "--seat-0", "--seat-1"), SURFACES)
    assert [(mark, on) for mark, on in drawn if contrast(of[mark], of[on]) < 3] == []


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("dark", [False, True])
def test_seats_and_results_differ_for_every_kind_of_sight(dark: bool, sight: str) -> None:
    of = colours(dark)
    pairs = [("--seat-0", "--seat-1"), *itertools.combinations(FILLS, 2), *((fill, "--card") for fill in FILLS)]
    assert {pair: round(found, 1) for pair in pairs if (found := difference(of[pair[0]], of[pair[1]], sight)) < 5} == {}
