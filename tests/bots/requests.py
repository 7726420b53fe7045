"""Requests for tests of players."""

from __future__ import annotations

from typing import Any

from tabiya.bots.players import lazy_rules
from tabiya.bots.players.api import MoveRequest
from tabiya.games.position import Position
from tabiya.games.registry import load_game


def request(game: str, **fields: Any) -> MoveRequest:
    """A request about the start of a game, with whatever fields are to differ."""
    position: str = fields.pop("position", None) or load_game(game).start().text()
    usual: dict[str, Any] = {"history_position": position, "seat": 0, "ply": 0, "budget_s": 5.0}
    return MoveRequest(match=1, game=game, position=position, **(usual | fields))


def request_at(position: Position, **fields: Any) -> MoveRequest:
    """A request about a position, its history included; five seconds for it if nothing else is said."""
    return lazy_rules.request_at(position, **({"budget_s": 5.0} | fields))
