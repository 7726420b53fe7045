"""The judged moves of a match are kept, so that it is not judged again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "reviews",
        sa.Column("match_id", BIG, autoincrement=False, nullable=False),
        sa.Column("judged_by", sa.Text(), nullable=False),
        sa.Column("judged", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_reviews_match_id_matches")),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_reviews")),
    )


def downgrade() -> None:
    op.drop_table("reviews")
