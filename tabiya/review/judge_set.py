"""Judges many games in the processes of an executor, and finds the costliest moves.

for number, judged in judge_set(games, 20_000, executor):
    ...                                     # the game of this number is judged: its moves, or why it cannot be
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, as_completed

from msgspec import Struct

from tabiya.review.judge import judge
from tabiya.server.archive.reviews import JudgedMove


class GameToJudge(Struct, frozen=True):
    """A game by its name, the text of its start, and its moves."""

    game: str
    start: str
    moves: tuple[str, ...]


def judge_set(
    games: Sequence[GameToJudge], nodes: int, executor: Executor
) -> Iterator[tuple[int, tuple[JudgedMove, ...] | str]]:
    """Each game's place in `games` with its judged moves, or the sentence why it has none, as they get ready.

    A game is judged as `judge` does it, whichever process does it.
    """
    jobs = {executor.submit(judge_game, game, nodes): number for number, game in enumerate(games)}
    for job in as_completed(jobs):
        yield jobs[job], job.result()


def judge_game(game: GameToJudge, nodes: int) -> tuple[JudgedMove, ...] | str:
    """The judged moves of a game, or a sentence if the rules of today cannot play it."""
    from tabiya.games.errors import GameError
    from tabiya.games.registry import load_game

    try:
        return tuple(judge(load_game(game.game), game.start, game.moves, nodes))
    except GameError as error:
        return str(error)
