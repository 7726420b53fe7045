"""Queries about the games of one bot, by the index on the bots of a match."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import Connection, select

from tabiya.storage.program_records import LostByFailure
from tabiya.storage.records import BotId, GameFilter, GameOpening, GameResult, MatchId, ThinkTime
from tabiya.storage.sql.schema.tables import failures, matches, moves, results
from tabiya.storage.sql.statements.reads import RESULT_TYPES, RESULTS
from tabiya.storage.sql.statements.rows import game_result_of


def games_of_bot(connection: Connection, wanted: GameFilter) -> tuple[GameResult, ...]:
    """The games of a bot: of each seat for itself, so that the index gives them in order, and no more than wanted."""
    found: list[GameResult] = []
    for holder, other in ((matches.c.bot0_id, matches.c.bot1_id), (matches.c.bot1_id, matches.c.bot0_id)):
        query = RESULTS.where(holder == wanted.bot_id, results.c.ending != "aborted")
        if wanted.against is not None:
            query = query.where(other + 0 == wanted.against)  # a sum has no index: the order comes from the first bot's
        if wanted.game is not None:
            query = query.where(matches.c.game.concat("") == wanted.game)  # nor has this
        if wanted.after is not None:
            query = query.where(matches.c.id > wanted.after)
        if wanted.before is not None:
            query = query.where(matches.c.id < wanted.before)
        query = query.order_by(matches.c.id if wanted.oldest_first else matches.c.id.desc()).limit(wanted.limit)
        found += [game_result_of(RESULT_TYPES.repaired(row)) for row in connection.execute(query)]
    unique = {result.match_id: result for result in found}  # a bot against itself has both seats
    return tuple(unique[number] for number in sorted(unique, reverse=not wanted.oldest_first)[: wanted.limit])


def failures_of(connection: Connection, bot_id: BotId, limit: int) -> tuple[LostByFailure, ...]:
    """The matches that a bot has lost because its program failed, the newest first; what is damaged is left out."""
    found: list[LostByFailure] = []
    for seat, holder, version in (
        (0, matches.c.bot0_id, matches.c.version0),
        (1, matches.c.bot1_id, matches.c.version1),
    ):
        query = (
            select(matches.c.id, version, failures.c.text)
            .join(failures, failures.c.match_id == matches.c.id)
            .where(holder == bot_id, failures.c.seat == seat)
        )
        for match_id, played, text in connection.execute(query.order_by(matches.c.id.desc()).limit(limit)):
            if isinstance(played, str) and isinstance(text, str):
                found.append(LostByFailure(match_id=match_id, version=played, text=text))
    return tuple(sorted(found, key=lambda lost: lost.match_id, reverse=True)[:limit])


def game_openings(connection: Connection, match_ids: Sequence[MatchId], plies: int) -> dict[MatchId, GameOpening]:
    """The start and the first moves of several matches."""
    chosen = select(moves.c.match_id, moves.c.text).where(moves.c.match_id.in_(match_ids), moves.c.ply < plies)
    texts: defaultdict[MatchId, list[str]] = defaultdict(list)
    for match_id, text in connection.execute(chosen.order_by(moves.c.match_id, moves.c.ply)):
        texts[match_id].append(text if isinstance(text, str) else "")
    starts = select(matches.c.id, matches.c.start_text).where(matches.c.id.in_(match_ids))
    return {
        match_id: GameOpening(start_text=start if isinstance(start, str) else "", moves=tuple(texts[match_id]))
        for match_id, start in connection.execute(starts)
    }


def think_times(connection: Connection, match_ids: Sequence[MatchId]) -> dict[MatchId, tuple[ThinkTime, ...]]:
    """How long each move of several matches took, those of openings left out; what is damaged is left out too."""
    query = select(moves.c.match_id, moves.c.ply, moves.c.seat, moves.c.think_us).where(
        moves.c.match_id.in_(match_ids), ~moves.c.opening
    )
    found: defaultdict[MatchId, list[ThinkTime]] = defaultdict(list)
    for match_id, ply, seat, think_us in connection.execute(query.order_by(moves.c.match_id, moves.c.ply)):
        if isinstance(think_us, int) and seat in (0, 1):
            found[match_id].append(ThinkTime(ply=ply, seat=seat, think_us=think_us))
    return {match_id: tuple(times) for match_id, times in found.items()}
