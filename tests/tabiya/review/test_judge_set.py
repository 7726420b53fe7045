"""Many games judged in worker processes: as one by one, with those left out that cannot be judged."""

from __future__ import annotations

import pytest

from tabiya.games.registry import load_game
from tabiya.processes.parallel import parallel_processes
from tabiya.review.judge import judge
from tabiya.review.judge_set import GameToJudge, judge_game, judge_set

NODES = 500
LOST = GameToJudge("nim", "1,3,7 normal 1", ("c7", "b3", "a1"))
WON = GameToJudge("nim", "1,3,7 normal 1", ("c5", "a1"))
ILLEGAL = GameToJudge("nim", "1,3,7 normal 1", ("a9",))
UNKNOWN = GameToJudge("ludo", "", ())


@pytest.mark.slow
def test_worker_processes_judge_as_one_does() -> None:
    with parallel_processes(2) as executor:
        found = dict(judge_set((LOST, ILLEGAL, WON), NODES, executor))
    assert sorted(found) == [0, 1, 2]
    for number, game in ((0, LOST), (2, WON)):
        assert found[number] == tuple(judge(load_game(game.game), game.start, game.moves, NODES))
    assert isinstance(found[1], str)


@pytest.mark.parametrize(("game", "text"), [(ILLEGAL, "a9"), (UNKNOWN, "ludo")])
def test_a_game_that_cannot_be_judged_has_a_sentence(game: GameToJudge, text: str) -> None:
    sentence = judge_game(game, NODES)
    assert isinstance(sentence, str)
    assert text in sentence
