"""Every query, as plain functions of a connection: the same on both databases."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any

from msgspec.structs import replace
from sqlalchemy import ColumnElement, CompoundSelect, Connection, Select, func, literal_column, select, union_all

from tabiya.storage.derived import folded
from tabiya.storage.errors import DamagedRows
from tabiya.storage.records import (
    BotId,
    BotRecord,
    FailureRecord,
    GameResult,
    MatchFilter,
    MatchId,
    MatchRecord,
    MoveRecord,
    MoveTimes,
    ReviewRecord,
    SessionRecord,
    TournamentEntry,
    TournamentId,
    TournamentRecord,
    TournamentStatus,
)
from tabiya.storage.sql.schema.revision import revision_of
from tabiya.storage.sql.schema.tables import (
    bots,
    entries,
    failures,
    matches,
    moves,
    results,
    reviews,
    sessions,
    settings,
    thinking,
    tournaments,
)
from tabiya.storage.sql.statements.row_types import RowTypes
from tabiya.storage.sql.statements.rows import (
    bot_of,
    failure_of,
    game_result_of,
    match_of,
    move_of,
    session_of,
    tournament_of,
)

_FIRST, _SECOND = bots.alias("first"), bots.alias("second")
# not COUNT: the primary key answers MAX with one look
_PLIES = select(func.coalesce(func.max(moves.c.ply) + 1, 0)).where(moves.c.match_id == matches.c.id).scalar_subquery()
# spelled as in the partial index: SQLite uses it only if the question repeats its words
MOST_IDS = 100  # that a statement names one by one
NOT_ENDED: ColumnElement[bool] = literal_column("matches.status != 'ended'")

MATCHES = select(
    *matches.c,
    _FIRST.c.name.label("name0"),
    _SECOND.c.name.label("name1"),
    _PLIES.label("plies"),
    results.c.winner,
    results.c.ending,
    results.c.reason,
    results.c.overrun_ms,
    results.c.remaining0_us.label("final0_us"),
    results.c.remaining1_us.label("final1_us"),
    results.c.ended_at,
    results.c.lost_turn,
).select_from(
    matches.outerjoin(_FIRST, _FIRST.c.id == matches.c.bot0_id)  # a match of no bot is there, and damaged
    .outerjoin(_SECOND, _SECOND.c.id == matches.c.bot1_id)
    .outerjoin(results, results.c.match_id == matches.c.id)
)

RESULTS = select(
    results.c.number,
    results.c.match_id,
    matches.c.key,
    matches.c.game,
    _FIRST.c.name.label("name0"),
    _SECOND.c.name.label("name1"),
    matches.c.version0,
    matches.c.version1,
    matches.c.time_control,
    matches.c.rated,
    results.c.winner,
    results.c.ending,
    matches.c.tournament_id,
    matches.c.pairing,
    matches.c.game_index,
    results.c.ended_at,
    matches.c.options,
).select_from(
    results.join(matches, matches.c.id == results.c.match_id)
    .join(_FIRST, _FIRST.c.id == matches.c.bot0_id)
    .join(_SECOND, _SECOND.c.id == matches.c.bot1_id)
)

MATCH_TYPES = RowTypes(MATCHES, results, ending="aborted")
MOVE_TYPES, RESULT_TYPES, BOT_TYPES = (
    RowTypes(select(moves)),
    RowTypes(RESULTS),
    RowTypes(select(bots), name="damaged"),
)
TOURNAMENT_TYPES, ENTRIES = RowTypes(select(tournaments)), select(*entries.c, bots.c.name)
ENTRY_TYPES = RowTypes(ENTRIES)
FAILURES = select(failures)
SESSION_TYPES = RowTypes(select(sessions))
FAILURE_TYPES, THINKING_TYPES = RowTypes(FAILURES), RowTypes(select(thinking))

# ---- matches


def read_match(connection: Connection, match_id: MatchId) -> MatchRecord | None:
    """One match."""
    row = connection.execute(MATCHES.where(matches.c.id == match_id)).one_or_none()
    return None if row is None else _as_far_as_readable(row)


def _as_far_as_readable(row: Any) -> MatchRecord:
    """The match; a damaged one without what cannot be read, so that it keeps no list from being shown."""
    try:
        return match_of(MATCH_TYPES.checked(row))
    except (ValueError, TypeError) as error:
        return match_of(MATCH_TYPES.repaired(row), damage=f"match {row.id} cannot be read: {error}")


def read_moves(connection: Connection, match_id: MatchId, first: int = 0) -> tuple[MoveRecord, ...]:
    """The moves of one match by ply, from ply `first` on.  Raises `DamagedRows`."""
    # all at once: a question that is left in the middle keeps its connection at this moment of the database
    rows = connection.execute(
        select(moves).where(moves.c.match_id == match_id, moves.c.ply >= first).order_by(moves.c.ply)
    ).all()
    try:
        return tuple(move_of(MOVE_TYPES.checked(row)) for row in rows)
    except (ValueError, TypeError) as error:
        raise DamagedRows(f"the moves of match {match_id} cannot be read: {error}") from error


def move_lists(connection: Connection, match_ids: Sequence[MatchId]) -> dict[MatchId, tuple[str, ...]]:
    """The moves of several matches as texts by ply."""
    query = select(moves.c.match_id, moves.c.text).where(moves.c.match_id.in_(match_ids))
    found: defaultdict[MatchId, list[str]] = defaultdict(list)
    for match_id, text in connection.execute(query.order_by(moves.c.match_id, moves.c.ply)):
        found[match_id].append(text if isinstance(text, str) else "")
    return {match_id: tuple(texts) for match_id, texts in found.items()}


def read_failure(connection: Connection, match_id: MatchId) -> FailureRecord | None:
    """The error by which a player's program failed.  Raises `DamagedRows`."""
    row = connection.execute(FAILURES.where(failures.c.match_id == match_id)).one_or_none()
    if row is None:
        return None
    if (problem := FAILURE_TYPES.problem(row)) is not None:
        raise DamagedRows(f"the failure kept of match {match_id} cannot be read: {problem}")
    return failure_of(row)


def list_matches(connection: Connection, wanted: MatchFilter | None = None) -> tuple[MatchRecord, ...]:
    """Matches that pass the filter, newest first; oldest first after an `after_id`."""
    return tuple(_as_far_as_readable(row) for row in connection.execute(of_matches(MATCHES, wanted or MatchFilter())))


def of_matches(query: Select[Any], wanted: MatchFilter) -> Select[Any]:
    """A query of matches as far as they pass the filter, in its order."""
    order = matches.c.id.desc() if wanted.after_id is None else matches.c.id
    query = query.where(matches.c.id.in_(_of_bot(wanted))) if wanted.bot is not None else _filtered(query, wanted)
    return query.order_by(order).limit(wanted.limit)


def _filtered(query: Select[Any], wanted: MatchFilter) -> Select[Any]:
    if wanted.game is not None:
        query = query.where(matches.c.game == wanted.game)
    if wanted.tournament_id is not None:
        query = query.where(matches.c.tournament_id == wanted.tournament_id)
    if wanted.status is not None:
        query = query.where(matches.c.status == wanted.status)
        if wanted.status != "ended":
            query = query.where(NOT_ENDED)
    if wanted.before_id is not None:
        query = query.where(matches.c.id < wanted.before_id)
    if wanted.after_id is not None:
        query = query.where(matches.c.id > wanted.after_id)
    if wanted.since is not None:
        query = query.where(matches.c.created_at >= wanted.since)
    return query


def _of_bot(wanted: MatchFilter) -> CompoundSelect[Any]:
    """The ids of a bot's matches: `limit` of each seat, read from the end of the index on that seat.

    Asked for both seats at once, a database makes all matches of the bot before it sorts them.
    """
    bot_id = select(bots.c.id).where(bots.c.folded == folded(wanted.bot or "")).scalar_subquery()
    order = matches.c.id.desc() if wanted.after_id is None else matches.c.id
    query, seats = _filtered(select(matches.c.id), replace(wanted, game=None)), []
    if wanted.game is not None:  # + "": no column with an index, by which all matches of the game would be looked at
        query = query.where(matches.c.game + "" == wanted.game)
    for holder in (matches.c.bot0_id, matches.c.bot1_id):
        found = query.where(holder == bot_id).order_by(holder, order).limit(wanted.limit).subquery()
        seats.append(select(found.c.id))
    return union_all(*seats)


def tournament_matches(connection: Connection, tournament_id: TournamentId) -> tuple[MatchRecord, ...]:
    """All matches of a tournament by id."""
    query = MATCHES.where(matches.c.tournament_id == tournament_id).order_by(matches.c.id)
    return tuple(_as_far_as_readable(row) for row in connection.execute(query))


def read_results(connection: Connection, *, after: int = 0, limit: int | None = None) -> tuple[GameResult, ...]:
    """Finished games of all kinds, in the order their results were stored.

    Nothing but the number chooses the rows: asked for one game, SQLite would visit all its matches for every page.
    """
    query = RESULTS.where(results.c.number > after, results.c.ending != "aborted")
    rows = connection.execute(query.order_by(results.c.number).limit(limit))
    # repaired: one damaged row is not to keep all others from being rated
    return tuple(game_result_of(RESULT_TYPES.repaired(row)) for row in rows)


def ending_counts(connection: Connection, tournament_id: TournamentId) -> dict[str, int]:
    """Ending -> how many."""
    query = select(results.c.ending, func.count()).join(matches, matches.c.id == results.c.match_id)
    found = connection.execute(query.where(matches.c.tournament_id == tournament_id).group_by(results.c.ending))
    return dict(found.all())


def move_times(connection: Connection, bot_id: BotId) -> tuple[MoveTimes, ...]:
    """How long a bot thought in matches that have ended, by game and version."""
    query = select(thinking).where(thinking.c.bot_id == bot_id).order_by(thinking.c.game, thinking.c.version)
    rows = [THINKING_TYPES.repaired(row) for row in connection.execute(query)]
    return tuple(
        MoveTimes(
            game=row.game,
            version=row.version,
            moves=row.moves,
            mean_us=row.total_us / max(1, row.moves),
            max_us=row.longest_us,
        )
        for row in rows
    )


# ---- bots


def read_bot(connection: Connection, bot_id: BotId) -> BotRecord | None:
    return _one_bot(connection, select(bots).where(bots.c.id == bot_id))


def bot_by_name(connection: Connection, name: str) -> BotRecord | None:
    return _one_bot(connection, select(bots).where(bots.c.folded == folded(name)))


def bot_by_token_hash(connection: Connection, token_hash: str) -> BotRecord | None:
    return _one_bot(connection, select(bots).where(bots.c.token_hash == token_hash))


def _one_bot(connection: Connection, query: Select[Any]) -> BotRecord | None:
    row = connection.execute(query).one_or_none()
    return None if row is None else bot_of(BOT_TYPES.repaired(row))


def list_bots(
    connection: Connection, *, guests: bool = True, after: int = 0, limit: int | None = None
) -> tuple[BotRecord, ...]:
    """Bots by id."""
    query = select(bots).where(bots.c.id > after).order_by(bots.c.id).limit(limit)
    rows = connection.execute(query if guests else query.where(~bots.c.guest))
    return tuple(bot_of(BOT_TYPES.repaired(row)) for row in rows)


# ---- tournaments and settings


def read_tournament(connection: Connection, tournament_id: TournamentId) -> TournamentRecord | None:
    return next(iter(_tournaments(connection, select(tournaments).where(tournaments.c.id == tournament_id))), None)


def list_tournaments(
    connection: Connection,
    *,
    before: int | None = None,
    limit: int | None = None,
    statuses: Collection[TournamentStatus] = (),
) -> tuple[TournamentRecord, ...]:
    """Tournaments, newest first."""
    query = select(tournaments).order_by(tournaments.c.id.desc()).limit(limit)
    if statuses:
        query = query.where(tournaments.c.status.in_(statuses))
    return _tournaments(connection, query if before is None else query.where(tournaments.c.id < before))


def ended_tournaments(connection: Connection, limit: int) -> tuple[TournamentRecord, ...]:
    """The tournaments that ended last, the latest first."""
    query = select(tournaments).where(tournaments.c.status == "ended")
    return _tournaments(connection, query.order_by(tournaments.c.ended_at.desc(), tournaments.c.id.desc()).limit(limit))


def _tournaments(connection: Connection, query: Select[Any]) -> tuple[TournamentRecord, ...]:
    rows = connection.execute(query).all()
    if not rows:  # or the entries of all others would be read for one that is not there
        return ()
    damage_of: dict[TournamentId, str] = {}
    ids = [row.id for row in rows]
    listed = ENTRIES.outerjoin(bots, bots.c.id == entries.c.bot_id).where(
        # a few may lie far apart; many are more than a statement can name
        entries.c.tournament_id.in_(ids)
        if len(ids) <= MOST_IDS
        else entries.c.tournament_id.between(min(ids), max(ids))
    )
    of_tournament: dict[TournamentId, list[TournamentEntry]] = defaultdict(list)
    for found in connection.execute(listed.order_by(entries.c.tournament_id, entries.c.number)):
        if (problem := ENTRY_TYPES.problem(found)) is not None:
            damage_of[found.tournament_id] = f"of an entry, {problem}"
        row = ENTRY_TYPES.repaired(found)
        of_tournament[row.tournament_id].append(
            TournamentEntry(
                number=row.number, bot_id=row.bot_id, bot=row.name, version=row.version, withdrawn=row.withdrawn
            )
        )
    return tuple(
        _tournament_as_far_as_readable(row, tuple(of_tournament[row.id]), damage_of.get(row.id)) for row in rows
    )


def _tournament_as_far_as_readable(
    row: Any, its_entries: tuple[TournamentEntry, ...], problem: str | None
) -> TournamentRecord:
    try:
        if problem is not None:
            raise ValueError(problem)
        return tournament_of(TOURNAMENT_TYPES.checked(row), its_entries)
    except (ValueError, TypeError) as error:
        row = TOURNAMENT_TYPES.repaired(row)
        return tournament_of(row, its_entries, damage=f"tournament {row.id} cannot be read: {error}")


def read_review(connection: Connection, match_id: MatchId) -> ReviewRecord | None:
    """The judged moves of a match; what is no text is as good as none."""
    query = select(reviews.c.judged_by, reviews.c.judged).where(reviews.c.match_id == match_id)
    row = connection.execute(query).one_or_none()
    if row is None or not all(isinstance(value, str) for value in row):
        return None
    return ReviewRecord(judged_by=row.judged_by, judged=row.judged)


def read_session(connection: Connection, secret_hash: str) -> SessionRecord | None:
    """The session of a secret; one whose row cannot be read is as good as none: its owner signs in again."""
    query = select(sessions).where(sessions.c.secret_hash == secret_hash)
    row = connection.execute(query).one_or_none()
    return session_of(row) if row is not None and SESSION_TYPES.problem(row) is None else None


def read_setting(connection: Connection, name: str) -> str | None:
    value: Any = connection.scalar(select(settings.c.value).where(settings.c.name == name))
    if not isinstance(value, str | None):
        raise DamagedRows(f"the setting {name} cannot be read: it is {value!r:.40}, which is no text")
    return value


# ---- operation


def schema_version(connection: Connection) -> str:
    """The revision of the tables."""
    return revision_of(connection) or "none"
