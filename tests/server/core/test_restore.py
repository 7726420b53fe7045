"""A match restored from its rows is the live one, after every saved prefix; and what does not fit is refused."""

import random
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from tabiya.protocol.time_control import parse
from tabiya.server.core.clock import after_move_us
from tabiya.server.core.effects import SaveMove, SendTurn, SetAlarm
from tabiya.server.core.events import (
    DrawOffered,
    MatchOpened,
    MoveArrived,
    MoveSaved,
    ProcessPaused,
    TurnSent,
)
from tabiya.server.core.match import advance
from tabiya.server.core.policy import DEFAULT_POLICY
from tabiya.server.core.restore import RestoreError, restore_match, start_match
from tabiya.server.core.state import AwaitingMove, AwaitingPlayers, Match, Rules
from tabiya.storage.records import MatchId, MoveRecord, NewMatch, OpeningPly, StoredMatch
from tests.server.core.fakes import EPOCH_NS, MS, FakeRules, S, Table, agreed, stored, table
from tests.server.core.storm import check_instants, lasting

CONTROLS = ("60+0.5", "3/60", "2/30+0.1", "5/move", "none")


def restored(kept: StoredMatch, rules: Rules | None = None, after_s: float = 0.0) -> Match:
    """The match, restored so long after its last row."""
    last = kept.moves[-1].at if kept.moves else kept.match.created_at
    return restore_match(kept, rules or FakeRules(), DEFAULT_POLICY, EPOCH_NS, last + after_s)


def opened_like(back: Match, live: Match) -> Match:
    """The restored match, its turn handed out at the instant at which the live one's was, over the same lines."""
    assert isinstance(live.stage, AwaitingMove)
    first, second = (presence.network_us * 1_000 for presence in live.presence)
    return advance(back, MatchOpened(live.stage.started_ns, (True, True), (first, second)))[0]


def next_row(match: Match, text: str) -> object:
    """What the match saves of the same further messages: an offer, an illegal move and a move."""
    assert isinstance(match.stage, AwaitingMove)
    at_ns, seat, ply = match.stage.started_ns + 70 * MS, match.position.to_move, match.position.ply
    if match.offer is None:  # another's would be accepted
        match, _ = advance(match, DrawOffered(seat, ply, at_ns))
    match, _ = advance(match, MoveArrived(seat, "??", ply, at_ns, at_ns))
    _, (save,) = advance(match, MoveArrived(seat, text, ply, at_ns, at_ns, 5 * MS))
    # what a restart itself adds to the account of the pending turn, and no other figure, may differ
    return replace(save.move, server_us=0, forgiven_us=0) if isinstance(save, SaveMove) else save


def random_match(seed: int, new: NewMatch, rules: Rules, choose: Callable[[random.Random, Match], str]) -> int:
    """Plays on, restoring after every saved move; returns how many there were. Illegal moves and offers happen."""
    chance, rows, now_ns = random.Random(seed), list[MoveRecord](), 5 * S
    live = start_match(MatchId(7), new, rules, DEFAULT_POLICY, EPOCH_NS)
    live, _ = advance(live, MatchOpened(now_ns, (True, True), (20 * MS, 90 * MS)))
    for _ in range(60):
        now_ns += chance.randrange(300 * MS)
        seat, ply = live.position.to_move, live.position.ply
        if chance.random() < 0.2:
            live, _ = advance(live, DrawOffered(chance.randrange(2), ply, now_ns))
        if chance.random() < 0.1:
            now_ns += 400 * MS
            live, _ = advance(live, ProcessPaused(now_ns - 350 * MS, now_ns))
        text = choose(chance, live) if chance.random() < 0.95 else "??"
        network_ns = chance.randrange(300 * MS)
        live, effects = advance(live, MoveArrived(seat, text, ply, now_ns, now_ns, network_ns, {"depth": ply}))
        if effects and isinstance(effects[0], SaveMove):
            rows.append(effects[0].move)
            live, _ = advance(live, MoveSaved(ply, now_ns + chance.randrange(9 * MS)))
            back = restored(stored(new, tuple(rows)), rules)
            assert lasting(back) == lasting(live), f"seed {seed}, ply {ply}"
            live, _ = advance(live, TurnSent(ply + 1, now_ns + 10 * MS))
            assert next_row(opened_like(back, live), text) == next_row(live, text), f"seed {seed}, ply {ply}"
    return len(rows)


@pytest.mark.parametrize("control", CONTROLS)
def test_after_every_saved_prefix_the_restored_match_is_the_live_one(control: str) -> None:
    for seed in range(5):
        new = agreed(control, start=f"first {seed % 2}", opening=("a", "b")[: seed % 3], illegal_limit=99)
        saved = random_match(seed, new, FakeRules(), lambda chance, _: chance.choice("abc"))
        assert saved > 0


def interrupted_match(seed: int, control: str) -> tuple[NewMatch, list[MoveRecord]]:
    """The rows of a match during which the server is killed and started again now and then, by a clock of its own."""
    chance, rows, new = random.Random(seed), list[MoveRecord](), agreed(control)
    wall_ns, epoch_ns = EPOCH_NS + 5 * S, EPOCH_NS
    live = start_match(MatchId(7), new, FakeRules(), DEFAULT_POLICY, epoch_ns)
    live, _ = advance(live, MatchOpened(wall_ns - epoch_ns))
    for _ in range(60):
        wall_ns += chance.randrange(900 * MS)
        if chance.random() < 0.2:
            epoch_ns = (wall_ns - chance.randrange(10**12)) // 1_000 * 1_000
            kept = stored(new, tuple(rows))
            live = restore_match(kept, FakeRules(), DEFAULT_POLICY, epoch_ns, wall_ns / S)
            wall_ns += chance.randrange(9 * S)
            live, _ = advance(live, MatchOpened(wall_ns - epoch_ns))
            wall_ns += chance.randrange(900 * MS)
        ply, now_ns = live.position.ply, wall_ns - epoch_ns
        live, effects = advance(live, MoveArrived(live.position.to_move, "a", ply, now_ns, now_ns, 9 * MS))
        (save,) = effects
        if not isinstance(save, SaveMove):
            break
        rows.append(save.move)
        wall_ns += chance.randrange(9 * MS)
        live, _ = advance(live, MoveSaved(ply, wall_ns - epoch_ns))
        wall_ns += chance.randrange(MS)
        live, _ = advance(live, TurnSent(ply + 1, wall_ns - epoch_ns))
    return new, rows


@pytest.mark.parametrize("control", CONTROLS)
def test_every_microsecond_of_a_match_is_accounted_for_over_restarts_too(control: str) -> None:
    for seed in range(10):
        new, rows = interrupted_match(seed, control)
        clocks = list(new.remaining_us)
        for before, row in zip([None, *rows], rows, strict=False):
            check_instants(row, before)
            made = sum(other.seat == row.seat for other in rows[: row.ply + 1])
            clocks[row.seat] = after_move_us(parse(control), clocks[row.seat], row.think_us - row.credit_us, made)
            assert row.remaining_us == tuple(clocks), f"seed {seed}, ply {row.ply}"
        assert len(rows) > 10


def test_the_time_of_a_restart_is_the_servers_and_earlier_thinking_is_forgiven() -> None:
    made = Table(restored(played(1), after_s=20.0))
    turn = SendTurn(1, 1, (59_500_000, 60_000_000), 60_000_000)
    assert made.do(MatchOpened(500 * S)) == (turn, SetAlarm(1, 560 * S))  # and the match is not announced again
    made.play("b", 502 * S)
    made.play("a", 503 * S)
    row, later = (save.move for save in made.of_kind(SaveMove))
    assert (row.server_us, row.forgiven_us, row.think_us) == (479_000_000, 20_000_000, 2_000_000)
    assert (row.remaining_us, later.forgiven_us) == ((59_500_000, 58_500_000), 0)


def played(count: int, control: str = "60+0.5") -> StoredMatch:
    """A stored match of so many moves, one a second."""
    made = table(control)
    for ply in range(count):
        made.play("a", (ply + 1) * S)
    return stored(agreed(control), tuple(save.move for save in made.of_kind(SaveMove)))


@pytest.mark.parametrize(
    ("control", "after_s", "forgiven_us"),
    [("60+0.5", 1e5, 60_000_000), ("2/move", 1e5, 2_000_000), ("none", 1e5, 600_000_000), ("60+0.5", -5.0, 0)],
)
def test_no_more_thinking_is_forgiven_than_the_turn_could_take(control: str, after_s: float, forgiven_us: int) -> None:
    stage = restored(played(1, control), after_s=after_s).stage
    assert stage == AwaitingPlayers(restored=True, forgiven_us=forgiven_us)


def test_a_standing_offer_survives() -> None:
    made = table()
    made.do(DrawOffered(0, 0, S))
    made.play("a", S)
    back = restored(stored(agreed(), tuple(save.move for save in made.of_kind(SaveMove))))
    assert (back.offer, back.offer_announced) == (0, True)


Damage = Callable[[StoredMatch], StoredMatch]


def with_row(kept: StoredMatch, ply: int, **changes: object) -> StoredMatch:
    """The stored match with one row changed."""
    rows = list(kept.moves)
    rows[ply] = replace(rows[ply], **changes)
    return replace(kept, moves=tuple(rows))


DAMAGES: list[tuple[Damage, str]] = [
    (lambda kept: replace(kept, moves=kept.moves[:1] + kept.moves[2:]), "ply 1 is missing, ply 2 follows"),
    (lambda kept: with_row(kept, 1, text="x"), "ply 1 cannot be played: 'x' is not legal"),
    (lambda kept: with_row(kept, 1, text="??"), "ply 1 cannot be played"),
    (lambda kept: with_row(kept, 1, seat=0), "ply 1 is by seat 0, who is not to move there"),
    (lambda kept: with_row(kept, 1, text="win"), "ply 2 is by seat 0, who is not to move there"),
    (lambda kept: with_row(kept, 2, text="win"), "the game is over after ply 2, but no result is stored"),
    (lambda kept: with_row(kept, 1, remaining_us=(59_500_000, 1)), "after ply 1 do not follow"),
    (lambda kept: with_row(kept, 1, remaining_us=(1, 59_500_000)), "after ply 1 do not follow"),
    (lambda kept: with_row(kept, 1, think_us=7), "after ply 1 do not follow"),
    (lambda kept: replace(kept, match=replace(kept.match, start_text="chaos")), "start position cannot be read"),
    (lambda kept: replace(kept, match=replace(kept.match, rules_version=2)), "rules fake 2, this server plays fake 1"),
    (lambda kept: replace(kept, match=replace(kept.match, game="go")), "rules go 1, this server plays fake 1"),
    (lambda kept: replace(kept, match=replace(kept.match, time_control="soon")), "time control 'soon'"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGES)
def test_inconsistent_rows_are_refused_with_the_place(damage: Damage, message: str) -> None:
    with pytest.raises(RestoreError, match=message):
        restored(damage(played(3)))


def test_an_opening_that_cannot_be_played_is_refused() -> None:
    for opening in (
        (OpeningPly(seat=0, text="x"),),
        (OpeningPly(seat=1, text="a"),),
        (OpeningPly(seat=0, text="win"),),
    ):
        with pytest.raises(RestoreError):
            start_match(MatchId(7), replace(agreed(), opening=opening), FakeRules(), DEFAULT_POLICY, EPOCH_NS)
