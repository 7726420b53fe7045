"""Programs that are run for bots: their versions, and the files of each."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "programs",
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("bot_id", BIG, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("file_name", sa.Text(), nullable=False),
        sa.Column("bytes", BIG, nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("report", sa.Text(), nullable=False),
        sa.Column("in_use", sa.Boolean(), nullable=False),
        sa.CheckConstraint("state IN ('new', 'good', 'refused')", name=op.f("ck_programs_state")),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_programs_bot_id_bots")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_programs")),
        sa.UniqueConstraint("bot_id", "number", name=op.f("uq_programs_bot_id_number")),
    )
    op.create_table(
        "program_archives",
        sa.Column("program_id", BIG, autoincrement=False, nullable=False),
        sa.Column("archive", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["program_id"], ["programs.id"], name=op.f("fk_program_archives_program_id_programs")),
        sa.PrimaryKeyConstraint("program_id", name=op.f("pk_program_archives")),
    )


def downgrade() -> None:
    op.drop_table("program_archives")
    op.drop_table("programs")
