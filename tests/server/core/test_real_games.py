"""The core with the real rules: whole matches of every registered game, random events included."""

import random

import pytest

from tabiya.games import registry
from tabiya.games.contract import Game
from tabiya.games.endings import Ending
from tabiya.server.core.effects import SaveMove, SaveResult
from tabiya.server.core.events import MatchOpened
from tabiya.server.core.policy import DEFAULT_POLICY
from tabiya.server.core.restore import restore_match, start_match
from tabiya.server.core.state import Match
from tabiya.storage.records import MatchId, NewMatch
from tests.server.core.fakes import EPOCH_NS, MS, S, Table, agreed, stored
from tests.server.core.storm import Storm, lasting

NAMES = registry.names()
pytestmark = pytest.mark.slow  # the first use of a game compiles it


def new_match(game: Game, control: str = "60+1", start_text: str | None = None) -> NewMatch:
    """What was agreed for a match of this game."""
    return agreed(control, rules=game, start=start_text or game.start().text())


def seated(game: Game, new: NewMatch) -> Table:
    """A match whose first turn went out at time 0."""
    made = Table(start_match(MatchId(7), new, game, DEFAULT_POLICY, EPOCH_NS))
    made.do(MatchOpened(0))
    return made


def some_legal_move(chance: random.Random, match: Match) -> str:
    """Mostly a legal move; now and then nonsense, or a move that no rules allow."""
    legal = match.position.legal_moves()
    return chance.choice(legal) if legal and chance.random() < 0.97 else chance.choice(("??", "a1a1", "z99", ""))


@pytest.mark.parametrize("name", NAMES)
def test_a_whole_random_match_is_restored_again_and_again_and_ends_by_its_rules(name: str) -> None:
    game, chance = registry.load_game(name), random.Random(11)
    new, now_ns = new_match(game), 0
    made = seated(game, new)
    while True:
        now_ns += chance.randrange(100 * MS)
        made.play(chance.choice(made.match.position.legal_moves()), now_ns)
        if made.match.ended:
            break
        if made.match.position.ply < 20 or chance.random() < 0.1:
            rows = tuple(save.move for save in made.of_kind(SaveMove))
            back = restore_match(stored(new, rows), game, DEFAULT_POLICY, EPOCH_NS, rows[-1].at)
            assert lasting(back) == lasting(made.match)
    (save,) = made.of_kind(SaveResult)
    assert Ending(save.result.ending) in {*game.endings, Ending.THREEFOLD_REPETITION}
    assert made.match.position.outcome() is not None


@pytest.mark.parametrize("name", NAMES)
def test_random_events_with_real_rules(name: str) -> None:
    game = registry.load_game(name)
    for seed in range(20):
        new = new_match(game, random.Random(seed).choice(("60+1", "3/20", "2/move", "none")))
        match = start_match(MatchId(7), new, game, DEFAULT_POLICY, EPOCH_NS)
        Storm(seed, new, match, game, some_legal_move).run(200)


def test_time_against_a_bare_king_is_a_draw_and_against_a_rook_is_not() -> None:
    game = registry.load_game("chess")
    for fen, winner, ending in (
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", None, Ending.TIME_CANNOT_WIN),
        ("4k3/8/8/8/8/8/8/R3K3 b - - 0 1", 0, Ending.TIME),
    ):
        made = seated(game, new_match(game, "10+0", fen))
        made.arrive(made.match.position.legal_moves()[0], 11 * S)
        (save,) = made.of_kind(SaveResult)
        assert (save.result.winner, save.result.ending) == (winner, ending)
