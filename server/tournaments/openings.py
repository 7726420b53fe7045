"""The openings of a tournament: one for each meeting, distinct until exhausted; drawn by the seed, or given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from tabiya.games.contract import Game
from tabiya.games.errors import GameError, shown
from tabiya.games.openings import Opening, distinct_openings
from tabiya.games.registry import load_game
from tabiya.storage.records import TournamentRecord


class OpeningError(GameError):
    """One of the given openings cannot be played; the message is one sentence with its number."""

    field = "openings"  # of a tournament's settings, for the API's answer


class Openings:
    """Openings drawn on demand: a draw takes about a millisecond, and all at once would block the event loop."""

    def __init__(self, record: TournamentRecord) -> None:
        """The given openings; without any, those drawn for this tournament's game, options and seed."""
        game, options = load_game(record.game), record.settings.get("options", {})
        given = given_openings(game, options, record.settings.get("openings", ()))
        self._draws: Iterator[Opening] = iter(given) if given else distinct_openings(game, record.seed, options)
        self._drawn = list[Opening]()
        self._are_all_drawn = False

    def needs_draw(self, meetings: int) -> bool:
        """Whether some of the openings of the first `meetings` meetings are still to be drawn."""
        return not self._are_all_drawn and len(self._drawn) < meetings

    def draw(self, meetings: int) -> None:
        """Draw the openings of the first `meetings` meetings; may take seconds when distinct ones run out."""
        if self.needs_draw(meetings):
            self._drawn += islice(self._draws, meetings - len(self._drawn))
            self._are_all_drawn = len(self._drawn) < meetings

    def of(self, meeting: int) -> Opening:
        """The opening of this meeting's two games."""
        self.draw(meeting + 1)
        return self._drawn[meeting % len(self._drawn)]  # they repeat when all are used


def given_openings(game: Game, options: Mapping[str, Any], texts: Sequence[str]) -> tuple[Opening, ...]:
    """The organiser's own openings in their order, each resulting position once. Raises OpeningError."""
    found: dict[str, Opening] = {}
    for number, text in enumerate(texts, 1):
        try:
            opening = _read(game, options, text)
            position = opening.position(game)
        except GameError as error:
            about = f"opening {number}, {shown(text)}, is neither a position nor moves from the start"
            raise OpeningError(f"{about}: {error}") from None
        if position.outcome() is not None:
            raise OpeningError(f"opening {number}, {shown(text)}, ends the game: nothing is left to play")
        found.setdefault(position.text(), opening)
    return tuple(found.values())


def _read(game: Game, options: Mapping[str, Any], text: str) -> Opening:
    """A position as its game writes it, or moves from the start position, parted by spaces."""
    try:
        return Opening(game.parse(text.strip()).start_text, ())
    except GameError:
        position = game.start(options)
        for move in text.split():
            position = position.play(move)
        return Opening(position.start_text, position.moves)
