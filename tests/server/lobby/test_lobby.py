"""Who plays whom: the lobby alone, with bots that are only names."""

from __future__ import annotations

import heapq
from collections import Counter
from itertools import islice
from random import Random

import pytest

from tabiya.protocol.messages import Hello
from tabiya.server.lobby.lobby import Lobby, Pairing, SeekEntry, meeting_key
from tabiya.server.matches.factory import MatchTerms
from tabiya.server.sessions.session import BotSession
from tabiya.storage.records import BotId, BotRecord
from tests.present import present

TERMS = MatchTerms("some game", "60+0.5", {})


class Hall:
    """A lobby with bots of one seat each, unless said otherwise; games end when the test says so.

    busy: bots that have a free seat and may not take it.  asked: whose seats have been looked at.
    """

    def __init__(self, count: int = 0, seats: int = 1, kind: type[Lobby] = Lobby) -> None:
        self.seats, self.playing, self.busy, self.asked = seats, Counter[BotSession](), set[str](), set[str]()
        self.lobby = kind(lambda session: self.has_seat(session) and session.name not in self.busy, self.has_seat)
        self.sessions = [self.session(f"bot{number}") for number in range(count)]
        for session in self.sessions:
            self.lobby.seek(session, TERMS)

    def session(self, name: str) -> BotSession:
        """A new session."""
        number = BotId(1 + len(self.playing))
        record, hello = BotRecord(id=number, name=name, created_at=0.0), Hello(name=name)
        session = BotSession(None, record, hello, authenticated=False)  # type: ignore[arg-type]
        self.playing[session] = 0
        return session

    def has_seat(self, session: BotSession) -> bool:
        """Whether it plays less than it may."""
        self.asked.add(session.name)
        return self.playing[session] < self.seats

    def pair(self, now_s: float = 0.0, most: int | None = None) -> list[Pairing]:
        """The first pairings possible now, all unless said otherwise; their seats are taken."""
        made = []
        for pairing in islice(self.lobby.pair(now_s), most):
            self.playing.update(pairing.seats)
            made.append(pairing)
        return made

    def end(self, pairing: Pairing, now_s: float = 0.0) -> None:
        """The match is over."""
        self.playing.subtract(pairing.seats)
        one, two = pairing.seats
        self.lobby.match_ended(one.bot.id, two.bot.id, pairing.terms.game, now_s)
        self.lobby.seats_freed(one.bot.id, two.bot.id)


class PlainLobby(Lobby):
    """Looks at every seek each time."""

    def _waiting(self) -> list[SeekEntry]:
        return [entry for entry in self.seeks() if self._may_play(entry.session)]


def names_of(pairing: Pairing) -> set[str]:
    return {session.name for session in pairing.seats}


def test_two_who_are_alone_are_paired_again_without_a_rest_with_colours_changed_and_meetings_counted() -> None:
    hall, seen = Hall(2), []
    for now_s in range(0, 600, 100):
        (pairing,) = hall.pair(now_s)
        assert hall.pair(now_s) == []
        seen.append((pairing.seats[0].name, pairing.meeting))
        hall.end(pairing, now_s + 100)
    assert seen == [("bot0", 0), ("bot1", 1), ("bot0", 2), ("bot1", 3), ("bot0", 4), ("bot1", 5)]
    assert hall.lobby.cooldown_ends_s is None


def test_the_odd_one_out_is_served_first_next_time() -> None:
    hall = Hall(3)
    played = Counter[str]()
    pairs = Counter[frozenset[str]]()
    for _ in range(30):
        (pairing,) = hall.pair()
        played.update(names_of(pairing))
        pairs[frozenset(names_of(pairing))] += 1
        hall.end(pairing)
    assert played == {"bot0": 20, "bot1": 20, "bot2": 20}
    assert set(pairs.values()) == {10}


@pytest.mark.parametrize(("count", "seats", "seed"), [(4, 1, 1), (5, 1, 2), (7, 2, 3), (10, 1, 4)])
def test_in_a_long_evening_all_play_nearly_as_often_and_everybody_meets_everybody(
    count: int, seats: int, seed: int
) -> None:
    hall, draw = Hall(count, seats), Random(seed)
    running: list[tuple[float, int, Pairing]] = []
    played, met, first = Counter[BotSession](), Counter[frozenset[BotSession]](), Counter[BotSession]()
    now_s, idle_s = 0.0, 0.0
    for number in range(100 * count):
        for pairing in hall.pair(now_s):
            heapq.heappush(running, (now_s + draw.uniform(50, 150), number + len(running) * 1_000_000, pairing))
        rest_s = hall.lobby.cooldown_ends_s
        if rest_s is not None and (not running or rest_s < running[0][0]):
            idle_s, now_s = idle_s + rest_s - now_s, rest_s
            continue
        now_s, _, pairing = heapq.heappop(running)
        hall.end(pairing, now_s)
        played.update(pairing.seats)
        met[frozenset(pairing.seats)] += 1
        first[pairing.seats[0]] += 1
    assert max(played.values()) - min(played.values()) <= 0.25 * max(played.values())
    assert len(met) == count * (count - 1) // 2
    assert all(abs(first[session] - played[session] / 2) <= 0.1 * played[session] for session in hall.sessions)


def test_after_two_games_both_wait_for_others_for_a_tenth_of_the_time_that_these_took() -> None:
    hall = Hall(4)
    pairing, _ = hall.pair(0.0)
    hall.end(pairing, 100.0)
    (again,) = hall.pair(100.0)
    assert again.seats == pairing.seats[::-1]
    hall.end(again, 200.0)
    assert hall.pair(200.0) == []
    assert hall.lobby.cooldown_ends_s == 220.0
    assert len(hall.pair(220.0)) == 1


def test_those_who_rest_are_paired_at_once_with_somebody_else() -> None:
    hall = Hall(4)
    pairing, other = hall.pair(0.0)
    for _ in range(2):
        hall.end(pairing, 100.0)
        hall.playing.update(pairing.seats)
    hall.playing.subtract(pairing.seats)
    hall.lobby._met[meeting_key(BotId(1), BotId(2), TERMS.game)].count = 2
    assert hall.pair(100.0) == []
    hall.end(other, 101.0)
    assert [names_of(one) for one in hall.pair(101.0)] == [{"bot0", "bot2"}, {"bot1", "bot3"}]


def test_no_bot_gets_more_matches_than_it_allows() -> None:
    hall = Hall(2, seats=3)
    assert len(hall.pair()) == 3
    assert hall.pair() == []
    assert {hall.playing[session] for session in hall.sessions} == {3}


def test_seeks_that_differ_in_anything_are_not_paired() -> None:
    hall = Hall(1)
    for terms in (
        MatchTerms("another game", "60+0.5", {}),
        MatchTerms("some game", "60+1", {}),
        MatchTerms("some game", "60+0.5", {"size": 3}),
        MatchTerms("some game", "60+0.5", {}, rated=False),
    ):
        hall.lobby.seek(hall.session("other"), terms)
    assert hall.pair() == []


def test_only_bots_whose_seats_have_become_free_are_looked_at_after_a_match() -> None:
    hall = Hall(20)
    pairing, *_ = hall.pair()
    assert hall.pair() == []
    hall.asked.clear()
    hall.end(pairing)
    assert len(hall.pair()) == 1
    assert hall.asked == names_of(pairing)


class Evening:
    """One hall's part of the randomised test: what is drawn for all halls alike happens in it."""

    def __init__(self, kind: type[Lobby]) -> None:
        self.hall, self.running, self.now_s = Hall(kind=kind), list[Pairing](), 0.0
        self.log = list[
            tuple[list[tuple[object, ...]], float | None]
        ]()  # who was paired with whom, and when the first cooldown ends

    def step(self, draw: Random) -> None:
        """Something happens, and then bots are paired."""
        hall, sessions, self.now_s = self.hall, self.hall.sessions, self.now_s + draw.choice([0.0, 1.0, 20.0])
        what = draw.random()
        if what < 0.05 or len(sessions) < 2:
            sessions.append(hall.session(f"bot{len(hall.playing)}"))
        elif what < 0.3:
            opponent = draw.choice(sessions).name if draw.random() < 0.2 else None
            terms = MatchTerms(draw.choice(["some game", "another"]), "60+0.5", {}, rated=draw.random() < 0.8)
            hall.lobby.seek(draw.choice(sessions), terms, opponent)
        elif what < 0.35:
            hall.lobby.unseek(draw.choice(sessions), "some game")
        elif what < 0.37:
            hall.lobby.leave(sessions.pop(draw.randrange(len(sessions))))
        elif what < 0.42:
            one, two = draw.sample(sessions, 2)
            self.running.append(hall.lobby.meet(one, two, TERMS, self.now_s))
            hall.playing.update((one, two))
        elif what < 0.5:
            hall.busy ^= {draw.choice(sessions).name}  # nobody tells the lobby of it
        elif what < 0.52:
            hall.seats = draw.randint(1, 3)
            hall.lobby.seats_freed()
        elif self.running:
            hall.end(self.running.pop(draw.randrange(len(self.running))), self.now_s)
        made = hall.pair(self.now_s, draw.choice([None, None, 1]))
        self.running += made
        pairs: list[tuple[object, ...]] = [
            (names_of(pairing), pairing.seats[0].name, pairing.terms, pairing.meeting) for pairing in made
        ]
        self.log.append((pairs, hall.lobby.cooldown_ends_s))


@pytest.mark.parametrize("seed", range(10))
def test_the_same_are_paired_as_if_every_seek_were_looked_at_each_time(seed: int) -> None:
    lines = []
    for kind in (Lobby, PlainLobby):
        evening, draw = Evening(kind), Random(seed)
        for _ in range(1_000):
            evening.step(draw)
        lines.append(evening.log)
    assert lines[0] == lines[1]
    assert sum(len(pairs) for pairs, _ in lines[0]) > 100


def test_a_wish_for_one_opponent_is_kept_on_both_sides() -> None:
    hall = Hall()
    ada, bob, cyd = (hall.session(name) for name in ("Ada", "Bob", "Cyd"))
    hall.lobby.seek(ada, TERMS, "CYD")
    hall.lobby.seek(bob, TERMS)
    assert hall.pair() == []
    hall.lobby.seek(cyd, TERMS, "bob")
    assert [names_of(pairing) for pairing in hall.pair()] == [{"Bob", "Cyd"}]
    hall.lobby.seek(cyd, TERMS, "ada")
    hall.playing.clear()
    assert [names_of(pairing) for pairing in hall.pair()] == [{"Ada", "Cyd"}]


def test_an_opponent_is_found_however_its_name_is_written() -> None:
    hall = Hall()
    ada, zoe = hall.session("Ada"), hall.session("Zo\u00eb")
    hall.lobby.seek(ada, TERMS, " ZOE\u0308")
    hall.lobby.seek(zoe, TERMS, "\uff21da")
    assert [names_of(pairing) for pairing in hall.pair()] == [{"Ada", "Zo\u00eb"}]


def test_a_later_seek_for_the_same_game_replaces_the_earlier() -> None:
    hall = Hall(1)
    (ada,) = hall.sessions
    hall.lobby.seek(ada, MatchTerms("some game", "1+0", {}))
    assert [entry.terms.time_control for entry in hall.lobby.seeks()] == ["1+0"]
    assert hall.lobby.unseek(ada, "some game")
    assert not hall.lobby.unseek(ada, "some game")
    assert hall.lobby.seeks() == []


def test_a_peer_that_leaves_takes_its_seeks_and_challenges_along() -> None:
    hall = Hall(3)
    ada, bob, cyd = hall.sessions
    hall.lobby.challenge(ada, bob, TERMS)
    hall.lobby.challenge(cyd, ada, TERMS)
    hall.lobby.challenge(bob, cyd, TERMS)
    gone = hall.lobby.leave(ada)
    assert {(one.challenger.name, present(one.challenged).name) for one in gone} == {
        ("bot0", "bot1"),
        ("bot2", "bot0"),
    }
    assert [entry.session.name for entry in hall.lobby.seeks()] == ["bot1", "bot2"]
    assert hall.lobby.open_wishes(bob) == 2
    assert hall.lobby.open_wishes(cyd) == 1
