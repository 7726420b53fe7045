"""A game brings its own endings: any word may be stored."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

LISTED = (
    "ending IN ('checkmate', 'stalemate', 'insufficient_material', 'threefold_repetition', 'fifty_moves', 'line', "
    "'full_board', 'more_discs', 'equal_discs', 'last_object', 'resignation', 'draw_agreed', 'time', "
    "'time_cannot_win', 'illegal_moves', 'stall', 'abandoned', 'adjudicated', 'resigned_by_scores', "
    "'drawn_by_scores', 'move_limit', 'aborted')"
)
ANY = "length(ending) BETWEEN 1 AND 40"


def upgrade() -> None:
    _allow(LISTED, ANY)


def downgrade() -> None:
    """Fails, and leaves all as it is, while there are results of games that brought an ending of their own."""
    _allow(ANY, LISTED)


def _allow(before: str, after: str) -> None:
    # SQLite cannot change a constraint: the table is copied, from its whole description (checks are not read back)
    with op.batch_alter_table("results", copy_from=_results(before)) as results:
        results.drop_constraint(op.f("ck_results_ending"), type_="check")
        results.create_check_constraint(op.f("ck_results_ending"), after)


def _results(check: str) -> sa.Table:
    return sa.Table(
        "results",
        sa.MetaData(),
        sa.Column("number", BIG, autoincrement=True, nullable=False),
        sa.Column("match_id", BIG, nullable=False),
        sa.Column("winner", sa.SmallInteger(), nullable=True),
        sa.Column("ending", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("overrun_ms", BIG, nullable=True),
        sa.Column("remaining0_us", BIG, nullable=False),
        sa.Column("remaining1_us", BIG, nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=False),
        sa.Column("lost_turn", sa.Text(), nullable=True),
        sa.CheckConstraint(check, name=op.f("ck_results_ending")),
        sa.CheckConstraint("winner IN (0, 1)", name=op.f("ck_results_winner")),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_results_match_id_matches")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_results")),
        sa.UniqueConstraint("match_id", name=op.f("uq_results_match_id")),
    )
