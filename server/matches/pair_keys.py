"""Keys of matches played in pairs outside tournaments: which games belong together.

A run is one `tabiya match`, or what two bots play with each other in the lobby of a server on the same terms.

pair_key("9f3c-1", 6, 1) == "match-9f3c-1-6"          pair 3, its first game, tried once
place_in_run("match-9f3c-1-7-2") == ("9f3c-1", 7)   pair 3, its second game
run_name("any text") == "efbc407994e1c6f4-0"          a run by what all its games have in common
"""

from __future__ import annotations

import hashlib
import re

KEY = re.compile(r"match-(?P<run>[0-9a-f]+-[0-9]+)-(?P<number>[0-9]+)(?:-[0-9]+)?")


def run_name(text: str) -> str:
    """The name of the run that this text describes completely, with its time and players."""
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest() + "-0"


def pair_key(run: str, number: int, tries: int = 1) -> str:
    """The key of a game. number: from 0, two of a pair follow each other.  tries: how often it was begun."""
    return f"match-{run}-{number}" + (f"-{tries}" if tries > 1 else "")


def place_in_run(key: str) -> tuple[str, int] | None:
    """Run and number of the game; None for a match that belongs to no run."""
    found = KEY.fullmatch(key)
    return None if found is None else (found["run"], int(found["number"]))
