"""Matches stored as a server stores them, played by the core alone; and ways to damage a database behind its back."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from msgspec.structs import replace

from tabiya.games.registry import load_game
from tabiya.server.core.effects import SaveMove, SaveResult
from tabiya.server.core.events import AlarmRang, MatchOpened, MoveArrived, MoveSaved, ResultSaved
from tabiya.server.core.match import advance
from tabiya.server.core.policy import DEFAULT_POLICY
from tabiya.server.core.restore import start_match
from tabiya.server.core.state import AwaitingMove, Match
from tabiya.storage.records import BotRecord, MatchId, NewMatch, SeatRecord
from tabiya.storage.store import Store
from tests.server.core import fakes

GAME, LINE, DRAW = "tictactoe", "a1 a2 b1 b2 c1", "a1 b2 c3 b1 b3 a3 c1 c2 a2"
MS, S = 1_000_000, 1_000_000_000
EPOCH_NS = 1_750_000_000 * S
Bots = tuple[BotRecord, BotRecord]


async def two_players(store: Store) -> Bots:
    """Ada and Bob."""
    ada, bob = [await store.create_bot(name, created_at=1_750_000_000.0) for name in ("ada", "bob")]
    return ada, bob


def agreed(bots: Bots, key: str, game: str, control: str) -> NewMatch:
    """A match of the two from the game's usual start."""
    rules = load_game(game)
    ada, bob = (SeatRecord(bot_id=bot.id, bot=bot.name) for bot in bots)
    new = fakes.agreed(control, rules=rules, start=rules.start().text())
    return replace(new, key=key, options=rules.read_options({}), seats=(ada, bob), created_at=1_750_000_000.0)


async def plays(
    store: Store,
    bots: Bots,
    moves: str,
    *,
    key: str = "",
    game: str = GAME,
    control: str = "60+0.5",
    runs_out: bool = False,
) -> MatchId:
    """A stored match after these moves, one a second with 40 ms of lag credit.

    runs_out: the player to move then loses on time.
    """
    new = agreed(bots, f"{game} {moves} {control}", game, control)
    match_id = await store.create_match(new)
    now_ns = 10 * S
    match = start_match(match_id, new, load_game(game), DEFAULT_POLICY, EPOCH_NS)
    match, _ = advance(match, MatchOpened(now_ns, (True, True), (40 * MS, 40 * MS)))
    for text in moves.split():
        now_ns += S
        seat, ply = match.position.to_move, match.position.ply
        match, effects = advance(match, MoveArrived(seat, text, ply, now_ns, now_ns, 40 * MS, {"depth": ply}))
        match = await saved(store, match, effects, now_ns + 3 * MS)
    if runs_out:
        assert isinstance(match.stage, AwaitingMove)
        now_ns, ply = match.stage.deadline_ns + 7 * MS, match.position.ply
        match, effects = advance(match, AlarmRang(ply, now_ns, rearmed=True))
        await saved(store, match, effects, now_ns)
    return match_id


async def saved(store: Store, match: Match, effects: tuple[object, ...], now_ns: int) -> Match:
    """The match after what it asked to be saved is."""
    (effect,) = effects
    if isinstance(effect, SaveMove):
        await store.append_move(effect.move)
        return advance(match, MoveSaved(effect.move.ply, now_ns))[0]
    assert isinstance(effect, SaveResult)
    await store.finish_match(effect.result, effect.move)
    return advance(match, ResultSaved(now_ns))[0]


def change(file: Path, *statements: str) -> None:
    """Change an SQLite file that no store has open, whatever its own rules say."""
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA ignore_check_constraints=ON")
        for statement in statements:
            assert connection.execute(statement).rowcount != 0, statement
        connection.commit()


def fill_a_page_with(file: Path, match_id: int) -> str:
    """Make each move of a match as long as a page of the file; a text that only the page of its second move has."""
    change(
        file,
        f"""UPDATE moves SET info = '{{"text": "move ' || ply || ' {"." * 3_800}"}}' WHERE match_id = {match_id}""",  # noqa: S608
    )
    return "move 1 ..."
