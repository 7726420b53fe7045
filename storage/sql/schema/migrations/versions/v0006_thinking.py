"""How long each bot has thought is counted when a match ends; what has ended before is counted here."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

COUNT = """
INSERT INTO thinking (bot_id, game, version, moves, total_us, longest_us)
SELECT
    CASE moves.seat WHEN 0 THEN matches.bot0_id ELSE matches.bot1_id END,
    matches.game,
    CASE moves.seat WHEN 0 THEN matches.version0 ELSE matches.version1 END,
    COUNT(*),
    SUM(moves.think_us),
    MAX(moves.think_us)
FROM moves JOIN matches ON matches.id = moves.match_id
WHERE matches.status = 'ended' AND NOT moves.opening
GROUP BY 1, 2, 3
"""


def upgrade() -> None:
    op.create_table(
        "thinking",
        sa.Column("bot_id", BIG, autoincrement=False, nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("moves", BIG, nullable=False),
        sa.Column("total_us", BIG, nullable=False),
        sa.Column("longest_us", BIG, nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_thinking_bot_id_bots")),
        sa.PrimaryKeyConstraint("bot_id", "game", "version", name=op.f("pk_thinking")),
    )
    op.execute(COUNT)


def downgrade() -> None:
    op.drop_table("thinking")
