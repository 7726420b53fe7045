"""Many games judged in worker processes, and what cost most in all of them.

for number, judged in judge_set(games, nodes=20_000, workers=2):
    ...                                     # the game of this number is judged: its moves, or why it cannot be
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from msgspec import Struct

from tabiya.errors import UserError
from tabiya.review.judge import judge
from tabiya.server.archive.reviews import JudgedMove


class GameToJudge(Struct, frozen=True):
    """A game by its name, the text of its start, and its moves."""

    game: str
    start: str
    moves: tuple[str, ...]


def judge_set(
    games: Sequence[GameToJudge], nodes: int, workers: int
) -> Iterator[tuple[int, tuple[JudgedMove, ...] | str]]:
    """Each game's place in `games` with its judged moves, or the sentence why it has none, as they get ready.

    A game is judged as `judge` does it, whichever process does it.  Raises UserError if a process is killed.
    """
    if not games:
        return
    # on every system alike: a forked child would inherit locks that other threads of ours hold just now
    context = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(min(workers, len(games)), context, _leave_ctrl_c_to_the_parent) as pool:
            jobs = {pool.submit(judge_game, game, nodes): number for number, game in enumerate(games)}
            try:
                for job in as_completed(jobs):
                    yield jobs[job], job.result()
            except BaseException:  # also when nobody listens any more
                pool.shutdown(wait=False, cancel_futures=True)
                for child in multiprocessing.active_children():
                    child.kill()  # in the middle of a game it would not listen
                raise
    except BrokenProcessPool:
        raise UserError(
            "a process that judged games was ended from outside (too little memory? --workers 1 needs less)"
        ) from None


def judge_game(game: GameToJudge, nodes: int) -> tuple[JudgedMove, ...] | str:
    """The judged moves of a game, or a sentence if the rules of today cannot play it."""
    from tabiya.games.errors import GameError
    from tabiya.games.registry import load_game

    try:
        return tuple(judge(load_game(game.game), game.start, game.moves, nodes))
    except GameError as error:
        return str(error)


def _leave_ctrl_c_to_the_parent() -> None:
    # a terminal sends it to all processes of the command, and each would print a traceback
    signal.signal(signal.SIGINT, signal.SIG_IGN)
