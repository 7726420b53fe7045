"""Text that may come from anybody, made safe for a terminal."""

from __future__ import annotations


def printable(value: object) -> str:
    """`value` as one line that cannot command a terminal: control characters are shown as escapes."""
    if value is None:
        return ""
    text = f"{value:.1f}" if isinstance(value, float) else str(value)
    # ascii() writes the escape of a character; without the quotes that it puts around it
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
