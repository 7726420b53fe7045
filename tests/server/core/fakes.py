"""A scripted game, and a table to play it on with numbers as time.

Its moves: `a`, `b` and `c` go on, `win` and `lose` end it for the mover, `draw` ends it, `boom` is a bug of ours. `x`
is illegal, `??` is no move. Who can still win is written in the position text.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from tabiya.games.endings import Ending
from tabiya.games.errors import IllegalMove, MoveFormatError, PositionError
from tabiya.games.rules import Outcome
from tabiya.protocol.time_control import parse_by_seat
from tabiya.server.core.clock import opening_clocks_us, opening_credit_us
from tabiya.server.core.effects import Effect
from tabiya.server.core.events import Event, MatchOpened, MoveArrived, MoveSaved, ResultSaved
from tabiya.server.core.match import advance
from tabiya.server.core.policy import DEFAULT_POLICY, MatchPolicy
from tabiya.server.core.restore import start_match
from tabiya.server.core.state import Match, Rules
from tabiya.server.matches.factory import match_record
from tabiya.storage.derived import opening_moves
from tabiya.storage.records import (
    BotId,
    MatchId,
    MoveRecord,
    NewMatch,
    OpeningPly,
    SeatRecord,
    StoredMatch,
)

MS = 1_000_000
S = 1_000 * MS
EPOCH_NS = 1_700_000_000 * S
LEGAL = ("a", "b", "c", "again", "win", "lose", "draw", "boom")


@dataclass(frozen=True, slots=True)
class FakePosition:
    """start_text: `first SEAT` and optionally `helpless SEAT` for a seat that cannot win.

    After the move `again` the same seat is to move.
    """

    start_text: str
    to_move: int
    moves: tuple[str, ...] = ()
    made_by: tuple[int, ...] = ()

    @property
    def ply(self) -> int:
        return len(self.moves)

    def movers(self) -> tuple[int, ...]:
        return self.made_by

    def play_all(self, texts: Sequence[str], seats: Sequence[int]) -> FakePosition | None:
        return None

    def play(self, text: str) -> FakePosition:
        if text not in LEGAL:
            if text.isalpha():
                raise IllegalMove(f"'{text}' is not legal")
            raise MoveFormatError(f"'{text}' is not a move")
        if text == "boom":
            raise RuntimeError("a bug in the rules")
        to_move = self.to_move if text == "again" else 1 - self.to_move
        return dataclasses.replace(
            self, to_move=to_move, moves=(*self.moves, text), made_by=(*self.made_by, self.to_move)
        )

    def outcome(self) -> Outcome | None:
        last = self.moves[-1] if self.moves else "a"
        winner = {"win": 1 - self.to_move, "lose": self.to_move}.get(last)
        if winner is not None:
            return Outcome(winner, Ending.LINE)
        return Outcome(None, Ending.FULL_BOARD) if last == "draw" else None

    def can_win(self, seat: int) -> bool:
        return f"helpless {seat}" not in self.start_text

    def text(self) -> str:
        return f"{self.start_text} after {''.join(self.moves) or 'nothing'}"

    def legal_moves(self) -> tuple[str, ...]:
        return LEGAL

    def history(self) -> tuple[str, tuple[str, ...]]:
        return self.start_text, self.moves


@dataclass(frozen=True, slots=True)
class FakeRules:
    name: str = "fake"
    rules_version: int = 1
    seat_names: tuple[str, str] = ("White", "Black")
    draws_possible: bool = True
    max_plies: int = 300
    endings: tuple[Ending, ...] = (Ending.LINE, Ending.FULL_BOARD)

    def parse(self, text: str) -> FakePosition:
        words = text.split()
        if words[:1] != ["first"] or words[1:2] not in (["0"], ["1"]):
            raise PositionError(f"'{text}' is not a position")
        return FakePosition(text, int(words[1]))


def agreed(
    control: str = "60+0.5",
    *,
    policy: MatchPolicy = DEFAULT_POLICY,
    rules: Rules = FakeRules(),
    start: str = "first 0",
    opening: tuple[str, ...] = (),
    illegal_limit: int = 3,
) -> NewMatch:
    """What was agreed for a match: of the scripted game, or by other rules from the position `start`."""
    first = rules.parse(start).to_move
    return NewMatch(
        key="k",
        game=rules.name,
        rules_version=rules.rules_version,
        start_text=start,
        opening=tuple(OpeningPly(seat=(first + ply) % 2, text=text) for ply, text in enumerate(opening)),
        time_control=control,
        seats=(SeatRecord(bot_id=BotId(1), bot="ann"), SeatRecord(bot_id=BotId(2), bot="bob")),
        illegal_limit=illegal_limit,
        stall_limit_ms=600_000,
        remaining_us=opening_clocks_us(parse_by_seat(control)),
        credit_left_us=opening_credit_us(policy),
        created_at=EPOCH_NS / S,
    )


def waiting_match(
    control: str = "60+0.5",
    *,
    policy: MatchPolicy = DEFAULT_POLICY,
    rules: FakeRules = FakeRules(),
    **terms: Any,
) -> Match:
    """A new match that has not been opened."""
    return start_match(MatchId(7), agreed(control, policy=policy, rules=rules, **terms), rules, policy, EPOCH_NS)


class Table:
    """A match with its effects: `do` an event, look at `effects`. Time is passed in nanoseconds."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.effects: tuple[Effect, ...] = ()
        self.past_effects: list[Effect] = []

    def do(self, event: Event) -> tuple[Effect, ...]:
        """One event; what it asks for."""
        self.match, self.effects = advance(self.match, event)
        self.past_effects += self.effects
        return self.effects

    def arrive(
        self, text: str, at_ns: int, *, seat: int | None = None, ply: int | None = None, network_ns: int = 0
    ) -> tuple[Effect, ...]:
        """A move that is read and handled at the same time; by default the right one."""
        position = self.match.position
        seat = position.to_move if seat is None else seat
        return self.do(MoveArrived(seat, text, position.ply if ply is None else ply, at_ns, at_ns, network_ns))

    def save(self, at_ns: int) -> tuple[Effect, ...]:
        """The save under way succeeds, whatever it is."""
        ply = self.match.position.ply
        self.do(MoveSaved(ply, at_ns))
        return self.effects or self.do(ResultSaved(at_ns))

    def play(self, text: str, at_ns: int, network_ns: int = 0) -> tuple[Effect, ...]:
        """A move that arrives and is saved at once."""
        self.arrive(text, at_ns, network_ns=network_ns)
        return self.save(at_ns)

    @property
    def clocks_us(self) -> tuple[int, int]:
        """Both committed clocks."""
        return self.match.seats[0].remaining_us, self.match.seats[1].remaining_us

    def of_kind(self, *kinds: type[Effect]) -> list[Any]:
        """All effects so far of these kinds."""
        return [effect for effect in self.past_effects if isinstance(effect, kinds)]


def table(control: str = "60+0.5", *, network_ns: tuple[int, int] = (0, 0), **terms: Any) -> Table:
    """A match whose first turn went out at time 0."""
    made = Table(waiting_match(control, **terms))
    made.do(MatchOpened(0, (True, True), network_ns))
    return made


def stored(new: NewMatch, moves: tuple[MoveRecord, ...], match_id: int = 7) -> StoredMatch:
    """What a store would give back of a running match: its opening plies and these moves."""
    opening = tuple(opening_moves(MatchId(match_id), new))
    record = replace(match_record(MatchId(match_id), new), plies=len(opening) + len(moves))
    return StoredMatch(match=record, moves=opening + moves)
