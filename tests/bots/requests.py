"""Requests for tests of players."""

from __future__ import annotations

from typing import Any

from bots.think import ThinkRequest
from games.position import Position
from games.registry import load_game


def request(game: str, **fields: Any) -> ThinkRequest:
    """A request about the start of a game, with whatever fields are to differ."""
    position: str = fields.pop("position", None) or load_game(game).start().text()
    usual: dict[str, Any] = {"history_position": position, "seat": 0, "ply": 0, "budget_s": 5.0}
    return ThinkRequest(match=1, game=game, position=position, **(usual | fields))


def request_at(position: Position, **fields: Any) -> ThinkRequest:
    """A request about a position, its history included."""
    history = position.history()
    return request(
        position.game.name,
        position=position.text(),
        history_position=history.text,
        history_moves=history.moves,
        legal_moves=position.legal_moves(),
        seat=position.to_move,
        ply=position.ply,
        **fields,
    )
