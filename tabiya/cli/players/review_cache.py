"""Judged moves of matches, kept in the database that the matches are in: what was judged once is not judged again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tabiya.cli.output import note
from tabiya.cli.players.game_sources import FoundGame
from tabiya.cli.stores import on_store
from tabiya.errors import UserError
from tabiya.review.judged_by import judged_by

if TYPE_CHECKING:
    from tabiya.server.archive.reviews import JudgedMove
    from tabiya.storage.store import Store

    Judged = tuple[JudgedMove, ...]


class ReviewCache:
    """Reviews in a database, with `nodes` nodes a position; None: no database, nothing is kept."""

    def __init__(self, database: str | None, nodes: int) -> None:
        self._database, self._nodes = database, nodes

    def read(self, games: Iterable[FoundGame]) -> dict[int, Judged]:
        """The stored judgements of these games, by the number of the match."""
        wanted = {game.match: self.judged_by(game) for game in games}

        async def read(store: Store) -> dict[int, Judged]:
            from tabiya.server.archive.reviews import decoded
            from tabiya.storage.records import MatchId

            kept = {number: await store.review(MatchId(number)) for number in wanted}
            found = {
                number: decoded(review.judged)  # a damaged review is made again
                for number, review in kept.items()
                if review is not None and review.judged_by == wanted[number]
            }
            return {number: judged for number, judged in found.items() if judged is not None}

        return {} if self._database is None else on_store(self._database, read)

    def keep(self, judged: Iterable[tuple[FoundGame, Judged]]) -> None:
        """Keep these for the next time. A database that cannot be written is said and is no failure."""
        from tabiya.server.archive.reviews import encoded

        texts = [(game.match, self.judged_by(game), encoded(moves)) for game, moves in judged]

        async def keep(store: Store) -> None:
            from tabiya.storage.records import MatchId

            for number, by, text in texts:
                await store.keep_review(MatchId(number), by, text)

        if self._database is not None and texts:
            try:
                on_store(self._database, keep)
            except UserError as error:
                note(f"the review could not be saved: {error}")

    def judged_by(self, game: FoundGame) -> str:
        """All that a judgement depends on, in words."""
        return judged_by(game.game, self._nodes, len(game.moves))
