"""How long bots have thought, counted from their moves: of one match when it ends, and of all to compare."""

from __future__ import annotations

from sqlalchemy import Connection, text

from tabiya.storage.sql.schema.tables import thinking

COLUMNS = ", ".join(column.name for column in thinking.c)
COUNTED = """
SELECT
    CASE moves.seat WHEN 0 THEN matches.bot0_id ELSE matches.bot1_id END AS bot_id,
    matches.game AS game,
    CASE moves.seat WHEN 0 THEN matches.version0 ELSE matches.version1 END AS version,
    COUNT(*) AS moves,
    CAST(SUM(moves.think_us) AS BIGINT) AS total_us,
    MAX(moves.think_us) AS longest_us
FROM moves JOIN matches ON matches.id = moves.match_id
WHERE {matches} AND NOT moves.opening
GROUP BY 1, 2, 3
"""
OF_MATCH, OF_ALL = (
    COUNTED.format(matches="moves.match_id = :match_id"),
    COUNTED.format(matches="matches.status = 'ended'"),
)
ADD_MATCH = text(
    f"INSERT INTO thinking ({COLUMNS}) {OF_MATCH}"
    "ON CONFLICT (bot_id, game, version) DO UPDATE SET moves = thinking.moves + excluded.moves, "
    "total_us = thinking.total_us + excluded.total_us, longest_us = "
    "CASE WHEN excluded.longest_us > thinking.longest_us THEN excluded.longest_us ELSE thinking.longest_us END"
)
"""Adds the moves of a match, which must have its result now and have had none before."""
OTHERWISE = text(
    f"WITH counted AS MATERIALIZED ({OF_ALL}), "  # noqa: S608
    f"kept AS (SELECT {COLUMNS} FROM thinking) "
    "SELECT name FROM bots WHERE id IN (SELECT bot_id FROM (SELECT * FROM counted EXCEPT SELECT * FROM kept) AS more "
    "UNION SELECT bot_id FROM (SELECT * FROM kept EXCEPT SELECT * FROM counted) AS less) ORDER BY id"
)


def bots_counted_otherwise(connection: Connection) -> list[str]:
    """Names of bots whose stored counters differ from those computed from their moves."""
    return list(connection.scalars(OTHERWISE))
