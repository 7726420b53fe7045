"""Which names a bot may have: readable, printable, not to be mistaken for another's or for the server's own words.

Why it is done this way: docs/decisions/005-names.md.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from itertools import groupby

LONGEST_NAME = 40
MARKS = frozenset("-_.:+@() /'!")
RESERVED = frozenset({
    "admin", "administrator", "all", "anonymous", "bye", "draw", "everybody", "everyone", "nobody", "none", "null",
    "operator", "opponent", "referee", "root", "server", "system", "tabiya", "undefined", "you",
})  # fmt: skip
# The scripts of living languages that Unicode recommends for names (UAX #31, table 5), by their names there.
SCRIPTS = frozenset({
    "ARABIC", "ARMENIAN", "BENGALI", "BOPOMOFO", "COMMON", "CYRILLIC", "DEVANAGARI", "ETHIOPIC", "GEORGIAN", "GREEK",
    "GUJARATI", "GURMUKHI", "HAN", "HANGUL", "HEBREW", "HIRAGANA", "KANNADA", "KATAKANA", "KHMER", "LAO", "LATIN",
    "MALAYALAM", "MYANMAR", "ORIYA", "SINHALA", "TAMIL", "TELUGU", "THAANA", "THAI", "TIBETAN",
})  # fmt: skip
# Scripts that are written together in one word (UTS #39, "highly restrictive").
TOGETHER = (
    frozenset({"LATIN", "HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "HAN", "BOPOMOFO"}),
    frozenset({"LATIN", "HAN", "HANGUL"}),
)
INVISIBLE = frozenset("\u115f\u1160\u17b4\u17b5")  # letters and marks that show nothing
MOST_MARKS = 2  # above or below one letter
SEPARATORS = re.compile(r"(?<=\d)[ _-]+(?=\d)|([ _-]+)")


class NameRefused(ValueError):
    """A name that cannot be used; the text says why."""


def check_name(name: str, *, held: bool = False) -> str:
    """The name in its normal form (NFKC). Raises NameRefused.

    held: somebody has it already, perhaps from before names had to begin with a letter or digit.
    """
    name = unicodedata.normalize("NFKC", name)
    if not 1 <= len(name) <= LONGEST_NAME:
        raise NameRefused(f"a name has 1 to {LONGEST_NAME} characters, not {len(name)}")
    _check_characters(name)
    if name != name.strip() or "  " in name:
        raise NameRefused("a name neither begins nor ends with a space and has no two in a row")
    if not any(_is_letter(character) for character in name):
        raise NameRefused("a name has at least one letter or digit")
    _check_scripts(name)
    letters = re.sub(r"[^\w]|_", "", name)  # "t-a_b.i y a" is read as the reserved word, too
    if same_name(letters) in RESERVED or skeleton(letters) in reserved_skeletons():
        raise NameRefused(f"the name {name!r} is reserved")
    # "../x" is a path, "+1+1" a formula and "-x" an option to programs that are given names
    if not held and not _is_letter(name[0]):
        raise NameRefused(f"a name begins with a letter or digit, not {name[0]!r}")
    return name


def _check_characters(name: str) -> None:
    for place, character in enumerate(name):
        if character in MARKS or (_is_letter(character) and character not in INVISIBLE and alias(character) in SCRIPTS):
            continue
        if not _is_vowel_sign(name, place):
            allowed = repr("".join(sorted(MARKS)))
            raise NameRefused(f"a name consists of letters, digits and {allowed}, not {character!a}")


def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LN"


def _is_vowel_sign(name: str, place: int) -> bool:
    """Whether the mark at `place` is a part of the letter before it, as vowels are in Hindi or Thai: of one script."""
    if unicodedata.category(name[place])[0] != "M" or name[place] in INVISIBLE:
        return False
    first = place
    while first > 0 and unicodedata.category(name[first])[0] == "M":
        first -= 1
    script = alias(name[first])
    signs = name[first + 1 : place + 1]
    return len(signs) <= MOST_MARKS and _is_letter(name[first]) and {alias(sign) for sign in signs} == {script}


def _check_scripts(name: str) -> None:
    """Refuse a word of several scripts, and a name that runs in both directions: it would reorder text beside it."""
    for is_word, letters in groupby(name, lambda each: unicodedata.category(each)[0] in "LM"):
        scripts = {alias(letter) for letter in letters} - {"COMMON"} if is_word else set()
        if len(scripts) > 1 and not any(scripts <= together for together in TOGETHER):
            written = " and ".join(sorted(script.capitalize() for script in scripts))
            raise NameRefused(f"one word of the name {name!a} is written in {written}")
    directions = {unicodedata.bidirectional(letter) for letter in name}
    if "L" in directions and directions & {"R", "AL", "AN"}:
        raise NameRefused(f"the name {name!a} mixes scripts written from left to right and from right to left")


def same_name(name: str) -> str:
    """A key, equal for all the ways of writing one name: upper or lower case, composed or not, spaces around it."""
    # normalised twice, because what casefold() gives need not be in normal form (U+0390, for one)
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).strip().casefold())


def skeleton(name: str) -> str:
    """A key, equal for names that a reader takes for one another: `paypal` in Cyrillic, `PayPaI`, `pay-pal`.

    The skeleton of UTS #39 without case and without spaces, hyphens and underscores, except between two digits. It is
    compared and never shown.
    """
    plain = SEPARATORS.sub(lambda found: "" if found[1] else "-", unicodedata.normalize("NFKC", name))
    drawn = "".join(map(_drawn_as, unicodedata.normalize("NFD", plain)))
    return unicodedata.normalize("NFD", drawn).casefold()


def alias(character: str) -> str:
    """The script of a character."""
    from confusable_homoglyphs import categories

    return str(categories.alias(character))


def confusables() -> dict[str, list[dict[str, str]]]:
    """Unicode's table of characters that look alike."""
    from confusable_homoglyphs.confusables import confusables_data

    tables: dict[str, list[dict[str, str]]] = confusables_data
    return tables


def _drawn_as(character: str) -> str:
    """The character that stands, in Unicode's table, for all that look like this one; itself if there are none.

    The library keeps the table in both directions: what stands for others lists them, they list it alone.
    """
    table = confusables()
    alike = table.get(character, ())
    if len(alike) != 1:
        return character
    other: str = alike[0]["c"].strip("\u200e")  # the table sets what runs from right to left between marks
    if len(table.get(other, ())) == 1:  # a pair, in which each lists the other
        return min(character, other)
    return other


def with_suffix(name: str, number: int) -> str:
    """`name-2` for a second holder of the same free name, cut to the allowed length."""
    suffix = f"-{number}"
    return name[: LONGEST_NAME - len(suffix)] + suffix


@functools.cache
def reserved_skeletons() -> frozenset[str]:
    """The skeletons of the reserved names. When first asked for it loads Unicode's tables, which takes 20 ms."""
    return frozenset(map(skeleton, RESERVED))
