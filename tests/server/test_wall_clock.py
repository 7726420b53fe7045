"""The clock on the wall jumps, as when a machine corrects it: nothing in a match depends on it."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import asdict

from tabiya.protocol.messages import MatchEnded, MatchStarted, Seek
from tabiya.server.app import TabiyaServer
from tabiya.server.config import ServerConfig
from tabiya.server.matches.factory import CLOCK_SAMPLES
from tabiya.storage.memory_tables import MemoryTables
from tabiya.storage.records import MatchId, MoveRecord
from tests.fakes.store import FaultyStore
from tests.server.local_bots import AtOnce, Table, at_random
from tests.virtual_time import now_ns, virtual_time, wall_ns

DAY_NS, FIRST_LOOKS = 86_400 * 1_000_000_000, CLOCK_SAMPLES + 2
OF_THE_WALL = ("at", "sent_at", "created_at", "ended_at", "reason", "lost_turn", "forgiven_us")


def jumping(every: int) -> Callable[[], int]:
    """A clock that is a day early or late, another way after each few looks; right when the opening is drawn by it."""
    looks = 0

    def look() -> int:
        nonlocal looks
        looks += 1
        return wall_ns() + (0 if looks < FIRST_LOOKS else (1, -1)[looks // every % 2] * DAY_NS)

    return look


async def played(clock: Callable[[], int]) -> tuple[list[dict[str, object]], tuple[object, ...]]:
    """A match of two bots that crosses a restart, with everything the store has of it but times of day."""
    tables: MemoryTables | None = None
    pending = 0  # the ply whose turn the restart wiped out
    for life in range(2):
        store = FaultyStore(tables)
        settings = ServerConfig(database_url="memory:", time_control="60+0.1")
        server = TabiyaServer(settings, store=store, now_ns=now_ns, wall_ns=clock, listens=False, executor=AtOnce())
        await server.start()
        there = Table(server, store)
        bots = [await there.bot(name, at_random(5 + life), 0.7) for name in ("ada", "bob")]
        if life == 0:
            for bot in bots:
                bot.say(Seek(game="chess"))
            await bots[0].receives(MatchStarted)
            await bots[0].until(lambda bots=bots: len(bots[0].inbox) >= 12)  # type: ignore[misc]
            tables = await there.crash()
            pending = len(rows_of(tables))
        else:
            await bots[0].receives(MatchEnded)
            there.network.close("the test is over")
            await server.stop()
    assert tables is not None
    kept = [{name: value for name, value in asdict(row).items() if name not in OF_THE_WALL} for row in rows_of(tables)]
    kept[pending].pop("server_us")  # for how long the server was away only the clock on the wall can tell
    reported = asdict(tables.results[0])
    assert all(0 <= row.forgiven_us <= 60_000_000 for row in rows_of(tables))  # recorded, and charged to nobody
    return kept, tuple(value for name, value in reported.items() if name not in OF_THE_WALL)


def rows_of(tables: MemoryTables) -> list[MoveRecord]:
    """The moves of the only match, in order."""
    return [row for _, row in sorted(tables.moves[MatchId(1)].items())]


@virtual_time
async def test_a_clock_on_the_wall_that_jumps_by_a_day_changes_nothing_in_a_match() -> None:
    rows, result = await played(wall_ns)
    assert len(rows) > 20
    for every in (1, 3):
        assert await played(jumping(every)) == (rows, result)
