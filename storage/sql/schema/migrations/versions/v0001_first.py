"""The first tables: bots, tournaments, matches, moves, results, settings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# SQLite numbers rows by itself only in a column of exactly the type INTEGER
BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

ENDINGS = (
    "'checkmate', 'stalemate', 'insufficient_material', 'threefold_repetition', 'fifty_moves', 'line', "
    "'full_board', 'more_discs', 'equal_discs', 'last_object', 'resignation', 'draw_agreed', 'time', "
    "'time_cannot_win', 'illegal_moves', 'stall', 'abandoned', 'adjudicated', 'move_limit', 'aborted'"
)


def upgrade() -> None:
    op.create_table(
        "bots",
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=True),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("guest", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.CheckConstraint("role IN ('bot', 'operator')", name=op.f("ck_bots_role")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bots")),
        sa.UniqueConstraint("folded", name=op.f("uq_bots_folded")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_bots_token_hash")),
    )
    op.create_table(
        "settings",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_settings")),
    )
    op.create_table(
        "tournaments",
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("seed", BIG, nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("started_at", sa.Double(), nullable=True),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.CheckConstraint(
            "status IN ('created', 'running', 'paused', 'ended', 'cancelled')", name=op.f("ck_tournaments_status")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tournaments")),
        sa.UniqueConstraint("name", "created_at", name=op.f("uq_tournaments_name_created_at")),
    )
    op.create_table(
        "matches",
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("rules_version", sa.Integer(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("start_text", sa.Text(), nullable=False),
        sa.Column("time_control", sa.Text(), nullable=False),
        sa.Column("bot0_id", BIG, nullable=False),
        sa.Column("version0", sa.Text(), nullable=False),
        sa.Column("bot1_id", BIG, nullable=False),
        sa.Column("version1", sa.Text(), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("illegal_limit", sa.Integer(), nullable=False),
        sa.Column("stall_limit_ms", BIG, nullable=False),
        sa.Column("remaining0_us", BIG, nullable=False),
        sa.Column("remaining1_us", BIG, nullable=False),
        sa.Column("credit_left0_us", BIG, nullable=False),
        sa.Column("credit_left1_us", BIG, nullable=False),
        sa.Column("tournament_id", BIG, nullable=True),
        sa.Column("pairing", sa.Integer(), nullable=True),
        sa.Column("game_index", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("frozen_reason", sa.Text(), nullable=True),
        sa.CheckConstraint("status IN ('running', 'frozen', 'ended')", name=op.f("ck_matches_status")),
        sa.ForeignKeyConstraint(["bot0_id"], ["bots.id"], name=op.f("fk_matches_bot0_id_bots")),
        sa.ForeignKeyConstraint(["bot1_id"], ["bots.id"], name=op.f("fk_matches_bot1_id_bots")),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name=op.f("fk_matches_tournament_id_tournaments")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_matches")),
        sa.UniqueConstraint("key", name=op.f("uq_matches_key")),
    )
    op.create_index(op.f("ix_matches_bot0_id_id"), "matches", ["bot0_id", "id"], unique=False)
    op.create_index(op.f("ix_matches_bot1_id_id"), "matches", ["bot1_id", "id"], unique=False)
    op.create_index(op.f("ix_matches_game_id"), "matches", ["game", "id"], unique=False)
    op.create_index(
        "ix_matches_not_ended",
        "matches",
        ["status", "id"],
        unique=False,
        sqlite_where=sa.text("status != 'ended'"),
        postgresql_where=sa.text("status != 'ended'"),
    )
    op.create_index(op.f("ix_matches_tournament_id_id"), "matches", ["tournament_id", "id"], unique=False)
    op.create_table(
        "tournament_entries",
        sa.Column("tournament_id", BIG, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("bot_id", BIG, nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_tournament_entries_bot_id_bots")),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name=op.f("fk_tournament_entries_tournament_id_tournaments")
        ),
        sa.PrimaryKeyConstraint("tournament_id", "number", name=op.f("pk_tournament_entries")),
    )
    op.create_table(
        "moves",
        sa.Column("match_id", BIG, autoincrement=False, nullable=False),
        sa.Column("ply", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=False),
        sa.Column("opening", sa.Boolean(), nullable=False),
        sa.Column("remaining0_us", BIG, nullable=False),
        sa.Column("remaining1_us", BIG, nullable=False),
        sa.Column("illegal0", sa.Integer(), nullable=False),
        sa.Column("illegal1", sa.Integer(), nullable=False),
        sa.Column("draw_offer", sa.SmallInteger(), nullable=True),
        sa.Column("credit_left0_us", BIG, nullable=False),
        sa.Column("credit_left1_us", BIG, nullable=False),
        sa.Column("server_us", BIG, nullable=False),
        sa.Column("network_us", BIG, nullable=False),
        sa.Column("think_us", BIG, nullable=False),
        sa.Column("credit_us", BIG, nullable=False),
        sa.Column("forgiven_us", BIG, nullable=False),
        sa.Column("info", sa.Text(), nullable=True),
        sa.Column("sent_at", sa.Double(), nullable=True),
        sa.Column("at", sa.Double(), nullable=False),
        sa.CheckConstraint("ply >= 0", name=op.f("ck_moves_ply")),
        sa.CheckConstraint("seat IN (0, 1)", name=op.f("ck_moves_seat")),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_moves_match_id_matches")),
        sa.PrimaryKeyConstraint("match_id", "ply", name=op.f("pk_moves")),
    )
    op.create_table(
        "results",
        sa.Column("number", BIG, autoincrement=True, nullable=False),
        sa.Column("match_id", BIG, nullable=False),
        sa.Column("winner", sa.SmallInteger(), nullable=True),
        sa.Column("ending", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("overrun_ms", BIG, nullable=True),
        sa.Column("remaining0_us", BIG, nullable=False),
        sa.Column("remaining1_us", BIG, nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=False),
        sa.CheckConstraint(f"ending IN ({ENDINGS})", name=op.f("ck_results_ending")),
        sa.CheckConstraint("winner IN (0, 1)", name=op.f("ck_results_winner")),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_results_match_id_matches")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_results")),
        sa.UniqueConstraint("match_id", name=op.f("uq_results_match_id")),
    )
