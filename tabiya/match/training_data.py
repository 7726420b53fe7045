"""Positions to learn from: games of a player against itself, with what it thought of each position and the result.

The first line says what all games have in common, each other line is a game: docs/how-to/training-data.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from tabiya.bots.client.events import Listener
from tabiya.games.endings import Ending
from tabiya.games.registry import load_game
from tabiya.match.executors.spread import Spread
from tabiya.match.growing_file import GrowingFile
from tabiya.match.pairs import PlayedPair
from tabiya.match.participants import MatchFailed
from tabiya.match.plan import MatchPlan
from tabiya.storage.records import MatchRecord, MoveRecord

FORMAT = 1
OPTIONS = {"player": "PLAYER", "game": "--game", "time_control": "--time", "options": "--option", "seed": "--seed"}
DIGESTED = "--openings, --draw, --resign, --max-moves or --on-failure"


class DataTerms(Struct, frozen=True, kw_only=True):
    """The first line. options: of the game, those that were given.  digest: of all this and what else it depends on."""

    format: int = FORMAT
    game: str
    player: str
    time_control: str
    options: dict[str, Any]
    seed: int
    digest: str


class DataPosition(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A position that the player had to move in, and what it said.

    score: for the side to move, in hundredths of the game's unit; None where it said nothing.  result: of the game, for
    the side to move: 1, 0.5 or 0.
    """

    ply: int
    position: str
    move: str
    result: float
    score: int | None = None
    depth: int | None = None
    nodes: int | None = None


class DataGame(Struct, frozen=True, kw_only=True):
    """A game. number: from 0.  winner: a seat, None for a draw."""

    number: int
    winner: int | None
    ending: str
    positions: tuple[DataPosition, ...]


def terms_of(plan: MatchPlan) -> DataTerms:
    """The terms that all games of a plan share."""
    return DataTerms(
        game=plan.game,
        player=plan.players[0],
        time_control=plan.time_control,
        options=plan.options,
        seed=plan.seed,
        digest=plan.digest,
    )


def data_game(number: int, record: MatchRecord, moves: Sequence[MoveRecord]) -> DataGame:
    """An ended game as training data, without its opening moves, which no player chose."""
    result = record.result
    assert result is not None
    at, found = load_game(record.game).parse(record.start_text), []
    for move in moves:
        if not move.opening:
            info = move.info or {}
            found.append(
                DataPosition(
                    ply=move.ply,
                    position=at.text(),
                    move=move.text,
                    result=0.5 if result.winner is None else float(result.winner == move.seat),
                    score=info.get("score"),
                    depth=info.get("depth"),
                    nodes=info.get("nodes"),
                )
            )
        at = at.play(move.text)
    return DataGame(number=number, winner=result.winner, ending=result.ending, positions=tuple(found))


class DataFile(GrowingFile):
    """A file of games that is written on. numbers: of the games that it has; positions: how many in all of them.

    played, failed: games since it was opened, and in how many of them the player's program failed.
    """

    command = "data"

    def __init__(self, path: Path, terms: DataTerms) -> None:
        """Raises MatchFailed for a file of other games or another format, OSError."""
        self.terms, self.numbers, self.positions = terms, set[int](), 0
        self.played = self.failed = 0
        super().__init__(path, terms)

    def _terms_differ(self, earlier: DataTerms) -> str:
        changed = [
            f"{called} (was {getattr(earlier, name) or 'not given'})"
            for name, called in OPTIONS.items()
            if getattr(earlier, name) != getattr(self.terms, name)
        ]
        return f"has games with other options: {', '.join(changed) or DIGESTED}"

    def _read(self, lines: Iterator[bytes]) -> None:
        for number, line in enumerate(lines, 2):
            try:
                self._count(msgspec.json.decode(line, type=DataGame))
            except msgspec.DecodeError as error:
                raise MatchFailed(f"line {number} of {self.path} is not a game: {error}") from None

    def _count(self, game: DataGame) -> None:
        self.numbers.add(game.number)
        self.positions += len(game.positions)

    def add(self, games: Iterable[DataGame]) -> None:
        """Write games that are new. Raises OSError."""
        new = [game for game in games if game.number not in self.numbers]
        self._add(*new)
        for game in new:
            self._count(game)


async def write_data(
    spread: Spread, plan: MatchPlan, file: DataFile, listener: Listener, progress: Callable[[], None]
) -> None:
    """Play the games of a plan that the file lacks. Raises MatchFailed, OSError."""
    wanted = [pair for pair in range(plan.pairs) if not {2 * pair, 2 * pair + 1} <= file.numbers]
    async with aclosing(spread.pairs(plan, wanted)) as pairs:
        async for played in pairs:
            if played is not None:
                for note in played.notes:
                    listener(note.event)
                file.played += len(played.games)
                file.failed += sum(game.failure is not None for game in played.games)
                file.add(_games(played))
            progress()


def _games(played: PlayedPair) -> list[DataGame]:
    games = []
    for number, game in enumerate(played.games, 2 * played.pair):
        assert game.record.result is not None
        # what is left out is played again when the file is gone on with
        if game.record.result.ending != Ending.ABORTED and not all(move.opening for move in game.moves):
            games.append(data_game(number, game.record, game.moves))
    return games
