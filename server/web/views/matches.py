"""Response models of matches: committed moves, time accounts, results."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from msgspec import ValidationError, convert

from tabiya.games.errors import GameError
from tabiya.games.registry import load_game, names, title
from tabiya.protocol.messages import Watching
from tabiya.protocol.time_control import TimeControlError, parse_by_seat
from tabiya.server.archive.reviews import JudgedMove, costliest, decoded
from tabiya.server.core.adjudication import Adjudication
from tabiya.server.core.messages import result_text
from tabiya.server.web.schemas.board_responses import PlayedBoard
from tabiya.server.web.schemas.responses import (
    BoardChange,
    Boards,
    LiveState,
    LostTurnInfo,
    MatchDetail,
    MatchLine,
    MatchSeat,
    MatchTournament,
    MoveLine,
    ResultInfo,
    Review,
    Times,
)
from tabiya.server.web.views.boards import added_boards, boards, expected_after, played_board
from tabiya.server.web.views.presentation import result_sentence
from tabiya.server.web.views.replays import ReplayCache, ReplayedPosition
from tabiya.storage.errors import DamagedRows
from tabiya.storage.records import LostTurn, MatchRecord, MoveRecord, Pair
from tabiya.storage.store import Store


class MatchViews:
    """Makes the response models of matches. All methods raise StoreError."""

    def __init__(self, store: Store, replays: ReplayCache) -> None:
        self._store, self._replays = store, replays

    async def detail(self, record: MatchRecord, watching: Watching | None = None) -> MatchDetail:
        """The match with all its saved moves. watching: its live state, for the time since its last move."""
        moves, unread = await self._moves(record)
        shown, fault = await self._replayed(record, moves)
        readable = shown.readable if shown else tuple(move.text for move in moves)
        expected = shown.expected if shown else ((),) * len(moves)
        line = match_line(record)
        running = record.status != "ended"
        last = moves[-1] if moves else None
        return MatchDetail(
            **{field: getattr(line, field) for field in MatchLine.__struct_fields__ if field != "fault"},
            place=await self._place(record),
            options=record.options,
            illegal_limit=record.illegal_limit,
            stall_limit_ms=record.stall_limit_ms,
            adjudication=_rule_of(record),
            start=record.start_text,
            position=shown.position if shown else None,
            board=shown.board if shown else (),
            to_move=shown.to_move if shown and running else None,
            clock_ms=_clocks(record, _remaining(record, last)),
            # the live state and the rows are read one after the other: a move may have come in between
            thinking_ms=float(watching.thinking_ms) if watching and watching.ply == len(moves) else 0.0,
            illegal_moves=last.illegal_counts if last else (0, 0),
            fault=line.fault or unread or fault,
            moves=tuple(_move_line(record, *each) for each in zip(moves, readable, expected, strict=True)),
        )

    async def review(self, record: MatchRecord) -> Review | None:
        """The kept review of a match; None if there is none that can be read."""
        kept = await self._store.review(record.id)
        judged = decoded(kept.judged) if kept is not None else None
        if kept is None or judged is None:
            return None
        return Review(match=record.id, judged_by=kept.judged_by, judged=judged)

    async def costliest(self, record: MatchRecord, review: Review) -> tuple[JudgedMove, ...]:
        """The moves of a match that cost each of the two most, by its review; none if its moves cannot be read."""
        moves, _ = await self._moves(record)
        return costliest_moves(moves, review)

    async def live(self, record: MatchRecord) -> LiveState:
        """The state of a match that is not running, for followers who connect late."""
        moves, _ = await self._moves(record)
        shown, _ = await self._replayed(record, moves)
        texts = tuple(move.text for move in moves)
        return LiveState(
            match=record.id,
            status=record.status,
            ply=len(moves),
            to_move=None,
            moves=texts,
            readable=shown.readable if shown else texts,
            position=shown.position if shown else record.start_text,
            clock_ms=_clocks(record, _remaining(record, moves[-1] if moves else None)),
            thinking_ms=0.0,
            result=result_info(record),
        )

    async def followed(self, record: MatchRecord, state: Watching) -> LiveState:
        """One state of a running match for those who follow it. record: as stored at any earlier time."""
        if state.result:  # which is saved with all moves
            return await self.live(await self._store.match(record.id) or record)
        shown = await asyncio.to_thread(self._replays.shown, record.id, record.game, state.start, state.moves)
        return LiveState(
            match=record.id,
            status="running",
            ply=state.ply,
            to_move=state.to_move,
            moves=state.moves,
            readable=shown.readable,
            position=state.position,
            clock_ms=(float(state.clock_ms[0]), float(state.clock_ms[1])) if state.clock_ms else None,
            thinking_ms=float(state.thinking_ms),
            result=None,
        )

    async def picture(self, record: MatchRecord, moves: Sequence[str], ply: int, seat: int = 0) -> str:
        """The position after `ply` moves, seen from a seat. Raises GameError for moves that the rules do not allow."""

        def draw() -> str:
            position = self._replays.position(record.id, record.game, record.start_text, tuple(moves), ply)
            return load_game(record.game).svg(position, seat)

        return await asyncio.to_thread(draw)

    async def board(self, record: MatchRecord, moves: Sequence[str], ply: int, seat: int) -> PlayedBoard:
        """The same as a board to play on. Raises GameError."""
        return await asyncio.to_thread(played_board, self._replays, record, moves, ply, seat)

    async def _moves(self, record: MatchRecord) -> tuple[Sequence[MoveRecord], str | None]:
        """The moves, and why there are none if they cannot be read."""
        try:
            return await self._store.moves(record.id), None
        except DamagedRows as error:
            return (), str(error)

    async def board_at(self, record: MatchRecord, moves: Sequence[str], ply: int) -> tuple[str, tuple[str, str]]:
        """The picture after `ply` moves, and what each seat has of that which is counted. Raises GameError."""

        def draw() -> tuple[str, tuple[str, str]]:
            rules = load_game(record.game)
            position = self._replays.position(record.id, record.game, record.start_text, tuple(moves), ply)
            return rules.svg(position), rules.tally(position)

        return await asyncio.to_thread(draw)

    def lines(self, record: MatchRecord, moves: Sequence[MoveRecord], first: int) -> list[MoveLine]:
        """The lines of all moves from ply `first` on. Runs in a thread; raises GameError."""
        lines = [expected_after(move) if move.ply >= first else () for move in moves]
        texts = [move.text for move in moves]
        shown = self._replays.shown(record.id, record.game, record.start_text, texts, lines)
        each = zip(moves[first:], shown.readable[first:], shown.expected[first:], strict=True)
        return [_move_line(record, *parts) for parts in each]

    def added_boards(
        self, record: MatchRecord, moves: Sequence[MoveRecord], first: int, seat: int
    ) -> list[tuple[BoardChange, tuple[str, ...]]]:
        """The boards from ply `first` on, each with its new elements. Runs in a thread; raises GameError."""
        return added_boards(self._replays, record, moves, first, seat)

    async def boards(self, record: MatchRecord, moves: Sequence[MoveRecord], seat: int, after: int | None) -> Boards:
        """All boards of a match, or with `after` of the line expected after that many moves. Raises GameError."""
        return await asyncio.to_thread(boards, self._replays, record, moves, seat, after)

    async def _replayed(
        self, record: MatchRecord, moves: Sequence[MoveRecord]
    ) -> tuple[ReplayedPosition | None, str | None]:
        texts = tuple(move.text for move in moves)
        try:
            shown = await asyncio.to_thread(
                self._replays.shown, record.id, record.game, record.start_text, texts, [*map(expected_after, moves)]
            )
        except GameError as error:
            return None, f"the moves cannot be replayed by the rules: {error}"
        return shown, None

    async def _place(self, record: MatchRecord) -> MatchTournament | None:
        if record.tournament_id is None:
            return None
        tournament = await self._store.tournament(record.tournament_id)
        name = tournament.name if tournament else ""
        return MatchTournament(id=record.tournament_id, name=name, meeting=record.pairing, leg=record.game_index)


def title_of(game: str) -> str:
    """The title of a game; its name if it is not registered any more."""
    return title(game) if game in names() else game


def match_line(record: MatchRecord) -> MatchLine:
    words = load_game(record.game).seat_names if record.game in names() else ("seat 0", "seat 1")
    first, second = (
        MatchSeat(bot=seat.bot, version=seat.version, seat=word) for seat, word in zip(record.seats, words, strict=True)
    )
    return MatchLine(
        id=record.id,
        game=record.game,
        title=title_of(record.game),
        seats=(first, second),
        time_control=record.time_control,
        rated=record.rated,
        tournament=record.tournament_id,
        status=record.status,
        plies=record.plies,
        created_at=record.created_at,
        result=result_info(record),
        frozen_reason=record.frozen_reason,
        fault=record.damage,
    )


def costliest_moves(moves: Iterable[MoveRecord] | Iterable[MoveLine], review: Review) -> tuple[JudgedMove, ...]:
    """The moves of a review that cost each of the two most, the worst first; opening moves are left out."""
    chosen = {move.ply for move in moves if not move.opening}
    judged = [move for move in review.judged if move.ply in chosen]
    return tuple(move for seat in (0, 1) for move in costliest(judged, seat))


def result_info(record: MatchRecord) -> ResultInfo | None:
    """How the match ended; None before."""
    result = record.result
    if result is None:
        return None
    bots = record.seats[0].bot, record.seats[1].bot
    return ResultInfo(
        result=result_text(result),
        winner=result.winner,
        winner_bot=None if result.winner is None else bots[result.winner],
        ending=result.ending,
        sentence=result_sentence(result, bots),
        reason=result.reason,
        overrun_ms=result.overrun_ms,
        clock_ms=_clocks(record, result.remaining_us),
        ended_at=result.ended_at,
        lost_turn=_lost_turn(result.lost_turn),
    )


def _rule_of(record: MatchRecord) -> Adjudication | None:
    """The adjudication rule of the match; None if there is none or it is damaged."""
    try:
        return None if record.adjudication is None else convert(record.adjudication, Adjudication)
    except ValidationError:
        return None


def _remaining(record: MatchRecord, last: MoveRecord | None) -> Pair:
    if record.result is not None:
        return record.result.remaining_us
    return last.remaining_us if last else record.remaining_us


def _clocks(record: MatchRecord, both_us: Pair) -> Times | None:
    return (both_us[0] / 1000, both_us[1] / 1000) if _is_timed(record) else None


def _is_timed(record: MatchRecord) -> bool:
    """Whether the match has clocks; False for a damaged time control."""
    try:
        return parse_by_seat(record.time_control)[0].timed
    except TimeControlError:
        return False


def _move_line(record: MatchRecord, move: MoveRecord, readable: str, expected: tuple[str, ...]) -> MoveLine:
    return MoveLine(
        ply=move.ply,
        seat=move.seat,
        move=move.text,
        readable=readable,
        opening=move.opening,
        clock_ms=_clocks(record, move.remaining_us),
        think_ms=move.think_us / 1000,
        credit_ms=move.credit_us / 1000,
        network_ms=move.network_us / 1000,
        server_ms=move.server_us / 1000,
        standstill_ms=_standstill_us(move) / 1000,
        claimed_ms=_claimed_ms(move),
        forgiven_ms=move.forgiven_us / 1000,
        illegal_moves=move.illegal_counts[move.seat],
        draw_offer=move.draw_offer,
        info=move.info,
        expected=expected,
        sent_at=move.sent_at,
        at=move.at,
    )


def _standstill_us(move: MoveRecord) -> int:
    """The time of the turn in which the server was paused; it is neither thinking time nor before the turn."""
    return 0 if move.sent_at is None else max(0, round((move.at - move.sent_at) * 1e6) - move.think_us)


def _claimed_ms(move: MoveRecord) -> float | None:
    claimed = (move.info or {}).get("time_ms")
    return float(claimed) if isinstance(claimed, int | float) else None


def _lost_turn(turn: LostTurn | None) -> LostTurnInfo | None:
    if turn is None:
        return None
    return LostTurnInfo(
        ply=turn.ply,
        seat=turn.seat,
        sent_at=turn.sent_at,
        deadline_at=turn.deadline_at,
        arrived_at=turn.arrived_at,
        limit_ms=turn.limit_us / 1000,
        credit_ms=turn.credit_us / 1000,
        network_ms=turn.network_us / 1000,
        server_ms=turn.server_us / 1000,
        standstill_ms=turn.standstill_us / 1000,
        forgiven_ms=turn.forgiven_us / 1000,
    )
