"""`advance` as a whole: every event has its room, and a match is a value."""

from typing import get_args

from tabiya.server.core import effects, events
from tabiya.server.core.events import AlarmRang, MoveArrived, Resigned
from tabiya.server.core.match import HANDLERS, WAITS_FOR_THE_SAVE, advance
from tests.server.core.fakes import S, table


def test_every_event_has_a_room_that_answers_it() -> None:
    assert set(HANDLERS) == set(get_args(events.Event))
    assert set(WAITS_FOR_THE_SAVE) < set(HANDLERS)


def test_every_event_and_effect_is_explained() -> None:
    for one in get_args(events.Event) + get_args(effects.Effect):
        assert one.__doc__


def test_the_same_event_at_the_same_match_gives_the_same_answer() -> None:
    match = table().match
    event = MoveArrived(0, "a", 0, S, S)
    assert advance(match, event) == advance(match, event)


def test_a_match_is_never_changed_in_place() -> None:
    match = table().match
    copy = table().match
    for event in (MoveArrived(0, "a", 0, S, S), Resigned(1, S), AlarmRang(0, 100 * S, rearmed=True)):
        after, _ = advance(match, event)
        assert after != match
    assert match == copy
