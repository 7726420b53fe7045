"""Names that may be had, and names that are taken for one another."""

# ruff: noqa: RUF001 - the look-alikes are what is tested

from __future__ import annotations

import contextlib
import sys
import unicodedata

import pytest

from tabiya.server.accounts.names import (
    INVISIBLE,
    LONGEST_NAME,
    RESERVED,
    NameRefused,
    check_name,
    same_name,
    skeleton,
    with_suffix,
)


def test_a_name_is_returned_in_its_normal_form() -> None:
    assert check_name("Zoe\u0308") == "Zo\u00eb"
    assert same_name(" Zoe\u0308") == same_name("ZO\u00cb")


@pytest.mark.parametrize(
    "name", ["", "-", " a", "a ", "a  b", "a\tb", "x" * 41, "none", "\u2066x", "a\u0000", "\ud800"]
)
def test_a_bad_name_is_refused_in_one_printable_sentence(name: str) -> None:
    with pytest.raises(NameRefused) as refused:
        check_name(name)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("number", [2, 17, 9_999])
def test_a_suffix_fits_into_the_longest_name(number: int) -> None:
    name = with_suffix("x" * LONGEST_NAME, number)
    assert check_name(name) == name
    assert len(name) == LONGEST_NAME
    assert name.endswith(f"-{number}")


def test_the_longest_name_can_be_cut_at_a_space() -> None:
    name = "x" * (LONGEST_NAME - 3) + " yz"
    assert check_name(with_suffix(name, 2)).endswith("-2")


NAMES = (
    "Ada|o'neill (v2) +1|Żółw|Straße 7|棋士|東京タワーbot|한국어|αβ-search|Bot α|हिन्दी|ไทยนี้|שלום 3|Данило|pvs:6@v1.2"
)


@pytest.mark.parametrize("name", NAMES.split("|"))
def test_names_of_living_languages_are_taken_as_they_are(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize(
    ("name", "because"),
    [
        ("аda", "Cyrillic and Latin"),  # the first letter is Cyrillic
        ("Ωmega", "Greek and Latin"),
        ("ada שלום", "from right to left"),
        ("a\u0301\u0301\u0301", "not '\\u0301'"),
        ("क\u0901\u0901\u0901", "not '\\u0901'"),
        ("\u3164", "not '\\u1160'"),  # a letter that shows nothing
        ("𒐫", "not '\\U0001242b'"),  # wider than a page
        ("ada\u200d", "not '\\u200d'"),
        ("\u202eada", "not '\\u202e'"),
        ("a\u0000", "not '\\x00'"),
        ("a\x1b[2J", "not '\\x1b'"),
        ("<b>", "not '<'"),
        ("🤖", "not '\\U0001f916'"),
        ("ﷺ" * 3, "1 to 40 characters, not 54"),
        ("../../x", "begins with a letter or digit, not '.'"),
        ("/etc/x", "begins with a letter or digit, not '/'"),
        ("+1+1", "begins with a letter or digit, not '+'"),
        ("-2+3", "begins with a letter or digit, not '-'"),
        ("@SUM(1)", "begins with a letter or digit, not '@'"),
        ("'x", 'begins with a letter or digit, not "\'"'),
        ("_ada", "begins with a letter or digit, not '_'"),
        ("=1+1", "not '='"),
        ("＝1+1", "not '='"),
    ],
)
def test_a_name_that_deceives_or_destroys_is_refused_with_the_reason(name: str, because: str) -> None:
    with pytest.raises(NameRefused) as refused:
        check_name(name)
    assert because in str(refused.value)
    assert str(refused.value).isprintable()


def test_a_name_that_somebody_has_had_may_begin_as_it_does() -> None:
    assert check_name("../../x", held=True) == "../../x"
    with pytest.raises(NameRefused, match="not '='"):
        check_name("=1+1", held=True)


def test_a_word_of_the_server_is_reserved_however_it_is_written() -> None:
    for word in RESERVED:
        check_reserved(word)


def check_reserved(word: str) -> None:
    for name in (word, word.upper(), f"({word})", " ".join(word), word.replace("o", "0"), f"{word}!"):
        with pytest.raises(NameRefused, match="reserved"):
            check_name(name)


def test_styled_letters_become_plain_ones() -> None:
    assert check_name("𝐚𝐝𝐚") == check_name("ａｄａ") == "ada"


def test_no_unicode_character_in_a_name_hides_or_moves_the_text_around_it() -> None:
    hidden = []
    for number in range(sys.maxunicode + 1):
        character = chr(number)
        kind = unicodedata.category(character)
        if kind[0] not in "CZ" and character not in INVISIBLE:
            continue
        if kind in ("Cn", "Co", "Cs") and number % 499:  # unassigned, private, halves of pairs: some of very many
            continue
        with contextlib.suppress(NameRefused):
            hidden.append(check_name(f"a{character}a"))
    assert set(hidden) == {"a a"}  # the spaces that are only another way of writing a space


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("paypal", "раураl"),
        ("PayPal", "PayPaI"),
        ("COCO", "СОСО"),
        ("Team 0", "team-O"),
        ("Team7", "Team 7"),
        ("my_bot", "my-bot"),
        ("corner", "comer"),
        ("modern", "modem"),
    ],
)
def test_look_alike_names_count_as_the_same(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)
    assert same_name(one) != same_name(other)


def test_names_that_only_count_are_not_alike() -> None:
    names = [f"Team {number}" for number in range(300)] + [
        "bot-1-1",
        "bot-11",
        "v1.1",
        "v11",
        "Zoe",
        "Zoë",
        "Ada",
        "Eda",
    ]
    assert len({skeleton(name) for name in names}) == len(names)
