"""The tables.  A change here needs a migration (`migrations/`, beside this); a test compares the two on both databases.

Only plain types: numbers, text, booleans.  JSON is stored as text, instants as seconds since 1970, so that every row
reads back exactly equal on either database, which is how a repeated write is recognised.
"""

from __future__ import annotations

from typing import Any, get_args

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
)

from tabiya.storage.program_records import LeaseKind, LeaseOutcome, ProgramState
from tabiya.storage.records import LONGEST_ENDING, MatchStatus, Role, TournamentStatus

REVISION = "0013"
"""The schema that this code reads and writes: the newest migration (a test compares)."""

METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    }
)

# SQLite numbers rows by itself only in a column of exactly this type
BIG = BigInteger().with_variant(Integer(), "sqlite")


def _one_of(column: str, values: tuple[str, ...]) -> CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def _id() -> Column[int]:
    return Column("id", BIG, primary_key=True, autoincrement=True)


def _needed(name: str, kind: Any, *more: Any, server_default: str | None = None) -> Column[Any]:
    return Column(name, kind, *more, nullable=False, server_default=server_default)


def _optional(name: str, kind: Any, *more: Any) -> Column[Any]:
    return Column(name, kind, *more, nullable=True)


bots = Table(
    "bots",
    METADATA,
    _id(),
    _needed("name", Text),
    _needed("folded", Text),  # the form in which names are compared
    _optional("token_hash", Text),
    _needed("role", Text),
    _needed("guest", Boolean),
    _needed("created_at", Double),
    UniqueConstraint("folded"),
    UniqueConstraint("token_hash"),
    _one_of("role", get_args(Role)),
)

tournaments = Table(
    "tournaments",
    METADATA,
    _id(),
    _needed("name", Text),
    _needed("game", Text),
    _needed("format", Text),
    _needed("settings", Text),
    _needed("seed", BIG),
    _needed("status", Text),
    _needed("step", Integer),
    _needed("state", Text),
    _needed("created_at", Double),
    _optional("started_at", Double),
    _optional("ended_at", Double),
    UniqueConstraint("name", "created_at"),
    _one_of("status", get_args(TournamentStatus)),
)

entries = Table(
    "tournament_entries",
    METADATA,
    Column("tournament_id", BIG, ForeignKey("tournaments.id"), primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    _needed("bot_id", BIG, ForeignKey("bots.id")),
    _needed("version", Text),
    _needed("withdrawn", Boolean),
)

matches = Table(
    "matches",
    METADATA,
    _id(),
    _needed("key", Text),
    _needed("game", Text),
    _needed("rules_version", Integer),
    _needed("options", Text),
    _needed("start_text", Text),
    _needed("time_control", Text),
    _needed("bot0_id", BIG, ForeignKey("bots.id")),
    _needed("version0", Text),
    _needed("bot1_id", BIG, ForeignKey("bots.id")),
    _needed("version1", Text),
    _needed("rated", Boolean),
    _needed("illegal_limit", Integer),
    _needed("stall_limit_ms", BIG),
    _needed("remaining0_us", BIG),
    _needed("remaining1_us", BIG),
    _needed("credit_left0_us", BIG),
    _needed("credit_left1_us", BIG),
    _optional("tournament_id", BIG, ForeignKey("tournaments.id")),
    _optional("pairing", Integer),
    _optional("game_index", Integer),
    _needed("created_at", Double),
    _needed("status", Text),
    _optional("frozen_reason", Text),
    _optional("adjudication", Text),
    # who plays it; 0, which is in no row of `hosts`: the server that owns the database
    _needed("host", BIG, server_default="0"),
    UniqueConstraint("key"),
    _one_of("status", get_args(MatchStatus)),
    Index(None, "game", "id"),
    Index(None, "bot0_id", "id"),
    Index(None, "bot1_id", "id"),
    Index(None, "tournament_id", "id"),
)
# Few rows of very many: what a restart and the page of running matches read. With PostgreSQL it gets the same condition
# in postgresql_engine.py: to name that dialect here would load it.
not_ended = Index("ix_matches_not_ended", matches.c.status, matches.c.id, sqlite_where=matches.c.status != "ended")

# SQLite keeps row numbers of its own here: a batch then appends to a few pages.  Ordered by match (WITHOUT ROWID) each
# row of a batch lies on another page: 13 instead of 4 microseconds of processor a row, with 500 matches running.
moves = Table(
    "moves",
    METADATA,
    Column("match_id", BIG, ForeignKey("matches.id"), primary_key=True, autoincrement=False),
    Column("ply", Integer, primary_key=True, autoincrement=False),
    _needed("text", Text),
    _needed("seat", SmallInteger),
    _needed("opening", Boolean),
    _needed("remaining0_us", BIG),
    _needed("remaining1_us", BIG),
    _needed("illegal0", Integer),
    _needed("illegal1", Integer),
    _optional("draw_offer", SmallInteger),
    _needed("credit_left0_us", BIG),
    _needed("credit_left1_us", BIG),
    _needed("server_us", BIG),
    _needed("network_us", BIG),
    _needed("think_us", BIG),
    _needed("credit_us", BIG),
    _needed("forgiven_us", BIG),
    _optional("info", Text),
    _optional("sent_at", Double),
    _needed("at", Double),
    CheckConstraint("ply >= 0", name="ply"),
    CheckConstraint("seat IN (0, 1)", name="seat"),
)

# A table of its own: one result per match is then a rule of the database, and `number` the order in which they came.
results = Table(
    "results",
    METADATA,
    Column("number", BIG, primary_key=True, autoincrement=True),
    _needed("match_id", BIG, ForeignKey("matches.id")),
    _optional("winner", SmallInteger),
    _needed("ending", Text),
    _needed("reason", Text),
    _optional("overrun_ms", BIG),
    _needed("remaining0_us", BIG),
    _needed("remaining1_us", BIG),
    _needed("ended_at", Double),
    _optional("lost_turn", Text),
    UniqueConstraint("match_id"),
    CheckConstraint(f"length(ending) BETWEEN 1 AND {LONGEST_ENDING}", name="ending"),
    CheckConstraint("winner IN (0, 1)", name="winner"),
)

# Apart from the results, so that nothing that reads matches can tell it: it is for its owner and the operator only.
failures = Table(
    "failures",
    METADATA,
    Column("match_id", BIG, ForeignKey("matches.id"), primary_key=True, autoincrement=False),
    _needed("seat", SmallInteger),
    _needed("text", Text),
    CheckConstraint("seat IN (0, 1)", name="seat"),
)

# How long each bot has thought in its matches that have ended: counted by the transaction that ends a match, so that a
# bot's page reads a row and not all of its moves.
thinking = Table(
    "thinking",
    METADATA,
    Column("bot_id", BIG, ForeignKey("bots.id"), primary_key=True, autoincrement=False),
    Column("game", Text, primary_key=True),
    Column("version", Text, primary_key=True),
    _needed("moves", BIG),
    _needed("total_us", BIG),
    _needed("longest_us", BIG),
)

sessions = Table(
    "sessions",
    METADATA,
    Column("secret_hash", Text, primary_key=True),
    _optional("bot_id", BIG, ForeignKey("bots.id")),
    _needed("created_at", Double),
    _needed("expires_at", Double),
    Index(None, "bot_id"),
    Index(None, "expires_at"),
)

programs = Table(
    "programs",
    METADATA,
    _id(),
    _needed("bot_id", BIG, ForeignKey("bots.id")),
    _needed("number", Integer),
    _needed("game", Text),
    _needed("digest", Text),
    _needed("file_name", Text),
    _needed("bytes", BIG),
    _needed("created_at", Double),
    _needed("state", Text),
    _needed("report", Text),
    _needed("in_use", Boolean),
    # with a default for the rows of before they were measured
    _needed("measured_turns", Integer, server_default="0"),
    _needed("turns_cpu_s", Double, server_default="0"),
    _needed("examination_cpu_s", Double, server_default="0"),
    _needed("peak_mb", Double, server_default="0"),
    UniqueConstraint("bot_id", "number"),
    _one_of("state", get_args(ProgramState)),
)

program_archives = Table(
    "program_archives",
    METADATA,
    Column("program_id", BIG, ForeignKey("programs.id"), primary_key=True, autoincrement=False),
    _needed("archive", Text),
)

# One row a program: a second lease that is open at the same time cannot be written down.
leases = Table(
    "leases",
    METADATA,
    Column("program_id", BIG, ForeignKey("programs.id"), primary_key=True, autoincrement=False),
    _needed("fence", BIG),
    _needed("kind", Text),
    _needed("worker", Text),
    _needed("token_hash", Text),
    _needed("granted_at", Double),
    _needed("expires_at", Double),
    _optional("ended_at", Double),
    _optional("outcome", Text),
    _needed("turns", BIG),
    _needed("failures", Integer),
    _needed("last_words", Text),
    _one_of("kind", get_args(LeaseKind)),
    _one_of("outcome", get_args(LeaseOutcome)),
)

# Games that an owner has requested; those without waiting games are kept for the count of the day.
wishes = Table(
    "wishes",
    METADATA,
    _id(),
    _needed("bot_id", BIG, ForeignKey("bots.id")),
    _needed("opponent_id", BIG, ForeignKey("bots.id")),
    _needed("game", Text),
    _needed("games", Integer),
    _needed("waiting", Integer),
    _needed("asked_at", Double),
)

settings = Table(
    "settings",
    METADATA,
    Column("name", Text, primary_key=True),
    _needed("value", Text),
)

# The engine's review of a match's moves. It can be computed again from the moves at any time.
reviews = Table(
    "reviews",
    METADATA,
    Column("match_id", BIG, ForeignKey("matches.id"), primary_key=True, autoincrement=False),
    _needed("judged_by", Text),
    _needed("judged", Text),
)

# Processes that play matches beside the server. A transaction of theirs begins by locking its row here (FOR SHARE), so
# that none of them is committed after the server has ended the host. AUTOINCREMENT: SQLite gives no number again.
hosts = Table(
    "hosts",
    METADATA,
    Column("number", BIG, primary_key=True, autoincrement=True),
    _needed("name", Text),
    _needed("began_at", Double),
    _optional("ended_at", Double),
    sqlite_autoincrement=True,
)

# Every order that an operator has given through the API: who, from where, what, and what became of it.
audit = Table(
    "audit",
    METADATA,
    _id(),
    _needed("at", Double),
    _needed("who", Text),
    _needed("way", Text),
    _needed("address", Text),
    _needed("path", Text),
    _needed("details", Text),
    _needed("status", Integer),
)
