"""The lobby: open seeks, open challenges, and who plays whom. No sockets and no clock.

Two bots meet for two games, with seats changed. Then they are not paired with each other for a tenth of the time
that these took, if others seek the same: otherwise the same two would be free at the same moment again and again.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from tabiya.server.accounts.names import same_name
from tabiya.server.matches.factory import MatchTerms
from tabiya.server.sessions.session import BotSession
from tabiya.storage.records import BotId


class SeekEntry(Struct, frozen=True):
    """A bot's request to play.

    number: rises with every seek and pairing, so the lower has waited longer.
    name, opponent: the bot's own and that of whom it wants, None for any; both as `same_name` writes them.
    """

    number: int
    session: BotSession
    terms: MatchTerms
    name: str
    opponent: str | None = None


class OpenChallenge(Struct, frozen=True):
    """A bot's request for one match with another bot, or with anybody who has the code (then challenged is None).

    seat: that of the challenger, None where seats change from meeting to meeting.
    """

    number: int
    challenger: BotSession
    challenged: BotSession | None
    terms: MatchTerms
    seat: int | None = None
    code: str = ""


class Pairing(Struct, frozen=True):
    """Two bots to be seated: the first in seat 0.

    meeting: how often these two have been paired here before; None if their seats are chosen: that is part of no pair.
    """

    seats: tuple[BotSession, BotSession]
    terms: MatchTerms
    meeting: int | None


COOLDOWN_SHARE = 0.1  # of the time that two games took; chosen, not measured
Key = tuple[BotId, BotId, str]


class RematchCooldown:
    """When two bots may be paired again in one game. Times in seconds; ended_s None while they play."""

    __slots__ = ("began_s", "count", "ended_s")

    def __init__(self) -> None:
        self.count, self.began_s = 0, 0.0
        self.ended_s: float | None = None

    def cooldown_ends_s(self) -> float | None:
        """When the cooldown ends; None between their two games, and before the first."""
        if self.count % 2 or self.ended_s is None:
            return None
        return self.ended_s + COOLDOWN_SHARE * (self.ended_s - self.began_s)


class Lobby:
    """Open seeks and challenges. Seeks stay until withdrawn; a bot with a free seat is paired again and again."""

    def __init__(self, may_play: Callable[[BotSession], bool], has_seat: Callable[[BotSession], bool]) -> None:
        """may_play: whether a peer may be seated now.  has_seat: whether it has a free seat, which that needs, too."""
        self._may_play, self._has_seat = may_play, has_seat
        self._seeks: dict[BotId, dict[str, SeekEntry]] = {}  # by bot and game
        self._free: set[BotId] = set()  # all bots that seek and have a free seat; only these are looked at
        self._challenges: dict[int, OpenChallenge] = {}
        self._by_code: dict[str, OpenChallenge] = {}
        # by the bot that is to answer; a challenge taken back stays until it is answered or lapses, since the bot has
        # been sent the question all the same: else one peer could send it any number of them
        self._unanswered: defaultdict[BotId, dict[int, OpenChallenge]] = defaultdict(dict)
        self._met: dict[Key, RematchCooldown] = {}  # never removed: it also tells which bots have met least often
        self._numbers = itertools.count(1)
        self.cooldown_ends_s: float | None = None  # when the first cooldown ends; set by `pair`

    # --- seeks ---

    def seek(self, session: BotSession, terms: MatchTerms, opponent: str | None = None) -> None:
        """Enter a seek; it replaces the bot's earlier one for the same game."""
        wanted = same_name(opponent) if opponent else None
        entry = SeekEntry(next(self._numbers), session, terms, same_name(session.name), wanted)
        self._enter(entry)

    def _enter(self, entry: SeekEntry) -> None:
        bot_id = entry.session.bot.id
        self._seeks.setdefault(bot_id, {})[entry.terms.game] = entry
        self._free.add(bot_id)

    def unseek(self, session: BotSession, game: str) -> bool:
        """Take a seek back; False if there was none."""
        return self._seeks.get(session.bot.id, {}).pop(game, None) is not None

    def seeks(self) -> list[SeekEntry]:
        """All of them, the longest waiting first."""
        return _of_bots(self._seeks.values())

    def open_wishes(self, session: BotSession, but: str = "") -> int:
        """Seeks and challenges of this bot, together. but: a game whose seek is not counted."""
        seeks = sum(game != but for game in self._seeks.get(session.bot.id, ()))
        return seeks + sum(challenge.challenger is session for challenge in self._challenges.values())

    def pair(self, now_s: float) -> Iterator[Pairing]:
        """One pairing after another while any is possible; the caller reserves the seats of each before the next.

        The longest waiting bot is served first, with the opponent it has met least often (then the longest waiting);
        both then wait behind all the others.
        """
        self.cooldown_ends_s = None
        waiting = self._waiting()
        while waiting:
            entry = waiting.pop(0)
            # asked again: the caller may have given its last seat to an earlier pairing
            partners = self._partners(entry, waiting, now_s) if self._may_play(entry.session) else []
            if partners:
                other = min(partners, key=lambda one: (self._met_before(entry, one), one.number))
                waiting.remove(other)
                waiting += [self._moved_to_back(one) for one in (entry, other)]
                yield self.meet(entry.session, other.session, entry.terms, now_s)

    def seats_freed(self, *bots: BotId) -> None:
        """These bots may have free seats again; all if none is named. Call it before `pair`."""
        self._free.update(bots or self._seeks)

    def _waiting(self) -> list[SeekEntry]:
        """Seeks that may be served now, the longest waiting first."""
        free = [
            entry
            for entry in _of_bots(self._seeks.get(bot_id, {}) for bot_id in self._free)
            if self._has_seat(entry.session)
        ]
        self._free = {entry.session.bot.id for entry in free}
        return [entry for entry in free if self._may_play(entry.session)]

    def _partners(self, entry: SeekEntry, waiting: list[SeekEntry], now_s: float) -> list[SeekEntry]:
        """The seeks that this one may be paired with now."""
        return [
            other
            for other in waiting
            if self._fits(entry, other)
            and self._may_play(other.session)
            and not self._is_cooling_down(entry, other, now_s)
        ]

    def _moved_to_back(self, entry: SeekEntry) -> SeekEntry:
        """The seek of a bot that has just been served."""
        last = replace(entry, number=next(self._numbers))
        self._enter(last)
        return last

    def _fits(self, entry: SeekEntry, other: SeekEntry) -> bool:
        return (
            (entry.opponent is None or entry.opponent == other.name)
            and (other.opponent is None or other.opponent == entry.name)
            and entry.session.bot.id != other.session.bot.id
            and entry.terms == other.terms
        )

    def _met_before(self, entry: SeekEntry, other: SeekEntry) -> int:
        met = self._met.get(meeting_key(entry.session.bot.id, other.session.bot.id, entry.terms.game))
        return met.count if met else 0

    def _is_cooling_down(self, entry: SeekEntry, other: SeekEntry, now_s: float) -> bool:
        """Whether these two played each other recently, so that another opponent is preferred for a while."""
        met = self._met.get(meeting_key(entry.session.bot.id, other.session.bot.id, entry.terms.game))
        until_s = met.cooldown_ends_s() if met else None
        if until_s is None or now_s >= until_s:
            return False
        # without other opponents to wait for, they play again
        if not any(
            self._fits(one, third)
            for one in (entry, other)
            if one.opponent is None  # otherwise it seeks the other of the two
            for seeks in self._seeks.values()
            if (third := seeks.get(one.terms.game)) is not None and third is not entry and third is not other
        ):
            return False
        self.cooldown_ends_s = until_s if self.cooldown_ends_s is None else min(until_s, self.cooldown_ends_s)
        return True

    def meet(self, one: BotSession, two: BotSession, terms: MatchTerms, now_s: float) -> Pairing:
        """These two are to play; seats alternate, so that games come in colour-swapped pairs."""
        met = self._met.setdefault(meeting_key(one.bot.id, two.bot.id, terms.game), RematchCooldown())
        meeting = met.count
        if meeting % 2 == 0:
            met.began_s = now_s
        met.count, met.ended_s = meeting + 1, None
        first, second = sorted((one, two), key=lambda session: session.bot.id)
        return Pairing((second, first) if meeting % 2 else (first, second), terms, meeting)

    def match_ended(self, one: BotId, two: BotId, game: str, now_s: float) -> None:
        """A match between these two is over."""
        met = self._met.get(meeting_key(one, two, game))
        if met is not None:
            met.ended_s = now_s

    # --- challenges ---

    def challenge(
        self,
        challenger: BotSession,
        challenged: BotSession | None,
        terms: MatchTerms,
        seat: int | None = None,
        code: str = "",
    ) -> OpenChallenge:
        """Enter a challenge. challenged: None for anybody with `code`, which must be unique."""
        challenge = OpenChallenge(next(self._numbers), challenger, challenged, terms, seat, code)
        self._challenges[challenge.number] = challenge
        if challenged is None:
            self._by_code[code] = challenge
        else:
            self._unanswered[challenged.bot.id][challenge.number] = challenge
        return challenge

    def by_code(self, code: str) -> OpenChallenge | None:
        return self._by_code.get(code)

    def unanswered(self, challenged: BotSession, by: BotSession | None = None) -> int:
        """Challenges that this bot has been sent and not answered. by: only those of this challenger."""
        waiting = self._unanswered.get(challenged.bot.id, {}).values()
        return sum(by is None or challenge.challenger.bot.id == by.bot.id for challenge in waiting)

    def take_challenge(self, number: int, session: BotSession, *, own: bool) -> OpenChallenge | None:
        """Take out a challenge to this peer (own: or by it); None if there is none."""
        self._unanswered.get(session.bot.id, {}).pop(number, None)
        challenge = self._challenges.get(number)
        if challenge is None or not (challenge.challenged is session or (own and challenge.challenger is session)):
            return None
        return self._remove(challenge)

    def take_by_code(self, challenge: OpenChallenge, session: BotSession) -> OpenChallenge:
        """Take out an open challenge for this peer, which has its code."""
        return replace(self._remove(challenge), challenged=session)

    def _remove(self, challenge: OpenChallenge) -> OpenChallenge:
        self._by_code.pop(challenge.code, None)
        return self._challenges.pop(challenge.number)

    def lapse(self, challenge: OpenChallenge) -> bool:
        """Remove an expired challenge; False if it was settled before."""
        assert challenge.challenged is not None
        self._unanswered.get(challenge.challenged.bot.id, {}).pop(challenge.number, None)
        return self._challenges.pop(challenge.number, None) is not None

    def accepted(self, challenge: OpenChallenge, now_s: float) -> Pairing:
        """The pairing of an accepted challenge."""
        one, two = challenge.challenger, challenge.challenged
        assert two is not None
        if challenge.seat is not None:
            return Pairing((two, one) if challenge.seat else (one, two), challenge.terms, meeting=None)
        return self.meet(one, two, challenge.terms, now_s)

    # --- leaving ---

    def leave(self, session: BotSession) -> tuple[OpenChallenge, ...]:
        """Forget a peer that is gone; returns its challenges in both directions."""
        self._seeks.pop(session.bot.id, None)
        self._unanswered.pop(session.bot.id, None)
        gone = [one for one in self._challenges.values() if session in (one.challenger, one.challenged)]
        for challenge in gone:
            self._remove(challenge)
        return tuple(gone)


def _of_bots(seeks: Iterable[dict[str, SeekEntry]]) -> list[SeekEntry]:
    """The seeks of these bots, the longest waiting first."""
    return sorted(itertools.chain.from_iterable(map(dict.values, seeks)), key=lambda entry: entry.number)


def meeting_key(one: BotId, two: BotId, game: str) -> Key:
    """One key for two bots in a game, in either order."""
    return min(one, two), max(one, two), game
