"""A graded opponent by name: its player in each game is read from the catalogue."""

from __future__ import annotations

from collections.abc import Callable

from tabiya.bots.players.api import MatchInfo, MoveReply, MoveRequest, Player
from tabiya.bots.players.catalogue import levels_of


class LevelPlayer:
    """Makes the player of the match's game when the match begins."""

    def __init__(self, name: str, build: Callable[[str], Player]) -> None:
        """name: of a level.  build: makes a player of the PLAYER grammar."""
        self._name, self._build = name, build
        self._players: dict[str, Player] = {}
        self._running: Player | None = None

    def new_match(self, match: MatchInfo) -> None:
        """Hand the match to the player of its game. Raises ValueError for a game without this level."""
        self._player(match.game).new_match(match)

    def choose(self, request: MoveRequest) -> MoveReply:
        """What the player of the game chooses."""
        self._running = self._player(request.game)
        return self._running.choose(request)

    def stop(self) -> None:
        """Stop the player of the game."""
        if self._running is not None:
            self._running.stop()

    def _player(self, game: str) -> Player:
        if game not in self._players:
            found = [level.player for level in levels_of(game) if level.name == self._name]
            if not found:
                raise ValueError(f"there is no level {self._name!r} in {game}")
            self._players[game] = self._build(found[0])
        return self._players[game]
