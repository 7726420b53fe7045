"""Compiling ahead of need: nothing may compile while a clock runs."""

from __future__ import annotations

from tabiya.games.contract import Game
from tabiya.games.openings import opening
from tabiya.games.perft import perft


def warm(game: Game) -> None:
    """Compile every step of `game` that `Position`, the openings and perft call, or load it from the cache.

    Games that share their rules share the compiled code.
    """
    position = game.start()
    position.play(position.legal_moves()[0])
    position.play_all(position.legal_moves()[:1], [position.to_move])
    game.readable_move(position, position.legal_moves()[0])
    position.can_win(0)
    position.is_same(position)
    perft(position, 1)
    opening(game, 0)
