"""Starts matches from the seeks and challenges of connected bots."""

from __future__ import annotations

import asyncio
import itertools
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
SHORTEST_CODE = 16  # characters of a code of one's own making; the page to play makes 22, of 128 random bits

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
        self.lobby = Lobby(self.may_play, self._has_seat)
        self.reserved_for_tournament: Callable[[BotSession], bool] = lambda session: False
        self.closing = False
        self.reserved: Counter[BotId] = Counter()  # seats promised in matches that are being created
        self._pairing_planned = False
        self._cooldown_timer: asyncio.TimerHandle | None = None
        self._creating = 0
        self._unpaired = itertools.count(-1, -1)  # numbers of games that are part of no pair, for their openings
        self._life = uuid.uuid4().hex  # meetings are counted from 0 in each of the server's lives

    def use(self, config: ServerConfig) -> None:
        """Pair by these settings from now on."""
        self._config = config
        self.plan_pairing()  # there may be room for more matches

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

    def _from_position(self, terms: MatchTerms, text: str, options: dict[str, Any]) -> MatchTerms:
        """The terms for a match from a position: not rated, as it may be won already. Raises RefusalError."""
        if options:
            raise RefusalError(RefusalCode.BAD_OPTIONS, "leave options out: the position says what they would")
        try:
            position = load_game(terms.game).parse(text.strip())
        except GameError as error:
            raise RefusalError(RefusalCode.BAD_POSITION, str(error)) from None
        if position.outcome() is not None:
            text = f"the game is over in the position {shown(position.text())}: nothing is left to play"
            raise RefusalError(RefusalCode.BAD_POSITION, text)
        return replace(terms, options={}, rated=False, opening=False, position=position.text())

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
        self._plan_pairing()

    def _check_other(self, session: BotSession, opponent: str) -> None:
        if same_name(opponent) == same_name(session.name):
            raise RefusalError(RefusalCode.BOT_NOT_AVAILABLE, "a bot cannot play against itself")

    def _absence(self, name: str) -> str:
        """Why no bot of this name is connected."""
        return f"{shown(name)} is not connected" if self._is_known(name) else f"there is no bot called {shown(name)}"

    def unseek(self, session: BotSession, message: Unseek) -> None:
        if not self.lobby.unseek(session, message.game):
            raise RefusalError(RefusalCode.NOT_SEEKING, f"there is no seek of {session.name} for {shown(message.game)}")

    def challenge(self, session: BotSession, message: Challenge) -> None:
        # a chosen seat is never rated: otherwise a bot could always play the better seat
        how = {"rated": message.rated and message.seat is None, "opening": message.opening}
        terms = self._terms(message.game, message.time, message.options, **how)
        if message.position is not None:
            terms = self._from_position(terms, message.position, message.options)
        self._check_wishes(session)
        if message.opponent is None:
            self._check_code(message.code)
            challenge = self.lobby.challenge(session, None, terms, message.seat, message.code)
            session.connection.send(self._challenge_message(challenge, session))
            return
        other = self._challenged(session, message.opponent, terms.game)
        terms = self._as_it_counts(terms, (session, other))  # so that the other knows before it accepts
        challenge = self.lobby.challenge(session, other, terms, message.seat)
        for side in (session, other):
            side.connection.send(self._challenge_message(challenge, side))
        # never cancelled: it may wait for its answer though it is over
        self._loop.call_later(self._config.limits.challenge_s, self._lapse, challenge)

    def _challenge_message(self, challenge: OpenChallenge, side: BotSession) -> Challenged:
        """A challenge as a message to one of the two."""
        terms, yours = challenge.terms, side is challenge.challenger
        opponent = challenge.challenged if yours else challenge.challenger
        seat = challenge.seat if challenge.seat is None or yours else 1 - challenge.seat
        return Challenged(
            challenge=challenge.number,
            opponent=opponent.name if opponent else None,
            game=terms.game,
            time=terms.time_control,
            options=terms.options,
            rated=terms.rated,
            yours=yours,
            lapses_ms=round(self._config.limits.challenge_s * 1_000) if challenge.challenged else None,
            seat=seat,
            position=terms.position or None,
        )

    def _check_code(self, code: str) -> None:
        """Refuse a challenge whose code is too short or already used. Raises RefusalError."""
        if len(code) < SHORTEST_CODE:
            text = f"a challenge names an opponent, or has a code of {SHORTEST_CODE} characters or more"
            raise RefusalError(RefusalCode.BAD_MESSAGE, text)
        if self.lobby.by_code(code) is not None:
            raise RefusalError(RefusalCode.BAD_MESSAGE, "there is an open challenge with this code already")

    def _challenged(self, session: BotSession, name: str, game: str) -> BotSession:
        """The bot of this name, free to play the challenger. Raises RefusalError with the reason why not."""
        self._check_other(session, name)
        other = self._sessions.by_name(name)
        if other is None:
            code = RefusalCode.BOT_NOT_AVAILABLE if self._is_known(name) else RefusalCode.UNKNOWN_BOT
            raise RefusalError(code, self._absence(name))
        if self._full:
            text = f"the server runs as many matches as it may, {self._config.max_matches}; try again later"
            raise RefusalError(RefusalCode.LIMIT_REACHED, text)
        own = self._why_unavailable(session)
        if own:
            raise RefusalError(RefusalCode.LIMIT_REACHED, f"{own}; challenge when you are free")
        hindrance = self._why_unavailable(other) if other.plays(game) else f"{other.name} does not play {game}"
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
        challenge = self._take_by_code(session, message) if message.code else self._take(session, message.challenge)
        # both were free when it was made; either may have taken another match since
        hindrance = self._why_unavailable(challenge.challenger) or self._why_unavailable(session)
        if self._full or hindrance:
            self._end_challenge(challenge, "lapsed", hindrance or "the server runs as many matches as it may")
            return
        self._create(self.lobby.accepted(challenge, self._loop.time()), challenge)

    def decline(self, session: BotSession, message: Decline) -> None:
        challenge = self._take(session, message.challenge, own=True)
        outcome = "withdrawn" if challenge.challenger is session else "declined"
        self._end_challenge(challenge, outcome, message.reason)

    def _take_by_code(self, session: BotSession, message: Accept) -> OpenChallenge:
        """The open challenge that a peer accepts by its code; it stays open if that peer cannot play."""
        challenge = self.lobby.by_code(message.code)
        if challenge is None or challenge.number != message.challenge:
            text = "the challenge of this code was taken or withdrawn, or who made it is gone"
            raise RefusalError(RefusalCode.UNKNOWN_CHALLENGE, text, challenge=message.challenge)
        self._check_other(session, challenge.challenger.name)
        if hindrance := self._why_unavailable(session):
            raise RefusalError(RefusalCode.LIMIT_REACHED, hindrance, challenge=message.challenge)
        return self.lobby.take_by_code(challenge, session)

    def _take(self, session: BotSession, number: int, *, own: bool = False) -> OpenChallenge:
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
            if side is not None:
                name = opponent.name if opponent else None
                ended = ChallengeEnded(
                    challenge=challenge.number, opponent=name, outcome=outcome, reason=reason, match=match
                )
                side.connection.send(ended)

    def arrange(self, one: BotSession, two: BotSession, game: str) -> bool:
        """Start a rated game of these two now, independent of their seeks; False if one of them cannot play."""
        if not (two.plays(game) and self.may_play(one) and self.may_play(two)):
            return False
        terms = self._terms(game, "", {}, rated=True)
        self._create(self.lobby.meet(one, two, terms, self._loop.time()))
        return True

    def leave(self, session: BotSession) -> None:
        for challenge in self.lobby.leave(session):
            self._end_challenge(challenge, "withdrawn", f"{session.name} is gone")

    def may_play(self, session: BotSession) -> bool:
        """Whether the lobby may seat this peer now."""
        if self.closing or not self._has_seat(session) or self._full:
            return False
        return not self.reserved_for_tournament(session)

    @property
    def _full(self) -> bool:
        return self._runner.count + self._creating >= self._config.max_matches

    def _why_unavailable(self, session: BotSession) -> str:
        """Why the lobby cannot seat this peer now; empty if it can."""
        if not self._has_seat(session):
            return f"{session.name} plays as many matches as it may at once, {self._most(session)}"
        return (
            f"{session.name} is waiting for its game in a tournament" if self.reserved_for_tournament(session) else ""
        )

    def _most(self, session: BotSession) -> int:
        return min(session.max_matches, self._config.limits.matches_per_bot)

    def _has_seat(self, session: BotSession) -> bool:
        return self.seats_taken(session) < self._most(session)

    def seats_taken(self, session: BotSession) -> int:
        """The number of matches that the peer plays or that are being created for it."""
        return len(session.matches) + self.reserved[session.bot.id]

    def plan_pairing(self) -> None:
        """Pair at the end of this turn of the loop, with all changes until then."""
        self.lobby.seats_freed()
        self._plan_pairing()

    def _plan_pairing(self) -> None:
        if not self._pairing_planned:
            self._pairing_planned = True  # a hundred bots whose matches end together are paired once
            self._loop.call_soon(self._pair)

    def _pair(self) -> None:
        self._pairing_planned = False
        now_s = self._loop.time()
        for number, pairing in enumerate(self.lobby.pair(now_s), 1):
            self._create(pairing)
            if number == MOST_PAIRINGS_AT_ONCE:
                self._plan_pairing()
                break
        if self._cooldown_timer is not None:
            self._cooldown_timer.cancel()
            self._cooldown_timer = None
        if self.lobby.cooldown_ends_s is not None:
            self._cooldown_timer = self._loop.call_at(self.lobby.cooldown_ends_s, self._plan_pairing)

    def match_ended(self, record: MatchRecord) -> None:
        """Two bots are free again."""
        one, two = record.seats
        if record.tournament_id is None:
            self.lobby.match_ended(one.bot_id, two.bot_id, record.game, self._loop.time())
        self.lobby.seats_freed(one.bot_id, two.bot_id)
        self._plan_pairing()

    def _create(self, pairing: Pairing, challenge: OpenChallenge | None = None) -> None:
        """Reserve both seats and make the match."""
        pairing = replace(pairing, terms=self._as_it_counts(pairing.terms, pairing.seats))
        self._begin(lambda: self._planned(pairing), [session.bot.id for session in pairing.seats], challenge)

    def _planned(self, pairing: Pairing) -> NewMatch:
        first, second = (
            SeatRecord(bot_id=session.bot.id, bot=session.name, version=session.version) for session in pairing.seats
        )
        return self._match_factory.plan(pairing.terms, (first, second), self._opening(pairing), key=self._key(pairing))

    def go_on(self, new: NewMatch) -> None:
        """A move was taken back: the same two play on in a new match, which is stored with the end of the old one."""
        self._begin(lambda: new, [seat.bot_id for seat in new.seats])

    def _begin(self, plan: Callable[[], NewMatch], bots: list[BotId], challenge: OpenChallenge | None = None) -> None:
        self.reserved.update(bots)
        self._creating += 1
        self._spawn(self._create_match(plan, bots, challenge))

    async def _create_match(
        self, plan: Callable[[], NewMatch], bots: list[BotId], challenge: OpenChallenge | None
    ) -> None:
        try:
            match_id = await self._stored(plan())
            if challenge is not None:
                self._end_challenge(challenge, "accepted", match=match_id)
        except StoreError as error:
            log.error("a match could not be created: %s", error)
            self._not_created(challenge)
        except Exception:
            log.exception("an internal error while a match was created")
            self._not_created(challenge)
        else:
            self._plan_pairing()  # which is later, when the reservation below is gone
        finally:
            # after the match has begun: in between its seats count twice, which is better than not at all
            self._creating -= 1
            self.reserved -= Counter(bots)
            self.lobby.seats_freed(*bots)

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
                about = {"game": new.game, "bots": [seat.bot for seat in new.seats]}
                log.error("a match of %s is not stored yet: %s", new.game, error, extra=about)
            await asyncio.sleep(delay_s)
            delay_s = min(self._config.limits.busy_retry_ms / 1_000, 2 * delay_s)

    def _not_created(self, challenge: OpenChallenge | None) -> None:
        if challenge is not None:
            self._end_challenge(challenge, "lapsed", "the server could not create the match")
        self._loop.call_later(self._config.limits.busy_retry_ms / 1_000, self.plan_pairing)

    def _opening(self, pairing: Pairing) -> Opening:
        """The same opening for both games of a pair; another one for every pair."""
        rules, options = load_game(pairing.terms.game), pairing.terms.options
        if pairing.terms.position:
            return Opening(pairing.terms.position, ())
        if not pairing.terms.opening:
            return Opening(rules.start(options).text(), ())
        bots = sorted(session.bot.id for session in pairing.seats)
        # epoch_ns is another in every run of the server, in which meetings are counted from 0 again
        pair = next(self._unpaired) if pairing.meeting is None else pairing.meeting // 2
        seed = hash((bots[0], bots[1], pair, self._match_factory.epoch_ns)) & (2**63 - 1)
        return random_opening(rules, seed, tuple(options.items()))

    def _key(self, pairing: Pairing) -> str:
        """By it both games of a pair are known as such; those on different terms are none. Empty for one of no pair."""
        if pairing.meeting is None:
            return ""
        bots = sorted(session.bot.id for session in pairing.seats)
        return pair_key(run_name(f"{self._life} {bots} {pairing.terms}"), pairing.meeting)
