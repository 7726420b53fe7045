"""The pairing of one Swiss round by the FIDE (Dutch) system, done by py4swiss without its colour criteria.

Every meeting gives both entrants each seat once, so nobody has a colour to prefer: the absolute criteria (no two meet
twice; nobody has a second bye), the score brackets and the rules of floats are those of FIDE C.04.3, and all colour
criteria are satisfied by anything. py4swiss has no switch for that. It reads preferences out of the colours of earlier
rounds, so they are taken off the players it has made, and its own steps are then taken one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from py4swiss.engines.dutch.player import Player
    from py4swiss.engines.dutch.validity_matcher import ValidityMatcher
    from py4swiss.trf import ParsedTrf


class RoundOutcome(Enum):
    """The outcome of one round for a player; values are the codes of FIDE's TRF."""

    WON = "1"
    DREW = "="
    LOST = "0"
    WON_BY_FORFEIT = "+"
    LOST_BY_FORFEIT = "-"
    BYE = "U"
    HALF_BYE = "H"
    ABSENT = "Z"


TENTHS_OF_POINT = {
    RoundOutcome.WON: 10,
    RoundOutcome.DREW: 5,
    RoundOutcome.WON_BY_FORFEIT: 10,
    RoundOutcome.BYE: 10,
    RoundOutcome.HALF_BYE: 5,
}


class RoundEntry(NamedTuple):
    """One player's round. opponent: pairing number (from 1), 0 for none.  first: had seat 0 first."""

    kind: RoundOutcome
    opponent: int = 0
    first: bool = True


def pair_round(
    rounds_played: int, history: Sequence[Sequence[RoundEntry]], out: frozenset[int], rounds: int
) -> Pairs | None:
    """The next round: pairs of pairing numbers, the stronger first, board by board; 0 is the bye. None: impossible.

    history: for the players 1, 2, ... one entry for each of the rounds played.  out: players that do not play this
    round. Takes about a second of one processor with 200 players.
    """
    if len(history) - len(out) < 2:
        return [(number, 0) for number in range(1, len(history) + 1) if number not in out]
    trf = _report(history, out, rounds)
    # imported where it is used: it takes a third of a second, and most servers never pair a Swiss
    from py4swiss.engines.dutch.player import get_player_infos_from_trf

    players = sorted((_without_color_preference(player) for player in get_player_infos_from_trf(trf)), reverse=True)
    found = _pairs(players, rounds_played + 1)
    if found is None:
        return None
    places = {player.id: place for place, player in enumerate(players)}
    # boards by their stronger player, the bye behind them all
    found.sort(key=lambda two: (two[1] == two[0], places[two[0].id]))
    return [(one.id, 0 if one == two else two.id) for one, two in found]


Pairs = list[tuple[int, int]]


def _pairs(players: list[Player], round_number: int) -> list[tuple[Player, Player]] | None:
    """The pairs, bracket by bracket, the stronger player first; a player paired with itself has the bye."""
    from py4swiss.engines.dutch.bracket import BracketPairer, Brackets
    from py4swiss.engines.dutch.engine import Engine

    matcher = _with_lowest_bye(players)
    if matcher is None:
        return None
    brackets = Brackets(players, round_number)
    found: list[tuple[Player, Player]] = []
    while not brackets.is_finished():
        # private in py4swiss 0.3, hence its bound below 0.4: the public way makes the players itself, colours and all
        of_bracket = Engine._get_bracket_pairs(BracketPairer(brackets.get_current_bracket(), matcher, True))
        if of_bracket is None:
            brackets.collapse()
        else:
            brackets.apply_bracket_pairings(of_bracket)
            found += of_bracket
    return [(one, two) if one >= two else (two, one) for one, two in found]


def _with_lowest_bye(players: list[Player]) -> ValidityMatcher | None:
    """The matcher of a round whose bye goes to the lowest score that permits a round at all; None if none is possible.

    py4swiss pairs from the top and asks only whether the others can be paired with any bye, so that the bye could end
    at a higher score than necessary. Players above the lowest score are therefore marked as having had theirs.
    """
    from py4swiss.engines.dutch.validity_matcher import ValidityMatcher

    scores = sorted({player.points for player in players})
    if len(players) % 2 == 0:
        scores = scores[-1:]  # no bye, so no mark
    had_bye = [player.bye_received for player in players]
    for score in scores:
        for player, had in zip(players, had_bye, strict=True):
            player.bye_received = had or player.points > score
        matcher = ValidityMatcher(players, set())
        if matcher.is_valid_matching():
            return matcher
    return None


def _without_color_preference(player: Player) -> Player:
    from py4swiss.engines.common import ColorPreference, ColorPreferenceSide, ColorPreferenceStrength

    player.color_preference = ColorPreference(side=ColorPreferenceSide.NONE, strength=ColorPreferenceStrength.NONE)
    player.color_difference, player.color_double, player.colors = 0, False, []
    return player


def _report(history: Sequence[Sequence[RoundEntry]], out: frozenset[int], rounds: int) -> ParsedTrf:
    """The tournament so far as py4swiss reads it."""
    from py4swiss.trf import ParsedTrf
    from py4swiss.trf.codes import PlayerCode
    from py4swiss.trf.results import ColorToken, ResultToken, RoundResult
    from py4swiss.trf.sections import PlayerSection, XSection

    def result(entry: RoundEntry) -> RoundResult:
        color = ColorToken.BYE_OR_NOT_PAIRED
        if entry.opponent:
            color = ColorToken.WHITE if entry.first else ColorToken.BLACK
        return RoundResult(id=entry.opponent, color=color, result=ResultToken(entry.kind.value))

    sections = [
        PlayerSection(
            code=PlayerCode.PLAYER,
            starting_number=number,
            rank=number,
            points_times_ten=sum(TENTHS_OF_POINT.get(entry.kind, 0) for entry in entries),
            results=[result(entry) for entry in entries],
        )
        for number, entries in enumerate(history, 1)
    ]
    trf = ParsedTrf(player_sections=sections, x_section=XSection(number_of_rounds=rounds, zeroed_ids=set(out)))
    trf.validate_contents()
    return trf
