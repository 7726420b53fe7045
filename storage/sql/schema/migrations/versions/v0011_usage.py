"""What each version of a program has used, of which nothing is known before; and the games that owners ask for."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MEASURED: dict[str, Any] = {
    "measured_turns": sa.Integer(),
    "turns_cpu_s": sa.Double(),
    "examination_cpu_s": sa.Double(),
    "peak_mb": sa.Double(),
}


def upgrade() -> None:
    for name, kind in MEASURED.items():
        op.add_column("programs", sa.Column(name, kind, nullable=False, server_default="0"))
    op.create_table(
        "wishes",
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("bot_id", BIG, nullable=False),
        sa.Column("opponent_id", BIG, nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("waiting", sa.Integer(), nullable=False),
        sa.Column("asked_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_wishes_bot_id_bots")),
        sa.ForeignKeyConstraint(["opponent_id"], ["bots.id"], name=op.f("fk_wishes_opponent_id_bots")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_wishes")),
    )


def downgrade() -> None:
    op.drop_table("wishes")
    for name in MEASURED:
        op.drop_column("programs", name)
