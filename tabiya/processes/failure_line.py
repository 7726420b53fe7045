"""The line of a failed program's output that says what went wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST = 400  # what went wrong, and what to do about it
FAILED = re.compile(r"tabiya: (?P<what>.* failed):?$")
"""As our client says that the author's code has failed; what went wrong is in the lines below."""
DETAIL_LINE = re.compile(
    r"[\s{}\[\]^]*$|\s*at |\s+\w+: |\s*\.\.\. \d+ more|Node\.js v|Require stack:|- |note: |goroutine |\s+/|exit status "
    r"|main\.\w+\(.*\)$"
)
"""Lines that Node, Java, Rust and Go print below their error: where it was, and what they are."""


def failure_line(lines: Sequence[str]) -> str:
    """The printed line that says what went wrong; empty if nothing was printed.

    Our client says what failed below its error; other languages print below it only where it happened.
    """
    printed = [line for line in lines if line.strip()]
    last = next((line for line in reversed(printed) if not DETAIL_LINE.match(line)), printed[-1] if printed else "")
    for line in reversed(printed):
        if failed := FAILED.match(line):
            what = re.sub(r"\S*[/\\]", "", failed["what"])  # the folder is not its author's
            return f"{what}: {last.strip()}"[:LONGEST]
    return last.strip()[:LONGEST]
