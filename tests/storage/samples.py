"""Rows to save: complete and plausible, every field different from its default."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from tabiya.storage.records import (
    BotId,
    BotRecord,
    FailureRecord,
    LostTurn,
    MatchId,
    MoveRecord,
    NewMatch,
    NewTournament,
    OpeningPly,
    ResultRecord,
    SeatRecord,
    TournamentEntry,
    TournamentId,
    TournamentStep,
)
from tabiya.storage.store import Store

NOON = 1_750_000_000.125


async def two_bots(store: Store) -> tuple[BotRecord, BotRecord]:
    """Ada and Bob, who own tokens."""
    ada = await store.create_bot("ada", token_hash="hash of ada's token", created_at=NOON)
    bob = await store.create_bot("Bob", token_hash="hash of Bob's token", created_at=NOON + 1)
    return ada, bob


def seat(bot: BotRecord, version: str = "1.0") -> SeatRecord:
    """The bot seated."""
    return SeatRecord(bot_id=bot.id, bot=bot.name, version=version)


def new_match(bots: tuple[BotRecord, BotRecord], key: str = "m1", **changes: Any) -> NewMatch:
    """A reversi match with two opening plies and a clock of a minute."""
    match = NewMatch(
        key=key,
        game="reversi",
        rules_version=2,
        options={"size": 8, "names": ["a", "b"]},
        start_text="-" * 27 + "OX------XO" + "-" * 27 + " X",
        opening=(OpeningPly(seat=0, text="d3"), OpeningPly(seat=1, text="c3")),
        time_control="60+0.5",
        seats=(seat(bots[0], "1.4"), seat(bots[1], "7")),
        rated=True,
        illegal_limit=5,
        stall_limit_ms=90_000,
        remaining_us=(60_000_000, 60_000_000),
        credit_left_us=(500_000, 400_000),
        created_at=NOON + 2,
        adjudication={"draw": {"movenumber": 40, "movecount": 8, "score": 10}, "resign": None, "maxmoves": 200},
    )
    return replace(match, **changes)


def move(match_id: MatchId, ply: int, text: str = "c4", **changes: Any) -> MoveRecord:
    """A thought-out move with a full time account."""
    record = MoveRecord(
        match_id=match_id,
        ply=ply,
        text=text,
        seat=ply % 2,
        remaining_us=(59_000_001 - ply, 58_000_002 - ply),
        illegal_counts=(1, 2),
        draw_offer=ply % 2,
        credit_left_us=(499_000, 398_000),
        server_us=120,
        network_us=1_500,
        think_us=1_000_000,
        credit_us=1_400,
        forgiven_us=17,
        info={"depth": 9, "score": -12, "pv": ["c4", "b4"], "note": 'zug\u2192 "quoted" \\ \u0000'},
        sent_at=NOON + 3 + ply,
        at=NOON + 4 + ply,
    )
    return replace(record, **changes)


def result(match_id: MatchId, winner: int | None = 1, ending: str = "time", **changes: Any) -> ResultRecord:
    """Seat 0 overstepped its time by 250 ms."""
    record = ResultRecord(
        match_id=match_id,
        winner=winner,
        ending=ending,
        reason="X overstepped its time",
        overrun_ms=250,
        remaining_us=(-250_000, 31_000_000),
        ended_at=NOON + 100,
        lost_turn=LostTurn(
            ply=2,
            seat=0,
            sent_at=NOON + 60.000_001,
            deadline_at=NOON + 99.750_001,
            arrived_at=NOON + 100,
            limit_us=39_000_000,
            credit_us=40_000,
            network_us=45_000,
            server_us=900_000,
            standstill_us=710_000,
            forgiven_us=3,
        ),
    )
    return replace(record, **changes)


def failure(match_id: MatchId, **changes: Any) -> FailureRecord:
    """Seat 1's program failed."""
    return replace(FailureRecord(match_id=match_id, seat=1, text="IndexError: \u2192 out of range"), **changes)


def new_tournament(bots: tuple[BotRecord, ...], **changes: Any) -> NewTournament:
    """A round robin of these bots."""
    entries = tuple(entry(bot, number) for number, bot in enumerate(bots))
    tournament = NewTournament(
        name="Tuesday",
        game="reversi",
        format="round-robin",
        settings={"games": 4, "time_control": "10+0.1"},
        seed=2**40 + 7,
        state={"done": []},
        entries=entries,
        created_at=NOON,
    )
    return replace(tournament, **changes)


def entry(bot: BotRecord, number: int, **changes: Any) -> TournamentEntry:
    """The bot's entry."""
    return replace(TournamentEntry(number=number, bot_id=bot.id, bot=bot.name, version="3"), **changes)


def step(tournament_id: TournamentId, number: int, **changes: Any) -> TournamentStep:
    """A step of a running tournament without new matches."""
    plain = TournamentStep(tournament_id=tournament_id, step=number, status="running", state={"done": [number]})
    return replace(plain, **changes)


NOBODY = BotRecord(id=BotId(999), name="nobody", created_at=NOON)
