"""The error by which a player's program failed is kept with its match; of earlier matches there is none."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "failures",
        sa.Column("match_id", BIG, autoincrement=False, nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.CheckConstraint("seat IN (0, 1)", name=op.f("ck_failures_seat")),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_failures_match_id_matches")),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_failures")),
    )


def downgrade() -> None:
    op.drop_table("failures")
