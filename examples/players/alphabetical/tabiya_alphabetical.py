"""A player of a package: `tabiya match alphabetical random`, or `alphabetical:last` for the alphabet's other end."""

from tabiya import Bot, Turn


class Alphabetical(Bot):
    """Plays the legal move that comes first in the alphabet, or last; any game (else `games` would say which)."""

    def __init__(self, end: str = "first") -> None:
        """end: what stands behind the colon."""
        if end not in ("first", "last"):
            raise ValueError(f"it takes first or last, not {end!r}")
        self.choice = min if end == "first" else max

    def choose(self, turn: Turn) -> str:
        """The move."""
        return self.choice(turn.legal_moves)
