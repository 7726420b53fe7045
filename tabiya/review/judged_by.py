"""What a review depends on, as text: a stored review with the same text is still valid."""

from __future__ import annotations

from tabiya import __version__

USUAL_NODES = 20_000  # a position; a game of chess takes some seconds
JUDGED_AS = 1  # to be raised when the same moves are judged otherwise


def judged_by(game: str, nodes: int, moves: int) -> str:
    """The words. nodes: for each position.  moves: of the game so far; a match that goes on has more the next time."""
    from tabiya.games.registry import load_game, names

    rules = load_game(game).rules_version if game in names() else 0
    return f"tabiya {__version__}.{JUDGED_AS}, rules {rules}, {nodes} nodes, {moves} moves"
