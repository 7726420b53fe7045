"""The full rules of the games; needs the `engine` extra, which is loaded at the first call."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tabiya.bots.players.api import MoveRequest

if TYPE_CHECKING:
    from tabiya.games.contract import Game
    from tabiya.games.position import Position


class NeedsEngine(ImportError):
    """The rules need the `engine` extra, which is not installed; str(error) says how to install it."""


MOST_KEPT = 64
_latest: dict[tuple[str, str], Position] = {}  # by where its history begins, the latest asked for last: a match goes on
_keeping = threading.Lock()
HINT = 'the rules are not installed on this machine; install them with: pip install "tabiya[engine]"'


def have_rules() -> bool:
    """Whether the `engine` extra is installed; loads nothing."""
    try:
        return all(importlib.util.find_spec(package) is not None for package in ("numba", "numpy"))
    except (ImportError, ValueError):  # find_spec raises them for a package that is half there
        return False


def load_game(name: str) -> Game:
    """The rules of a game.  Raises UnknownGame, and NeedsEngine without the `engine` extra."""
    try:
        from tabiya.games import registry

        return registry.load_game(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("numba", "numpy", "llvmlite"):
            raise NeedsEngine(HINT) from None
        raise


def position_of(game: str, history_position: str, history_moves: Sequence[str]) -> Position:
    """The position after these moves, with its history, so that repetitions count.

    Raises NeedsEngine without the `engine` extra, GameError for texts that are no position or move.
    """
    asked = (game, history_position)
    # taken out and put back behind all others, so that the oldest is the first to go
    with _keeping:
        position = _latest.pop(asked, None)
    if position is None or position.moves != tuple(history_moves[: position.ply]):
        position = load_game(game).parse(history_position)
    for move in history_moves[position.ply :]:
        position = position.play(move)
    with _keeping:
        _latest[asked] = position
        while len(_latest) > MOST_KEPT:
            del _latest[next(iter(_latest))]
    return position


def legal_moves_of(request: MoveRequest) -> tuple[str, ...]:
    """The legal moves, from the rules where the server has not listed them. Raises as `position_of`."""
    if request.legal_moves is not None:
        return request.legal_moves
    return position_of(request.game, request.history_position, request.history_moves).legal_moves()


def request_at(position: Position, match: int = 1, **more: Any) -> MoveRequest:
    """The question about a position, its history with it: `position_of` is the way back.

    more: what else is known, as MoveRequest has it: times, seed, offers.
    """
    history = position.history()
    return MoveRequest(
        match=match,
        game=position.game.name,
        seat=position.to_move,
        ply=position.ply,
        position=position.text(),
        history_position=history.text,
        history_moves=history.moves,
        legal_moves=position.legal_moves(),
        last_move=position.last_move,
        **more,
    )


def warm(names: Iterable[str]) -> None:
    """Load and compile the rules of these games (all that there are for none), before any clock runs.

    Names that nobody here knows are left out: the server may host more games than this installation has.
    """
    from tabiya.games import registry

    known = registry.names()
    for name in tuple(names) or known:
        if name in known:
            start = registry.load_game(name).start()
            start.can_win(0)
            start.play(start.legal_moves()[0]).history()
