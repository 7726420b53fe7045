"""Which names a bot may have: readable, printable, not to be mistaken for the server's own words."""

from __future__ import annotations

import unicodedata

LONGEST_NAME = 40
MARKS = frozenset("-_.:+@() /'!")
RESERVED = frozenset({"server", "tabiya", "operator", "admin", "everyone", "nobody", "none", "draw"})


class NameRefused(ValueError):
    """A name that cannot be used; the text says why."""


def check_name(name: str) -> str:
    """The name in its normal form (NFC). Raises NameRefused."""
    name = unicodedata.normalize("NFC", name)
    if not 1 <= len(name) <= LONGEST_NAME:
        raise NameRefused(f"a name has 1 to {LONGEST_NAME} characters, not {len(name)}")
    for character in name:
        if character not in MARKS and unicodedata.category(character)[0] not in "LN":
            raise NameRefused(f"a name consists of letters, digits and {''.join(sorted(MARKS))!r}, not {character!a}")
    if name != name.strip() or "  " in name:
        raise NameRefused("a name neither begins nor ends with a space and has no two in a row")
    if not any(unicodedata.category(character)[0] in "LN" for character in name):
        raise NameRefused("a name has at least one letter or digit")
    if name.casefold() in RESERVED:
        raise NameRefused(f"the name {name!r} is reserved")
    return name


def same_name(name: str) -> str:
    """Equal for all the ways of writing one name: upper or lower case, composed or not, spaces around it."""
    return unicodedata.normalize("NFC", name).strip().casefold()


def with_suffix(name: str, number: int) -> str:
    """`name-2` for a second holder of the same free name, cut to the allowed length."""
    suffix = f"-{number}"
    return name[: LONGEST_NAME - len(suffix)] + suffix
