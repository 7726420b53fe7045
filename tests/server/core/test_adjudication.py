"""Adjudication: what is counted, when it decides, in which order, and that a restart forgets none of it."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins
from msgspec.structs import replace

from tabiya.games import registry
from tabiya.games.endings import Ending
from tabiya.server.core.adjudication import (
    NO_STREAKS,
    Adjudication,
    DrawRule,
    ResignRule,
    Streaks,
    complaint,
    counted,
    score_of,
    verdict,
)
from tabiya.server.core.effects import SaveMove, SaveResult
from tabiya.server.core.events import MatchOpened, MoveArrived
from tabiya.server.core.policy import DEFAULT_POLICY
from tabiya.server.core.restore import RestoreError, restore_match, start_match
from tabiya.storage.records import MatchId, ResultRecord
from tests.server.core.fakes import EPOCH_NS, FakeRules, S, Table, agreed, stored
from tests.server.core.storm import lasting

WHO = ("ann (White)", "bob (Black)")
Ends = tuple[int, int | None, str] | None
Report = tuple[int | None, bool]  # a score, and whether its move is one that cannot be taken back

DRAW = Adjudication(draw=DrawRule(movenumber=3, movecount=2, score=10))
RESIGN = Adjudication(resign=ResignRule(movecount=2, score=600))
TWO_SIDED = Adjudication(resign=ResignRule(movecount=2, score=600, twosided=True))
LENGTH = Adjudication(maxmoves=3)


def ended_after(rule: Adjudication, reports: list[Report], first: int = 0) -> Ends:
    """After how many moves the rule ends a match in which the seats tell these in turn; the winner; how."""
    streaks, made = NO_STREAKS, [0, 0]
    for number, (score, new_ground) in enumerate(reports):
        seat = (first + number) % 2
        made[seat] += 1
        streaks = counted(rule, streaks, seat, score, new_ground=new_ground)
        decided = verdict(rule, streaks, (made[0], made[1]), WHO)
        if decided is not None:
            return number + 1, decided.winner, decided.ending
    return None


def scores(*values: int | None) -> list[Report]:
    """Scores with moves that can be taken back."""
    return [(score, False) for score in values]


IRREVERSIBLE = [*scores(0, 0, 0, 0, 0), (0, True), *scores(0, 0, 0)]
DRAWN, LOST = (None, Ending.DRAWN_BY_SCORES), (1, Ending.RESIGNED_BY_SCORES)  # seat 0 moves first, and loses


@pytest.mark.parametrize(
    ("rule", "reports", "ends"),
    [
        (DRAW, scores(0, 10, -10, 5, 0, 0), (6, *DRAWN)),
        (DRAW, scores(0, 0, 0, 0, 0, 11, 0, 0, 0, 0), (10, *DRAWN)),
        (DRAW, scores(0, 0, 0, 0, 0, None, 0, 0, 0), None),
        (DRAW, IRREVERSIBLE, (9, *DRAWN)),
        (DRAW, IRREVERSIBLE[:8], None),
        (RESIGN, scores(-600, 700, -600, 700), (3, *LOST)),
        (RESIGN, scores(-600, None, -599, None, -600, None), None),
        (RESIGN, [(-600, True), (600, True), (-600, True)], (3, *LOST)),
        (TWO_SIDED, scores(-600, 600, -600, 600), (4, *LOST)),
        (TWO_SIDED, scores(-600, 599, -600, 600, -600, 600), (6, *LOST)),
        (TWO_SIDED, scores(*[-700] * 20), None),
        (LENGTH, scores(*[None] * 9), (6, None, Ending.MOVE_LIMIT)),
    ],
)
def test_examples_of_each_rule(
    rule: Adjudication, reports: list[Report], ends: tuple[int, int | None, Ending] | None
) -> None:
    assert ended_after(rule, reports) == ends


def test_a_loss_comes_before_a_draw_and_a_draw_before_the_length() -> None:
    rule = Adjudication(draw=DrawRule(movecount=2, score=10), resign=ResignRule(movecount=2, score=600), maxmoves=2)
    assert verdict(rule, Streaks((2, 2), (0, 2), (0, 0)), (2, 2), WHO) == (
        0,
        Ending.RESIGNED_BY_SCORES,
        "bob (Black) judged its own position -6.00 or worse 2 times in a row",
    )
    assert ended_after(rule, scores(0, 0, 0, 0)) == (4, None, Ending.DRAWN_BY_SCORES)
    assert ended_after(rule, scores(0, 0, 0, 11)) == (4, None, Ending.MOVE_LIMIT)


def test_the_reasons_are_sentences_with_the_figures() -> None:
    both = verdict(DRAW, Streaks(level=(2, 2)), (3, 3), WHO)
    agreed_loss = verdict(TWO_SIDED, Streaks(losing=(2, 0), winning=(0, 2)), (3, 3), WHO)
    long = verdict(LENGTH, NO_STREAKS, (3, 3), WHO)
    once = verdict(Adjudication(draw=DrawRule(movecount=1, score=0), maxmoves=1), Streaks((1, 1)), (1, 1), WHO)
    assert [one and one.reason for one in (both, agreed_loss, long, once)] == [
        "both players judged the game level within 0.10 2 times in a row",
        "ann (White) judged its own position -6.00 or worse 2 times in a row, and bob (Black) its own +6.00 or better",
        "each player has made 3 moves, as many as were agreed",
        "both players judged the game level within 0.00 once",
    ]


# --- against a plain reading of the rule

RULES = st.builds(
    Adjudication,
    draw=st.none()
    | st.builds(DrawRule, movenumber=st.integers(0, 6), movecount=st.integers(1, 3), score=st.integers(0, 2)),
    resign=st.none()
    | st.builds(ResignRule, movecount=st.integers(1, 3), score=st.integers(3, 4), twosided=st.booleans()),
    maxmoves=st.integers(0, 12),
)
TOLD = st.lists(st.tuples(st.none() | st.integers(-4, 4), st.sampled_from([False, False, False, True])), max_size=30)


def plainly(rule: Adjudication, reports: list[Report], first: int) -> Ends:
    """The rule as it is written down, looking back from each move at all there is: nothing is counted."""
    for number in range(1, len(reports) + 1):
        seats = [(first + at) % 2 for at in range(number)]
        mine = [[reports[at][0] for at in range(number) if seats[at] == seat] for seat in (0, 1)]
        fewest = min(map(len, mine))
        if rule.resign is not None:
            count, least = rule.resign.movecount, rule.resign.score
            for loser in (0, 1):
                lost = sure_for(count, least, [None if score is None else -score for score in mine[loser]])
                won = sure_for(count, least, mine[1 - loser])
                if lost and (won or not rule.resign.twosided):
                    return number, 1 - loser, Ending.RESIGNED_BY_SCORES
        if rule.draw is not None and fewest >= rule.draw.movenumber:
            count, most = rule.draw.movecount, rule.draw.score
            last = reports[max(0, number - 2 * count) : number]
            calm = len(last) == 2 * count and not any(new_ground for _, new_ground in last[1:])
            if calm and all(score is not None and abs(score) <= most for score, _ in last):
                return number, None, Ending.DRAWN_BY_SCORES
        if rule.maxmoves and fewest >= rule.maxmoves:
            return number, None, Ending.MOVE_LIMIT
    return None


def sure_for(count: int, least: int, reports: list[int | None]) -> bool:
    """Whether the last so many scores are there and none is lower."""
    last = reports[-count:]
    return len(last) == count and all(score is not None and score >= least for score in last)


@given(RULES, TOLD, st.integers(0, 1))
def test_counting_is_the_same_as_looking_back_at_everything(
    rule: Adjudication, reports: list[Report], first: int
) -> None:
    assert ended_after(rule, reports, first) == plainly(rule, reports, first)


# --- in a match


def seated(rule: Adjudication | None, rules: FakeRules | None = None, **terms: Any) -> tuple[Table, Any]:
    """A match held by the rule, whose first turn went out at time 0, and what was agreed for it."""
    new = replace(agreed(**terms), adjudication=None if rule is None else to_builtins(rule))
    made = Table(start_match(MatchId(7), new, rules or FakeRules(), DEFAULT_POLICY, EPOCH_NS))
    made.do(MatchOpened(0))
    return made, new


def tell(made: Table, score: int | None, text: str = "a") -> None:
    """The seat to move plays, tells the score, and it is saved."""
    position, at_ns = made.match.position, (made.match.position.ply + 1) * S
    info = {"depth": 3} if score is None else {"score": score}
    made.do(MoveArrived(position.to_move, text, position.ply, at_ns, at_ns, 0, info))
    made.save(at_ns)


def result_of(made: Table) -> ResultRecord | None:
    """The result, once it is saved."""
    saved = made.of_kind(SaveResult)
    return saved[0].result if saved else None


def test_a_match_ends_with_the_move_that_decides_it_in_one_save() -> None:
    made, _ = seated(RESIGN)
    for score in (-600, 600, -700):
        assert result_of(made) is None
        tell(made, score)
    (save,) = made.of_kind(SaveResult)
    assert (save.move.ply, save.move.info) == (2, {"score": -700})
    assert (save.result.winner, save.result.ending) == (1, Ending.RESIGNED_BY_SCORES)
    assert save.result.reason == "ann (White) judged its own position -6.00 or worse 2 times in a row"
    assert made.match.ended


def test_without_the_rule_scores_decide_nothing() -> None:
    made, _ = seated(None)
    for _ in range(20):
        tell(made, -30_000)
    assert result_of(made) is None
    assert made.match.streaks is NO_STREAKS


@pytest.mark.parametrize(("text", "ending", "winner"), [("win", Ending.LINE, 0), ("draw", Ending.FULL_BOARD, None)])
def test_the_rules_of_the_game_come_first(text: str, ending: Ending, winner: int | None) -> None:
    made, _ = seated(RESIGN)
    tell(made, -600)
    tell(made, 0)
    tell(made, -600, text)
    result = result_of(made)
    assert result is not None
    assert (result.ending, result.winner, result.reason) == (ending, winner, "")


def test_the_clock_comes_first() -> None:
    made, _ = seated(RESIGN)
    tell(made, -600)
    tell(made, 0)
    made.do(MoveArrived(0, "a", 2, 90 * S, 90 * S, 0, {"score": -600}))
    (save,) = made.of_kind(SaveResult)
    assert (save.result.ending, save.move) == (Ending.TIME, None)


def test_the_moves_of_the_opening_are_nobodys() -> None:
    made, _ = seated(LENGTH, opening=("a", "b", "c", "a"))
    for _ in range(6):
        assert result_of(made) is None
        tell(made, None)
    result = result_of(made)
    assert result is not None
    assert (result.ending, made.match.position.ply) == (Ending.MOVE_LIMIT, 10)


@pytest.mark.parametrize(
    ("info", "score"), [(None, None), ({"depth": 1}, None), ({"score": None}, None), ({"score": -3, "depth": 1}, -3)]
)
def test_a_move_whose_bot_tells_no_score_has_none(info: dict[str, Any] | None, score: int | None) -> None:
    assert score_of(info) == score


def test_an_illegal_move_tells_no_score() -> None:
    made, _ = seated(RESIGN)
    made.do(MoveArrived(0, "x", 0, S, S, 0, {"score": -600}))
    tell(made, -600)
    assert made.match.streaks.losing == (1, 0)


def test_after_every_saved_prefix_the_restored_match_has_counted_the_same() -> None:
    rule = Adjudication(draw=DrawRule(movecount=9, score=30), resign=ResignRule(movecount=9, score=40, twosided=True))
    for seed in range(8):
        chance = random.Random(seed)
        made, new = seated(rule, start=f"first {seed % 2}", opening=("a", "b")[: seed % 3])
        seen = set[Streaks]()
        for _ in range(40):
            tell(made, chance.choice((None, 0, 20, -30, 50, -50, 50, -50)))
            rows = tuple(save.move for save in made.of_kind(SaveMove))
            back = restore_match(stored(new, rows), FakeRules(), DEFAULT_POLICY, EPOCH_NS, rows[-1].at)
            assert lasting(back) == lasting(made.match), f"seed {seed}"
            seen.add(made.match.streaks)
        assert len(seen) > 10, f"seed {seed}"


def test_a_stored_rule_that_cannot_be_read_is_refused() -> None:
    new = replace(agreed(), adjudication={"draw": {"movecount": -1}})
    with pytest.raises(RestoreError, match="adjudication cannot be read"):
        start_match(MatchId(7), new, FakeRules(), DEFAULT_POLICY, EPOCH_NS)


# --- with real rules


@pytest.mark.slow  # the first use of a game compiles it
def test_in_chess_a_capture_or_a_pawn_move_starts_the_draw_anew_and_in_reversi_no_move_does() -> None:
    rule = Adjudication(draw=DrawRule(movecount=2, score=5))
    shuffle = ["g1f3", "b8c6", "f3g1"]
    assert plies_until_drawn("chess", rule, [*shuffle, "c6b8"]) == 4
    assert plies_until_drawn("chess", rule, [*shuffle, "e7e5", "g1f3", "c6b8", "f3g1", "b8c6"]) == 7
    assert plies_until_drawn("reversi", rule, ["d3", "c3", "c4", "c5"]) == 4


def plies_until_drawn(name: str, rule: Adjudication, moves: list[str]) -> int:
    """How many of these moves are played, all with the score 0, until the match is drawn."""
    game = registry.load_game(name)
    new = replace(agreed(rules=game, start=game.start().text()), adjudication=to_builtins(rule))
    made = Table(start_match(MatchId(7), new, game, DEFAULT_POLICY, EPOCH_NS))
    made.do(MatchOpened(0))
    for text in moves:
        if result_of(made) is None:
            tell(made, 0, text)
            rows = tuple(save.move for save in made.of_kind(SaveMove))
            if result_of(made) is None:
                back = restore_match(stored(new, rows), game, DEFAULT_POLICY, EPOCH_NS, rows[-1].at)
                assert lasting(back) == lasting(made.match)
    result = result_of(made)
    assert result is not None
    assert result.ending == Ending.DRAWN_BY_SCORES
    return made.match.position.ply


# --- what cannot be agreed


@pytest.mark.parametrize(
    ("rule", "draws_possible", "sentence"),
    [
        (DRAW, True, ""),
        (RESIGN, False, ""),
        (DRAW, False, "Nim knows no draw, so its matches cannot have a draw by scores"),
        (LENGTH, False, "Nim knows no draw, so its matches cannot have a largest number of moves"),
        (
            Adjudication(draw=DrawRule(movecount=1, score=600), resign=ResignRule(movecount=1, score=600)),
            True,
            "a score cannot be both level and lost: the draw's score (600) is below that of resigning (600)",
        ),
        (Adjudication(draw=DrawRule(movecount=1, score=599), resign=ResignRule(movecount=1, score=600)), True, ""),
    ],
)
def test_a_rule_that_makes_no_sense_for_a_game_is_named(
    rule: Adjudication, draws_possible: bool, sentence: str
) -> None:
    assert complaint(rule, "Nim", draws_possible=draws_possible) == sentence
