"""A board as it is set up by hand, piece by piece: on the way it need not be a position that the rules allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from tabiya.games.position import Position
from tabiya.games.rules import Outcome, Rules


class Switch(NamedTuple):
    """Something a board has or lacks besides its pieces, such as the right to castle."""

    name: str
    title: str
    is_on: bool


@dataclass(frozen=True, slots=True)
class BoardSetup:
    """A board that may be no legal position, with all that pictures need of a position."""

    game: Rules
    position_text: str
    to_move: int
    start_text: str = ""  # a larger board, of which pictures show the room that is left

    last_move: ClassVar[str | None] = None

    def text(self) -> str:
        """The board in the game's notation."""
        return self.position_text

    def outcome(self) -> Outcome | None:
        """Nothing has ended: nobody plays yet."""
        return None

    def __str__(self) -> str:
        return self.position_text


ShownBoard = Position | BoardSetup
"""What a picture can be drawn of."""
