"""Leave for workers to run programs: one row a program, with what became of those before."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "leases",
        sa.Column("program_id", BIG, autoincrement=False, nullable=False),
        sa.Column("fence", BIG, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("granted_at", sa.Double(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("turns", BIG, nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("last_words", sa.Text(), nullable=False),
        sa.CheckConstraint("kind IN ('examine', 'play')", name=op.f("ck_leases_kind")),
        sa.CheckConstraint(
            "outcome IN ('good', 'refused', 'played', 'failed', 'stopped')", name=op.f("ck_leases_outcome")
        ),
        sa.ForeignKeyConstraint(["program_id"], ["programs.id"], name=op.f("fk_leases_program_id_programs")),
        sa.PrimaryKeyConstraint("program_id", name=op.f("pk_leases")),
    )


def downgrade() -> None:
    op.drop_table("leases")
