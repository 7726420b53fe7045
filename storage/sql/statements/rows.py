"""Records to rows and back.  A row is a tuple in the order of the table's columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import convert, to_builtins

from tabiya.storage.derived import as_json, folded, from_json
from tabiya.storage.records import (
    BotRecord,
    FailureRecord,
    GameResult,
    LostTurn,
    MatchRecord,
    MoveRecord,
    NewMatch,
    NewTournament,
    ResultRecord,
    SeatRecord,
    SessionRecord,
    TournamentEntry,
    TournamentRecord,
)
from tabiya.storage.writes import CreateBot

Row = Sequence[Any]


def move_row(move: MoveRecord) -> tuple[Any, ...]:
    """The row of `moves`.  By hand, because it stands on the path of every move."""
    remaining, illegal, credit = move.remaining_us, move.illegal_counts, move.credit_left_us
    return (
        move.match_id,
        move.ply,
        move.text,
        move.seat,
        move.opening,
        remaining[0],
        remaining[1],
        illegal[0],
        illegal[1],
        move.draw_offer,
        credit[0],
        credit[1],
        move.server_us,
        move.network_us,
        move.think_us,
        move.credit_us,
        move.forgiven_us,
        None if move.info is None else as_json(move.info),
        move.sent_at,
        move.at,
    )


def move_of(row: Row) -> MoveRecord:
    """The record of a row of `moves`.  Raises ValueError or TypeError for a damaged one."""
    return MoveRecord(
        match_id=row[0],
        ply=row[1],
        text=row[2],
        seat=row[3],
        opening=bool(row[4]),
        remaining_us=(row[5], row[6]),
        illegal_counts=(row[7], row[8]),
        draw_offer=row[9],
        credit_left_us=(row[10], row[11]),
        server_us=row[12],
        network_us=row[13],
        think_us=row[14],
        credit_us=row[15],
        forgiven_us=row[16],
        info=None if row[17] is None else from_json(row[17]),
        sent_at=row[18],
        at=row[19],
    )


def result_row(result: ResultRecord) -> tuple[Any, ...]:
    """The row of `results` without its number."""
    return (
        result.match_id,
        result.winner,
        result.ending,
        result.reason,
        result.overrun_ms,
        result.remaining_us[0],
        result.remaining_us[1],
        result.ended_at,
        None if result.lost_turn is None else as_json(to_builtins(result.lost_turn)),
    )


def failure_row(failure: FailureRecord) -> tuple[Any, ...]:
    return (failure.match_id, failure.seat, failure.text)


def session_of(row: Any) -> SessionRecord:
    return SessionRecord(
        secret_hash=row.secret_hash, bot_id=row.bot_id, created_at=row.created_at, expires_at=row.expires_at
    )


def failure_of(row: Any) -> FailureRecord:
    return FailureRecord(match_id=row.match_id, seat=row.seat, text=row.text)


def _lost_turn(text: str | None) -> LostTurn | None:
    return None if text is None else convert(from_json(text), LostTurn)


def match_values(match: NewMatch) -> dict[str, Any]:
    """The columns of a new row of `matches`, without status."""
    first, second = match.seats
    return {
        "key": match.key,
        "game": match.game,
        "rules_version": match.rules_version,
        "options": as_json(match.options),
        "start_text": match.start_text,
        "time_control": match.time_control,
        "bot0_id": first.bot_id,
        "version0": first.version,
        "bot1_id": second.bot_id,
        "version1": second.version,
        "rated": match.rated,
        "illegal_limit": match.illegal_limit,
        "stall_limit_ms": match.stall_limit_ms,
        "remaining0_us": match.remaining_us[0],
        "remaining1_us": match.remaining_us[1],
        "credit_left0_us": match.credit_left_us[0],
        "credit_left1_us": match.credit_left_us[1],
        "tournament_id": match.tournament_id,
        "pairing": match.pairing,
        "game_index": match.game_index,
        "created_at": match.created_at,
        "adjudication": None if match.adjudication is None else as_json(match.adjudication),
        "host": match.host,
    }


def match_of(row: Any, damage: str | None = None) -> MatchRecord:
    """The record of a row of the select in `reads`.  Raises ValueError or TypeError for a damaged one.

    damage: why the row cannot be read; its JSON is then left out.
    """
    result = None
    if row.ending is not None:
        final = (row.final0_us, row.final1_us)
        result = ResultRecord(
            match_id=row.id,
            winner=row.winner,
            ending=row.ending,
            reason=row.reason,
            overrun_ms=row.overrun_ms,
            remaining_us=final,
            ended_at=row.ended_at,
            lost_turn=None if damage else _lost_turn(row.lost_turn),
        )
    return MatchRecord(
        id=row.id,
        key=row.key,
        game=row.game,
        rules_version=row.rules_version,
        options={} if damage else from_json(row.options),
        start_text=row.start_text,
        time_control=row.time_control,
        seats=(
            SeatRecord(bot_id=row.bot0_id, bot=row.name0, version=row.version0),
            SeatRecord(bot_id=row.bot1_id, bot=row.name1, version=row.version1),
        ),
        rated=row.rated,
        illegal_limit=row.illegal_limit,
        stall_limit_ms=row.stall_limit_ms,
        remaining_us=(row.remaining0_us, row.remaining1_us),
        credit_left_us=(row.credit_left0_us, row.credit_left1_us),
        tournament_id=row.tournament_id,
        pairing=row.pairing,
        game_index=row.game_index,
        created_at=row.created_at,
        status=row.status,
        plies=row.plies,
        result=result,
        frozen_reason=row.frozen_reason,
        adjudication=None if damage or row.adjudication is None else from_json(row.adjudication),
        host=row.host,
        damage=damage,
    )


def game_result_of(row: Any) -> GameResult:
    """The ratings' view of a row of the select in `reads`."""
    return GameResult(
        number=row.number,
        match_id=row.match_id,
        key=row.key,
        game=row.game,
        bots=(row.name0, row.name1),
        versions=(row.version0, row.version1),
        time_control=row.time_control,
        rated=row.rated,
        winner=row.winner,
        ending=row.ending,
        tournament_id=row.tournament_id,
        pairing=row.pairing,
        game_index=row.game_index,
        ended_at=row.ended_at,
        options=row.options,
    )


def bot_values(bot: CreateBot) -> dict[str, Any]:
    """The columns of a new row of `bots`."""
    return {
        "name": bot.name,
        "folded": folded(bot.name),
        "token_hash": bot.token_hash,
        "role": bot.role,
        "guest": bot.guest,
        "created_at": bot.created_at,
    }


def bot_of(row: Any) -> BotRecord:
    return BotRecord(
        id=row.id,
        name=row.name,
        token_hash=row.token_hash,
        role=row.role,
        guest=row.guest,
        created_at=row.created_at,
    )


def tournament_values(tournament: NewTournament) -> dict[str, Any]:
    """The columns of a new row of `tournaments`."""
    return {
        "name": tournament.name,
        "game": tournament.game,
        "format": tournament.format,
        "settings": as_json(tournament.settings),
        "seed": tournament.seed,
        "status": "created",
        "step": 0,
        "state": as_json(tournament.state),
        "created_at": tournament.created_at,
    }


def tournament_of(row: Any, entries: tuple[TournamentEntry, ...], damage: str | None = None) -> TournamentRecord:
    """The record of a row of `tournaments` with its entries.  Raises ValueError or TypeError for a damaged one.

    damage: why the row cannot be read; its JSON is then left out.
    """
    return TournamentRecord(
        id=row.id,
        name=row.name,
        game=row.game,
        format=row.format,
        settings={} if damage else from_json(row.settings),
        seed=row.seed,
        status=row.status,
        step=row.step,
        state={} if damage else from_json(row.state),
        entries=entries,
        created_at=row.created_at,
        started_at=row.started_at,
        ended_at=row.ended_at,
        damage=damage,
    )
