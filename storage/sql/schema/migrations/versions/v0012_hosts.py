"""Several hosts play the matches of one database, each under a number."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "hosts",
        sa.Column("number", BIG, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("began_at", sa.Double(), nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_hosts")),
        sqlite_autoincrement=True,
    )
    op.add_column("matches", sa.Column("host", BIG, nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("matches", "host")
    op.drop_table("hosts")
