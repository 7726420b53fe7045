"""Checks that the last acknowledged write is still stored. If it is, PostgreSQL has all earlier ones, too."""

from __future__ import annotations

from sqlalchemy import Connection, select

from tabiya.storage.group_commit import PendingWrite
from tabiya.storage.sql.schema.tables import matches, moves, results, tournaments
from tabiya.storage.writes import AppendMove, CreateMatch, FinishMatch, SaveStep


def is_of_match(pending: PendingWrite) -> bool:
    """Whether the write succeeded and is of a kind that `is_stored` can look for."""
    return pending.error is None and isinstance(pending.write, AppendMove | CreateMatch | FinishMatch | SaveStep)


def is_stored(connection: Connection, pending: PendingWrite) -> bool:
    """Whether the row of a write is there."""
    match pending.write:
        case AppendMove(move):
            query = select(moves.c.ply).where(moves.c.match_id == move.match_id, moves.c.ply == move.ply)
        case FinishMatch(result=result):
            query = select(results.c.number).where(results.c.match_id == result.match_id)
        case SaveStep(step=step):
            of_step = tournaments.c.id == step.tournament_id, tournaments.c.step >= step.step
            query = select(tournaments.c.id).where(*of_step)
        case _:
            query = select(matches.c.id).where(matches.c.id == pending.value)
    return connection.execute(query).first() is not None
