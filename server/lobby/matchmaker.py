"""Who plays whom outside tournaments: seeks and challenges of connected bots become matches."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any

from msgspec.structs import replace

from tabiya.games.errors import GameError, shown
from tabiya.games.openings import Opening
from tabiya.games.registry import load_game, names
from tabiya.protocol.codes import RefusalCode
from tabiya.protocol.messages import (
    Accept,
    Challenge,
    Challenged,
    ChallengeEnded,
    Decline,
    Notice,
    Seek,
    Unseek,
)
from tabiya.protocol.time_control import TimeControlError, parse
from tabiya.server.accounts.names import same_name
from tabiya.server.config import ServerConfig
from tabiya.server.lobby.lobby import Lobby, OpenChallenge, Pairing
from tabiya.server.matches.factory import MatchFactory, MatchTerms, checked_options, random_opening
from tabiya.server.matches.pair_keys import pair_key, run_name
from tabiya.server.matches.runner import Runner
from tabiya.server.sessions.session import BotSession, RefusalError, SessionTable
from tabiya.storage.errors import SaveFailed, StoreError
from tabiya.storage.records import BotId, MatchId, MatchRecord, NewMatch, SeatRecord

log = logging.getLogger("tabiya.lobby")

MOST_PAIRINGS_AT_ONCE = 16  # in one turn of the loop, so that a hall full of bots does not hold up the clocks
FIRST_RETRY_S = 0.2

Spawn = Callable[[Coroutine[Any, Any, None]], None]


class Matchmaker:
    """Handles the lobby's messages (each may raise RefusalError) and makes the matches."""

    def __init__(
        self,
        sessions: SessionTable,
        runner: Runner,
        match_factory: MatchFactory,
        config: ServerConfig,
        spawn: Spawn,
        is_known: Callable[[str], bool],
    ) -> None:
        """spawn: runs a task of the server's own.  is_known: whether there is a bot of this name, connected or not."""
        self._sessions, self._runner, self._match_factory = sessions, runner, match_factory
        self._config, self._spawn, self._is_known = config, spawn, is_known
        self._loop = asyncio.get_running_loop()
        self.lobby = Lobby(self.may_play)
        self.reserved_for_tournament: Callable[[BotSession], bool] = lambda session: False
        self.closing = False
        self.reserved: Counter[BotId] = Counter()  # seats promised in matches that are being created
        self._pairing_planned = False
        self._cooldown_timer: asyncio.TimerHandle | None = None
        self._creating = 0
        self._life = uuid.uuid4().hex  # meetings are counted from 0 in each of the server's lives

    # --- messages ---

    def _terms(self, game: str, time: str, options: dict[str, Any], *, rated: bool, opening: bool = True) -> MatchTerms:
        """Checked terms. Raises RefusalError."""
        try:
            control = str(parse(time or self._config.time_control))
            return MatchTerms(game, control, checked_options(load_game(game), options), rated, opening)
        except TimeControlError as error:
            raise RefusalError(RefusalCode.BAD_TIME_CONTROL, str(error)) from None
        except GameError as error:
            code = RefusalCode.UNKNOWN_GAME if game not in names() else RefusalCode.BAD_OPTIONS
            raise RefusalError(code, str(error)) from None

    def _as_it_counts(self, terms: MatchTerms, seats: tuple[BotSession, BotSession]) -> MatchTerms:
        """The terms, not rated if one of the two is a guest: names without a token cost nothing, nor do their games.

        Only now, and not when a bot seeks: a guest and an account who both seek a rated game play each other.
        """
        rated = terms.rated and (self._config.rate_guests or not any(session.bot.guest for session in seats))
        return replace(terms, rated=rated)

    def _check_wishes(self, session: BotSession, but: str = "") -> None:
        if self.closing:
            raise RefusalError(RefusalCode.SERVER_CLOSING, "the server is about to close and starts nothing new")
        most = self._config.limits.seeks_per_bot
        if self.lobby.open_wishes(session, but) >= most:
            raise RefusalError(RefusalCode.LIMIT_REACHED, f"a bot has at most {most} open seeks and challenges")

    def seek(self, session: BotSession, message: Seek) -> None:
        terms = self._terms(message.game, message.time, message.options, rated=message.rated)
        self._check_wishes(session, but=terms.game)
        if session.max_matches == 0:
            text = "you have said max_matches 0 in hello: a bot that only watches is never seated"
            raise RefusalError(RefusalCode.LIMIT_REACHED, text)
        if message.opponent is not None:
            self._check_other(session, message.opponent)
            if self._sessions.by_name(message.opponent) is None:
                text = f"{self._absence(message.opponent)}; the seek waits until that bot is here and seeks the same"
                session.connection.send(Notice(kind="seek_waits", text=text))
        self.lobby.seek(session, terms, message.opponent)
        self.plan_pairing()

    def _check_other(self, session: BotSession, opponent: str) -> None:
        if same_name(opponent) == same_name(session.name):
            raise RefusalError(RefusalCode.BOT_NOT_AVAILABLE, "a bot cannot play against itself")

    def _absence(self, name: str) -> str:
        """Why nobody of this name is connected."""
        return f"{shown(name)} is not connected" if self._is_known(name) else f"there is no bot called {shown(name)}"

    def unseek(self, session: BotSession, message: Unseek) -> None:
        if not self.lobby.unseek(session, message.game):
            raise RefusalError(RefusalCode.NOT_SEEKING, f"there is no seek of {session.name} for {shown(message.game)}")

    def challenge(self, session: BotSession, message: Challenge) -> None:
        how = {"rated": message.rated, "opening": message.opening}
        terms = self._terms(message.game, message.time, message.options, **how)
        self._check_wishes(session)
        other = self._challenged(session, message.opponent, terms.game)
        terms = self._as_it_counts(terms, (session, other))  # so that the other knows before it accepts
        challenge = self.lobby.challenge(session, other, terms)
        lapse_s = self._config.limits.challenge_s
        for side, opponent in ((session, other), (other, session)):
            side.connection.send(
                Challenged(
                    challenge=challenge.number,
                    opponent=opponent.name,
                    game=terms.game,
                    time=terms.time_control,
                    options=terms.options,
                    rated=terms.rated,
                    yours=side is session,
                    lapses_ms=round(lapse_s * 1_000),
                )
            )
        # never cancelled: it may wait for its answer though it is over
        self._loop.call_later(lapse_s, self._lapse, challenge)

    def _challenged(self, session: BotSession, name: str, game: str) -> BotSession:
        """The bot of this name, free to play the challenger. Raises RefusalError with whose fault it is that not."""
        self._check_other(session, name)
        other = self._sessions.by_name(name)
        if other is None:
            code = RefusalCode.BOT_NOT_AVAILABLE if self._is_known(name) else RefusalCode.UNKNOWN_BOT
            raise RefusalError(code, self._absence(name))
        if self._full:
            text = f"the server runs as many matches as it may, {self._config.max_matches}; try again later"
            raise RefusalError(RefusalCode.LIMIT_REACHED, text)
        own = self._hindrance(session)
        if own:
            raise RefusalError(RefusalCode.LIMIT_REACHED, f"{own}; challenge when you are free")
        hindrance = self._hindrance(other) if other.plays(game) else f"{other.name} does not play {game}"
        if hindrance:
            raise RefusalError(RefusalCode.BOT_NOT_AVAILABLE, hindrance)
        self._check_unanswered(session, other)
        return other

    def _check_unanswered(self, session: BotSession, other: BotSession) -> None:
        """Refuse a challenge to a bot that has enough to answer, by this challenger or in all. Raises RefusalError."""
        limits = self._config.limits
        own = self.lobby.unanswered(other, by=session)
        if own >= limits.seeks_per_bot:
            text = f"{other.name} has {own} challenges of yours to answer, those taken back included"
            raise RefusalError(RefusalCode.LIMIT_REACHED, f"{text}; wait for its answers")
        waiting = self.lobby.unanswered(other)
        if waiting >= limits.challenges_to_bot:
            text = f"{other.name} has {waiting} challenges to answer and gets no more"
            raise RefusalError(RefusalCode.BOT_NOT_AVAILABLE, f"{text}; challenge it when it has answered some")

    def accept(self, session: BotSession, message: Accept) -> None:
        challenge = self._take(session, message.challenge, own=False)
        # both were free when it was made; either may have taken another match since
        hindrance = self._hindrance(challenge.challenger) or self._hindrance(session)
        if self._full or hindrance:
            self._end_challenge(challenge, "lapsed", hindrance or "the server runs as many matches as it may")
            return
        self._create(self.lobby.accepted(challenge, self._loop.time()), challenge)

    def decline(self, session: BotSession, message: Decline) -> None:
        challenge = self._take(session, message.challenge, own=True)
        outcome = "withdrawn" if challenge.challenger is session else "declined"
        self._end_challenge(challenge, outcome, message.reason)

    def _take(self, session: BotSession, number: int, *, own: bool) -> OpenChallenge:
        challenge = self.lobby.take_challenge(number, session, own=own)
        if challenge is None:
            text = f"there is no open challenge {number} for {session.name}"
            raise RefusalError(RefusalCode.UNKNOWN_CHALLENGE, text, challenge=number)
        return challenge

    def _lapse(self, challenge: OpenChallenge) -> None:
        if self.lobby.lapse(challenge):
            self._end_challenge(challenge, "lapsed", "it was not accepted in time")

    def _end_challenge(
        self, challenge: OpenChallenge, outcome: str, reason: str = "", match: int | None = None
    ) -> None:
        pair = ((challenge.challenger, challenge.challenged), (challenge.challenged, challenge.challenger))
        for side, opponent in pair:
            side.connection.send(
                ChallengeEnded(
                    challenge=challenge.number, opponent=opponent.name, outcome=outcome, reason=reason, match=match
                )
            )

    def leave(self, session: BotSession) -> None:
        for challenge in self.lobby.leave(session):
            self._end_challenge(challenge, "withdrawn", f"{session.name} is gone")

    def may_play(self, session: BotSession) -> bool:
        """Whether the lobby may seat this peer now."""
        if self.closing or self._has_enough(session) or self._full:
            return False
        return not self.reserved_for_tournament(session)

    @property
    def _full(self) -> bool:
        return self._runner.count + self._creating >= self._config.max_matches

    def _hindrance(self, session: BotSession) -> str:
        """Why this peer itself cannot be seated by the lobby now; empty if it can."""
        if self._has_enough(session):
            return f"{session.name} plays as many matches as it may at once, {self._most(session)}"
        return (
            f"{session.name} is waiting for its game in a tournament" if self.reserved_for_tournament(session) else ""
        )

    def _most(self, session: BotSession) -> int:
        return min(session.max_matches, self._config.limits.matches_per_bot)

    def _has_enough(self, session: BotSession) -> bool:
        return self.seats_taken(session) >= self._most(session)

    def seats_taken(self, session: BotSession) -> int:
        """Matches the peer plays, and those that are being created for it."""
        return len(session.matches) + self.reserved[session.bot.id]

    def plan_pairing(self) -> None:
        """Pair at the end of this turn of the loop, whatever has changed until then."""
        if not self._pairing_planned:
            self._pairing_planned = True  # a hundred bots whose matches end together are paired once
            self._loop.call_soon(self._pair)

    def _pair(self) -> None:
        self._pairing_planned = False
        now_s = self._loop.time()
        for number, pairing in enumerate(self.lobby.pair(now_s), 1):
            self._create(pairing)
            if number == MOST_PAIRINGS_AT_ONCE:
                self.plan_pairing()
                break
        if self._cooldown_timer is not None:
            self._cooldown_timer.cancel()
            self._cooldown_timer = None
        if self.lobby.cooldown_ends_s is not None:
            self._cooldown_timer = self._loop.call_at(self.lobby.cooldown_ends_s, self.plan_pairing)

    def match_ended(self, record: MatchRecord) -> None:
        """Two bots are free again."""
        one, two = record.seats
        if record.tournament_id is None:
            self.lobby.match_ended(one.bot_id, two.bot_id, record.game, self._loop.time())
        self.plan_pairing()

    def _create(self, pairing: Pairing, challenge: OpenChallenge | None = None) -> None:
        """Reserve both seats and make the match."""
        pairing = replace(pairing, terms=self._as_it_counts(pairing.terms, pairing.seats))
        self.reserved.update(session.bot.id for session in pairing.seats)
        self._creating += 1
        self._spawn(self._create_match(pairing, challenge))

    async def _create_match(self, pairing: Pairing, challenge: OpenChallenge | None) -> None:
        try:
            played_first = self._opening(pairing)
            first, second = (
                SeatRecord(bot_id=session.bot.id, bot=session.name, version=session.version)
                for session in pairing.seats
            )
            new = self._match_factory.plan(pairing.terms, (first, second), played_first, key=self._key(pairing))
            match_id = await self._stored(new)
            if challenge is not None:
                self._end_challenge(challenge, "accepted", match=match_id)
        except StoreError as error:
            log.error("a match of %s could not be created: %s", pairing.terms.game, error)
            self._not_created(challenge)
        except Exception:
            log.exception("an error of ours while a match of %s was created", pairing.terms.game)
            self._not_created(challenge)
        else:
            self._loop.call_soon(self.plan_pairing)  # later, when the reservation below is gone
        finally:
            # after the match has begun: in between its seats count twice, which is better than not at all
            self._creating -= 1
            self.reserved -= Counter(session.bot.id for session in pairing.seats)

    async def _stored(self, new: NewMatch) -> MatchId:
        """Store a match and run it, trying until it is clear that it is stored. Raises StoreError.

        A save that failed may have been made all the same: given up, it would be a match that runs for the store alone.
        """
        delay_s = FIRST_RETRY_S
        while True:
            try:
                return await self._match_factory.create(new)
            except SaveFailed as error:
                if self.closing:
                    raise
                log.error("a match of %s is not stored yet: %s", new.game, error)
            await asyncio.sleep(delay_s)
            delay_s = min(self._config.limits.busy_retry_ms / 1_000, 2 * delay_s)

    def _not_created(self, challenge: OpenChallenge | None) -> None:
        if challenge is not None:
            self._end_challenge(challenge, "lapsed", "the server could not create the match")
        self._loop.call_later(self._config.limits.busy_retry_ms / 1_000, self.plan_pairing)

    def _opening(self, pairing: Pairing) -> Opening:
        """The same opening for both games of a pair; another one for every pair."""
        rules, options = load_game(pairing.terms.game), pairing.terms.options
        if not pairing.terms.opening:
            return Opening(rules.start(options).text(), ())
        bots = sorted(session.bot.id for session in pairing.seats)
        # epoch_ns is another in every run of the server, in which meetings are counted from 0 again
        seed = hash((bots[0], bots[1], pairing.meeting // 2, self._match_factory.epoch_ns)) & (2**63 - 1)
        return random_opening(rules, seed, tuple(options.items()))

    def _key(self, pairing: Pairing) -> str:
        """By it both games of a pair are known as such; those on different terms are none."""
        bots = sorted(session.bot.id for session in pairing.seats)
        return pair_key(run_name(f"{self._life} {bots} {pairing.terms}"), pairing.meeting)
