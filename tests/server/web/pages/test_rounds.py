"""Rounds as the page shows them: all of a small tournament, the latest of a large one."""

from __future__ import annotations

from msgspec.structs import replace

from tabiya.server.web.pages.rounds import MAX_PAIRINGS, ROUNDS_SHOWN, ShownPairing, ShownRound, latest_rounds
from tabiya.server.web.schemas.tournament_responses import PairingLine


def pairing(number: int, slot: int) -> ShownPairing:
    line = PairingLine(
        round=number,
        slot=slot,
        players=(0, 1),
        bots=("ada", "bob"),
        points=(0, 0),
        games=(),
        winner=None,
        note="",
        before=None,
    )
    return ShownPairing(line, ())


def rounds(count: int, pairings: int) -> list[ShownRound]:
    return [ShownRound(f"Round {n}", tuple(pairing(n, slot) for slot in range(pairings)), ()) for n in range(count)]


def test_a_small_tournament_shows_every_round_and_a_large_one_the_latest() -> None:
    small, large = rounds(9, MAX_PAIRINGS // 9), rounds(9, MAX_PAIRINGS // 9 + 1)
    assert latest_rounds(small) == small
    assert latest_rounds(large) == large[-ROUNDS_SHOWN:]


def test_a_pairing_is_pending_before_its_games_and_over_when_somebody_has_won_it() -> None:
    open_one = pairing(0, 0)
    assert open_one.state == "pending"
    assert open_one._replace(line=replace(open_one.line, winner=1)).state == "over"
