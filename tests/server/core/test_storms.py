"""Random events at the core: whatever comes, in whatever order, what must hold holds."""

import random
from collections import Counter

import pytest
from msgspec.structs import replace

from tabiya.server.core.effects import SaveMove, SaveResult, SendTurn
from tabiya.server.core.events import AlarmRang, Event, MoveArrived, MoveSaved, ResultSaved
from tabiya.server.core.handlers.moves import move_arrived
from tabiya.server.core.handlers.persistence import move_saved, result_saved
from tabiya.server.core.handlers.turns import alarm_rang
from tabiya.server.core.match import HANDLERS, Handler
from tabiya.server.core.policy import LagPolicy, MatchPolicy
from tabiya.server.core.restore import start_match
from tabiya.server.core.state import AwaitingMove, Match, Step
from tabiya.storage.records import MatchId
from tests.server.core.fakes import EPOCH_NS, FakeRules, agreed
from tests.server.core.storm import Storm

CONTROLS = ("60+0.5", "10+0.1", "0.2+0.002", "3/5", "2/4+0.1", "1/move", "none", "10+0.1,2/4+0.1", "1/move,0.2+0.002")
POLICY = MatchPolicy(
    lag=LagPolicy(per_move_ms=100, quota_ms=300, refill_ms=20),
    absence_ms=30_000,
    open_wait_ms=5_000,
    waiting_per_seat=3,
)


def some_text(chance: random.Random, _: Match) -> str:
    """A move of the scripted game, now and then an illegal, unreadable or deciding one."""
    return chance.choices(("a", "b", "c", "x", "??", "win", "draw"), (100, 100, 100, 2, 1, 1, 1))[0]


def storm(seed: int, events: int = 200) -> Storm:
    """One match under `events` random events."""
    chance = random.Random(seed)
    first, opening = chance.randrange(2), chance.choice(((), ("a",), ("a", "b")))
    rules = FakeRules(draws_possible=chance.random() < 0.8, max_plies=chance.choice((12, 300, 300)))
    start = f"first {first}" + chance.choice(("", " helpless 0", " helpless 1"))
    new = agreed(
        chance.choice(CONTROLS), policy=POLICY, start=start, opening=opening, illegal_limit=chance.choice((1, 3, 50))
    )
    match = start_match(MatchId(7), new, rules, POLICY, EPOCH_NS)
    made = Storm(seed, new, match, rules, some_text)
    made.run(events)
    return made


def storms(seeds: range) -> list[Storm]:
    """One after the other."""
    return [storm(seed) for seed in seeds]


def test_whatever_happens_the_promises_of_a_match_hold() -> None:
    storms(range(25))


def announces_before_the_save(state: Match, event: MoveArrived) -> Step:
    after, effects = move_arrived(state, event)
    announced = any(isinstance(effect, SaveMove) for effect in effects)
    return after, (*effects, SendTurn(1 - event.seat, event.seen_ply + 1, (0, 0), 0)) if announced else effects


def leaves_the_ply_unchecked(state: Match, event: MoveArrived) -> Step:
    return move_arrived(state, replace(event, seen_ply=state.position.ply, seat=state.position.to_move))


def leaves_the_alarm_unchecked(state: Match, event: AlarmRang) -> Step:
    return alarm_rang(state, replace(event, ply=state.position.ply))


def takes_the_alarm_for_a_verdict(state: Match, event: AlarmRang) -> Step:
    return alarm_rang(state, replace(event, rearmed=True))


def saves_the_result_by_itself(state: Match, event: MoveArrived) -> Step:
    after, effects = move_arrived(state, event)
    if effects and isinstance(effects[0], SaveResult) and effects[0].move is not None:
        return after, (SaveMove(effects[0].move), SaveResult(effects[0].result))
    return after, effects


def charges_the_save(state: Match, event: MoveSaved) -> Step:
    after, effects = move_saved(state, event)
    stage = after.stage
    if isinstance(stage, AwaitingMove) and after.arrived_ns is not None:
        after = replace(after, stage=replace(stage, started_ns=after.arrived_ns))
    return after, effects


def ends_twice(state: Match, event: ResultSaved) -> Step:
    after, effects = result_saved(state, event)
    return (state, effects) if effects else (after, effects)


PLANTED: list[tuple[type[Event], Handler]] = [
    (MoveArrived, announces_before_the_save),
    (MoveArrived, leaves_the_ply_unchecked),
    (AlarmRang, leaves_the_alarm_unchecked),
    (AlarmRang, takes_the_alarm_for_a_verdict),
    (MoveArrived, saves_the_result_by_itself),
    (MoveSaved, charges_the_save),
    (ResultSaved, ends_twice),
]


@pytest.mark.parametrize(("kind", "bug"), PLANTED, ids=lambda value: getattr(value, "__name__", None))
def test_a_planted_bug_is_found(kind: type[Event], bug: Handler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(HANDLERS, kind, bug)
    with pytest.raises(AssertionError, match=r"^seed"):
        storms(range(200))


@pytest.mark.slow
def test_whatever_happens_the_promises_of_a_match_hold_over_many_seeds() -> None:
    effects, endings, plies = Counter[str](), Counter[str](), 0
    for made in storms(range(1_000, 1_500)):
        effects.update(made.counts)
        plies += len(made.rows)
        endings[made.result.ending if made.result else "running"] += 1
    assert plies > 9 * 500, "the matches were too short to mean much"
    assert len(effects) == 13, f"not every effect was seen: {effects}"
    assert len(endings) >= 11, f"not every ending was seen: {endings}"
