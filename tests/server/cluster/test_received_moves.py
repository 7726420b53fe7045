"""A move that is passed on twice is heard once, and one that nobody waited for may come again."""

from __future__ import annotations

from msgspec.structs import replace

from tabiya.protocol.messages import Move, Resign
from tabiya.server.cluster.messages import MessageReceived
from tabiya.server.cluster.received_moves import ReceivedMoves

MOVE = Move(match=3, ply=7, move="a1")
ITEM = MessageReceived(1, b"", True, 5_000, 0)
AGAIN = replace(ITEM, passed_on=True)


class Match:
    is_awaited = True

    def waits_for(self, match_id: int, ply: int) -> bool:
        return self.is_awaited and (match_id, ply) == (3, 7)


def test_a_move_that_is_passed_on_again_is_doubled_though_its_match_still_waits_because_it_was_illegal() -> None:
    received = ReceivedMoves(Match())
    assert [received.is_duplicate(item, MOVE) for item in (ITEM, AGAIN, AGAIN)] == [False, True, True]
    assert not received.is_duplicate(replace(AGAIN, read_ns=6_000), MOVE)
    assert not received.is_duplicate(replace(AGAIN, connection=2), MOVE)


def test_a_move_that_came_before_its_match_was_there_is_not_doubled_when_it_comes_again() -> None:
    match = Match()
    received = ReceivedMoves(match)
    match.is_awaited = False
    assert [received.is_duplicate(item, MOVE) for item in (ITEM, AGAIN)] == [False, True]
    match.is_awaited = True
    assert not received.is_duplicate(AGAIN, MOVE)


def test_only_moves_are_kept_in_mind() -> None:
    received = ReceivedMoves(Match())
    assert not any(received.is_duplicate(AGAIN, message) for message in (Resign(match=3), None) * 2)
