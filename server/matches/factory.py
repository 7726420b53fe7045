"""Creates matches: opening, stored record, and the first turn."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec import Struct, to_builtins

from tabiya.games.contract import Game
from tabiya.games.openings import Opening, opening
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tabiya.protocol.messages import Watching
from tabiya.protocol.time_control import ControlKind, parse_by_seat
from tabiya.server.config import ServerConfig
from tabiya.server.core.adjudication import Adjudication
from tabiya.server.core.clock import floor_us_ns, opening_clocks_us, opening_credit_us
from tabiya.server.core.messages import watching_message
from tabiya.server.core.policy import NO_CREDIT, LagPolicy, MatchPolicy
from tabiya.server.core.restore import OtherRulesError, replayed, restore_match, start_match
from tabiya.server.core.state import Ended, Match
from tabiya.server.matches.runner import Runner
from tabiya.server.transport.base import Clock
from tabiya.storage.records import (
    BotId,
    MatchId,
    MatchRecord,
    MoveRecord,
    NewMatch,
    OpeningPly,
    Pair,
    SeatRecord,
    StoredMatch,
    TournamentId,
)
from tabiya.storage.store import Store

log = logging.getLogger("tabiya.server")

AGREED = tuple(name for name in MatchRecord.__struct_fields__ if name in NewMatch.__struct_fields__)
OPENINGS_KEPT = 256
CLOCK_SAMPLES = 5  # of both clocks


class MatchTerms(Struct, frozen=True):
    """The terms of a match. time_control: one for both, or by seat, as `parse_by_seat` reads it.

    opening: whether one is drawn; else the game begins at its start, or at `position` if there is one.
    """

    game: str
    time_control: str
    options: dict[str, Any]
    rated: bool = True
    opening: bool = True
    position: str = ""


class PlayedOpening(NamedTuple):
    """The moves of an opening with the seats that make them, and the position after them."""

    plies: tuple[OpeningPly, ...]
    position: Position


@lru_cache(maxsize=OPENINGS_KEPT)
def play_opening(game: Game, opening: Opening) -> PlayedOpening:
    """An opening played through; once for both games of a pair."""
    position, plies = game.parse(opening.start_text), []
    for move in opening.moves:
        plies.append(OpeningPly(seat=position.to_move, text=move))
        position = position.play(move)
    return PlayedOpening(tuple(plies), position)


@lru_cache(maxsize=OPENINGS_KEPT)
def random_opening(game: Game, seed: int, options: tuple[tuple[str, Any], ...]) -> Opening:
    """The opening of a seed. options: names and values."""
    return opening(game, seed, dict(options))


def checked_options(game: Game, options: dict[str, Any]) -> dict[str, Any]:
    """All options of a match, the usual ones filled in; a match can really start with them. Raises OptionError."""
    complete = game.read_options(options)
    game.start(complete)  # raises an error if it is invalid
    return complete


def policy_of(config: ServerConfig) -> MatchPolicy:
    """How patient the server is with every match, by its settings."""
    lag = LagPolicy(per_move_ms=config.lag_per_move_ms, quota_ms=config.lag_quota_ms, refill_ms=config.lag_refill_ms)
    return MatchPolicy(
        lag=lag if config.lag_credit else NO_CREDIT, absence_ms=config.abandon_ms, open_wait_ms=config.open_wait_ms
    )


class TournamentSlot(NamedTuple):
    """The place of a match in a tournament."""

    tournament_id: TournamentId
    pairing: int
    game_index: int


def epoch_of(wall_ns: Clock, now_ns: Clock) -> int:
    """The wall's time at the zero of the monotonic clock, whole microseconds in ns, never too early.

    Of several readings the one that was interrupted least: two hosts of one match must agree on when a move was made.
    """
    readings = []
    for _ in range(CLOCK_SAMPLES):
        before_ns, at_ns, after_ns = now_ns(), wall_ns(), now_ns()
        readings.append((after_ns - before_ns, at_ns - before_ns))
    return floor_us_ns(min(readings)[1])


class MatchFactory:
    """Makes matches and hands them to the runner."""

    def __init__(self, store: Store, runner: Runner, config: ServerConfig, wall_ns: Clock) -> None:
        self._store, self._runner, self._config = store, runner, config
        self.policy = policy_of(config)
        self._wall_ns = wall_ns
        self.place: Callable[[str, tuple[BotId, ...]], int] = lambda game, players: 0
        """The number of the host that plays the next match of this game, of these two; 0: this server."""
        self.left_to_hosts: dict[MatchId, MatchRecord] = {}  # matches under other rules than this server has
        # once: when the machine's clock is set, the times within a match must not jump
        self.epoch_ns = epoch_of(wall_ns, runner.now_ns)

    def use(self, config: ServerConfig) -> None:
        """Make matches by these settings from now on."""
        self._config, self.policy = config, policy_of(config)

    def plan(
        self,
        terms: MatchTerms,
        seats: tuple[SeatRecord, SeatRecord],
        opening: Opening,
        *,
        key: str = "",
        place: TournamentSlot | None = None,
        illegal_limit: int | None = None,
        adjudication: Adjudication | None = None,
    ) -> NewMatch:
        """The match as it will be stored. key: unique forever; made up when empty."""
        config, game = self._config, load_game(terms.game)
        return NewMatch(
            key=key or f"lobby-{uuid.uuid4().hex}",
            game=terms.game,
            rules_version=game.rules_version,
            options=terms.options,
            start_text=opening.start_text,
            opening=play_opening(game, opening).plies,
            time_control=terms.time_control,
            seats=seats,
            rated=terms.rated,
            illegal_limit=illegal_limit or config.illegal_limit,
            stall_limit_ms=config.stall_limit_ms,
            remaining_us=opening_clocks_us(parse_by_seat(terms.time_control)),
            credit_left_us=opening_credit_us(self.policy),
            tournament_id=place.tournament_id if place else None,
            pairing=place.pairing if place else None,
            game_index=place.game_index if place else None,
            created_at=self.wall_s(),
            host=self.place(terms.game, tuple(seat.bot_id for seat in seats)),
            adjudication=None if adjudication is None else to_builtins(adjudication),
        )

    def plan_on(self, record: MatchRecord, kept: Opening, remaining_us: Pair) -> NewMatch:
        """The match that continues after a move was taken back; the moves kept are its opening.

        remaining_us: what the clocks show.  Its key says which match it goes on with.
        """
        controls = parse_by_seat(record.time_control)
        again = opening_clocks_us(controls)
        first, second = (
            again[seat] if control.kind is ControlKind.PER_MOVE else remaining_us[seat]
            for seat, control in enumerate(controls)
        )
        agreed = {name: getattr(record, name) for name in AGREED if name not in ("key", "created_at")}
        return NewMatch(
            **agreed
            | {
                "start_text": kept.start_text,
                "opening": play_opening(load_game(record.game), kept).plies,
                "remaining_us": (first, second),
            },
            key=f"goes-on-{record.id}",
            created_at=self.wall_s(),
        )

    def wall_s(self) -> float:
        """Seconds since 1970."""
        return self._wall_ns() / 1e9

    async def create(self, new: NewMatch) -> MatchId:
        """Store a match and run it. Raises StoreError."""
        match_id = await self._store.create_match(new)
        self.start(match_id, new)
        return match_id

    def start(self, match_id: MatchId, new: NewMatch, tournament: str = "") -> None:
        """Run a match just stored under `match_id`; nothing if it runs already."""
        if self._runner.active(match_id) is None:
            self._begin(match_record(match_id, new), new, tournament)

    def _begin(self, record: MatchRecord, new: NewMatch, tournament: str) -> None:
        game, moves = load_game(new.game), tuple(ply.text for ply in new.opening)
        opened = play_opening(game, Opening(new.start_text, moves)).position
        match = start_match(record.id, new, game, self.policy, self.epoch_ns, opened)
        self._runner.begin(record, match, tournament)

    def take_up(self, stored: StoredMatch, tournament: str = "") -> None:
        """Run a match that another process has stored: begin it, or go on with it. Raises RestoreError."""
        record, moves = stored.match, stored.moves
        if all(move.opening for move in moves):
            agreed = {name: getattr(record, name) for name in AGREED}
            self._begin(record, NewMatch(**agreed, opening=tuple(map(_as_opening, moves))), tournament)
        else:
            self.resume(stored, tournament)

    def resume(self, stored: StoredMatch, tournament: str = "") -> None:
        """Go on with a match that was running when the server stopped. Raises RestoreError."""
        rules = load_game(stored.match.game)
        match = restore_match(stored, rules, self.policy, self.epoch_ns, self._wall_ns() / 1e9)
        self._runner.begin(stored.match, match, tournament)

    def resume_or_leave(self, stored: StoredMatch, tournament: str = "") -> None:
        """As `resume`; a match of a host beside this server that is played under other rules is left to that host."""
        try:
            self.resume(stored, tournament)
        except OtherRulesError as error:
            match, host = stored.match.id, stored.match.host
            if not host:
                raise
            self.left_to_hosts[match] = stored.match
            text = "match %d goes on at host %d, and is not shown live: %s"
            log.warning(text, match, host, error, extra={"match": match})

    def final(self, stored: StoredMatch, tournament: str = "") -> Watching:
        """The last state of a match that has ended. Raises RestoreError, GameError."""
        record = stored.match
        assert record.result is not None
        replay = replayed(stored, load_game(record.game), self.policy, self.epoch_ns)
        match = Match(replay.terms, replay.position, replay.seats, Ended(record.result))
        first, second = record.seats
        return watching_message(match, (first.bot, second.bot), self._runner.now_ns(), tournament)


def _as_opening(move: MoveRecord) -> OpeningPly:
    return OpeningPly(seat=move.seat, text=move.text)


def match_record(match_id: MatchId, new: NewMatch) -> MatchRecord:
    """The record of a match just created."""
    return MatchRecord(id=match_id, plies=len(new.opening), **{name: getattr(new, name) for name in AGREED})
