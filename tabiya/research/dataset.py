"""Stored games as a data set: Parquet files, a row a game, with a card that says what they are.

    await write_dataset(store, Path("games"), MatchFilter(game="chess", status="ended"))

`pip install "tabiya[parquet]"`. The columns and their meaning are COLUMNS; the card is written from them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from pyarrow import parquet

from tabiya.server.archive.pages import PAGE, OtherProcesses, pages
from tabiya.server.version import version
from tabiya.storage.records import MatchFilter, MoveRecord, StoredMatch, StoredMatches
from tabiya.storage.store import Store

FILE, CARD = "games.parquet", "README.md"
GROUP = 20_000  # games of a row group, which are in memory together

INT8, INT16, INT64, TEXT, TIME = pa.int8(), pa.int16(), pa.int64(), pa.string(), pa.timestamp("us", tz="UTC")


class Column(NamedTuple):
    """A column: its type, what it says, and how it is found; a null is allowed in each."""

    type: pa.DataType
    says: str
    of: Callable[[StoredMatch], Any]


def _each(of: Callable[[MoveRecord], Any]) -> Callable[[StoredMatch], list[Any]]:
    """A column with a value for each move."""
    return lambda stored: [of(move) for move in stored.moves]


def _result(name: str) -> Callable[[StoredMatch], Any]:
    return lambda stored: getattr(stored.match.result, name, None)


def _time(at: float | None) -> datetime | None:
    return None if at is None else datetime.fromtimestamp(at, UTC)


def _info_field(name: str) -> Callable[[StoredMatch], list[Any]]:
    """A field of the `info` that the bot sent with its move."""
    return _each(lambda move: (move.info or {}).get(name))


COLUMNS: dict[str, Column] = {
    "match": Column(INT64, "number of the match on its server", lambda one: one.match.id),
    "game": Column(TEXT, "name of the game", lambda one: one.match.game),
    "rules": Column(INT16, "version of the game's rules", lambda one: one.match.rules_version),
    "options": Column(TEXT, "options of the rules, as JSON", lambda one: json.dumps(one.match.options)),
    "start": Column(TEXT, "position before the first move, as text", lambda one: one.match.start_text),
    "moves": Column(pa.list_(TEXT), "the moves, in the game's notation", _each(lambda move: move.text)),
    "seats": Column(
        pa.list_(INT8), "who made each move: 0 the first player, 1 the second", _each(lambda move: move.seat)
    ),
    "opening": Column(INT16, "so many first moves were played for both", lambda one: sum(m.opening for m in one.moves)),
    "first": Column(TEXT, "bot on the first seat", lambda one: one.match.seats[0].bot),
    "second": Column(TEXT, "bot on the second seat", lambda one: one.match.seats[1].bot),
    "first_version": Column(TEXT, "version of the first bot", lambda one: one.match.seats[0].version),
    "second_version": Column(TEXT, "version of the second bot", lambda one: one.match.seats[1].version),
    "winner": Column(INT8, "seat that has won; null for a draw and without a result", _result("winner")),
    "ending": Column(TEXT, "how it ended; `aborted` is without a result", _result("ending")),
    "rated": Column(pa.bool_(), "whether ratings count it", lambda one: one.match.rated),
    "time_control": Column(TEXT, "time control, as text", lambda one: one.match.time_control),
    "tournament": Column(INT64, "number of the tournament", lambda one: one.match.tournament_id),
    "began": Column(TIME, "when it began", lambda one: _time(one.match.created_at)),
    "ended": Column(TIME, "when it ended", lambda one: _time(_result("ended_at")(one))),
    "think_us": Column(pa.list_(INT64), "microseconds that each move took", _each(lambda move: move.think_us)),
    "clock_us": Column(
        pa.list_(INT64),
        "microseconds on the mover's clock after each move; without a meaning if `time_control` is `none`",
        _each(lambda move: move.remaining_us[move.seat]),
    ),
    "score": Column(
        pa.list_(INT64), "the mover's judgement from its side, in hundredths, or null", _info_field("score")
    ),
    "depth": Column(pa.list_(INT64), "the depth that the mover has searched, or null", _info_field("depth")),
}

SCHEMA = pa.schema([pa.field(name, column.type, metadata={"says": column.says}) for name, column in COLUMNS.items()])

ON_A_SERVER = """\
programs played by the rules of the games on a Tabiya server. Two games of a pair begin alike with the seats
  exchanged, and are not independent"""
SELF_PLAY = "a policy played against itself, without clocks: times are 0. The moves of openings were drawn evenly"

CARD_TEXT = """\
# Games of bots

`{file}` has a row for each of {games:,} games between {bots:,} bots, in the order in which they began.

* **Games:** {by_game}.
* **How they ended:** {by_ending}.
* **When they began:** {days}.
* **How they came about:** {origin} ({version} wrote this).
* **Left out:** {left_out} games that could not be read, and all that is known of the bots' owners. A bot's name may say
  who that is: look before you hand the data on.
* **Licence:** not stated. Say here whose games these are, and what others may do with them.

| column | type | what it says |
| --- | --- | --- |
{columns}
"""


@dataclass
class DataSetSummary:
    """Contents of a data set: games by name and by ending, bots, the first and last day, and what was left out."""

    games: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    bots: set[str] = field(default_factory=set)
    began: list[datetime] = field(default_factory=list)
    left_out: int = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Count the games of a batch."""
        self.games.update(batch["game"].to_pylist())
        self.endings.update(batch["ending"].to_pylist())
        self.bots.update(batch["first"].unique().to_pylist(), batch["second"].unique().to_pylist())
        days = batch["began"].to_pylist()
        self.began = [min(self.began[:1] + days), max(self.began[1:] + days)]


def batch_of(page: StoredMatches) -> tuple[pa.RecordBatch, int]:
    """The matches of a page as rows, and how many cannot be read."""
    columns = [pa.array(map(column.of, page.matches), column.type) for column in COLUMNS.values()]
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA), len(page.damaged)


async def write_dataset(
    store: Store, folder: Path, wanted: MatchFilter, others: OtherProcesses | None = None
) -> DataSetSummary:
    """Write FILE and CARD into a folder, which is made. Raises StoreError and OSError."""
    with _files(folder, ON_A_SERVER) as (written, add):
        async for batch, damaged in pages(store, wanted, batch_of, others):
            written.left_out += damaged
            add(batch)
    return written


def write_games(games: Iterable[StoredMatch], folder: Path) -> DataSetSummary:
    """The same of games of `self_play`, as they come. Raises OSError, and what `games` raises."""
    coming = iter(games)
    with _files(folder, SELF_PLAY) as (written, add):
        while page := tuple(islice(coming, PAGE)):
            add(batch_of(StoredMatches(matches=page))[0])
    return written


@contextmanager
def _files(folder: Path, origin: str) -> Iterator[tuple[DataSetSummary, Callable[[pa.RecordBatch], None]]]:
    """What is written, and how a batch is added; the card comes at the end. origin: how the games came about."""
    written, waiting = DataSetSummary(), list[pa.RecordBatch]()
    folder.mkdir(parents=True, exist_ok=True)
    with parquet.ParquetWriter(folder / FILE, SCHEMA, compression="zstd") as file:

        def write() -> None:
            file.write_table(pa.Table.from_batches(waiting, SCHEMA))
            waiting.clear()

        def add(batch: pa.RecordBatch) -> None:
            if batch.num_rows:
                written.add(batch)
                waiting.append(batch)
            if sum(each.num_rows for each in waiting) >= GROUP:
                write()

        yield written, add
        if waiting:
            write()
    (folder / CARD).write_text(card(written, origin), encoding="utf-8")


def card(written: DataSetSummary, origin: str) -> str:
    """A description of the data, as Markdown. The publisher adds the origin of the games and the licence."""
    days = " to ".join(dict.fromkeys(f"{at:%Y-%m-%d}" for at in written.began)) or "never"
    rows = [f"| `{name}` | {column.type} | {column.says} |" for name, column in COLUMNS.items()]
    return CARD_TEXT.format(
        games=sum(written.games.values()),
        file=FILE,
        bots=len(written.bots),
        days=days,
        by_game=_counts(written.games),
        by_ending=_counts(written.endings),
        left_out=written.left_out,
        origin=origin,
        version=version(),
        columns="\n".join(rows),
    )


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.most_common()) or "none"
