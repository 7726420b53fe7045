"""Results by time keep the account of the turn that was lost, as JSON; earlier ones have none."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("results", sa.Column("lost_turn", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("results", "lost_turn")
