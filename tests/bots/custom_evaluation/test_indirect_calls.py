"""The engine with links plays as one that is compiled for the author, and serves the next author as it is."""

from __future__ import annotations

from pathlib import Path

import numba
import pytest
from numba.core.errors import TypingError

from tabiya.bots.custom_evaluation.compile import CustomEvaluator
from tabiya.bots.custom_evaluation.indirect_calls import INDIRECT_METHODS, IndirectEvaluator
from tabiya.bots.engine.engine import Engine
from tabiya.bots.engine.search import search
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.games.registry import load_game
from tests.bots.custom_evaluation.authors import own
from tests.bots.positions import unfinished
from tests.processes import python

pytestmark = pytest.mark.slow

GAME = "reversi"
EVALUATE = "def evaluate(self, state):\n        return {} * popcount(state.mine) - self.weight * popcount(state.theirs)"
PRIORITY = "def priority(self, state, move):\n        return super().priority(state, move) + (5 * move) % 7"
CANDIDATES = "def candidates(self, state, moves):\n        return self.generate(state, moves)"


def written(folder: Path, *methods: str, file: str = "mine.py") -> CustomEvaluator:
    text = "\n    ".join(["class Mine(evaluator('reversi')):", "weight = 3", *methods])
    return own(folder, f"from tabiya.evaluators import evaluator, popcount\n\n{text}\n", file)


def engine(found: CustomEvaluator, **values: int) -> Engine:
    game = load_game(GAME)
    return Engine(found.for_engine(found.evaluator_of(game, values), game), table_mb=1)


def played(player: Engine) -> list[tuple[str, int, int]]:
    """What it finds in some positions: move, value, nodes."""
    found = [player.search(position, depth=4) for position in unfinished(GAME, 10, 5)]
    return [(one.move, one.value, one.nodes) for one in found]


def test_it_plays_as_the_engine_that_is_compiled_whole(tmp_path: Path) -> None:
    found, game = written(tmp_path, EVALUATE.format(11), PRIORITY), load_game(GAME)
    assert isinstance(found.for_engine(found.evaluator_of(game), game), IndirectEvaluator)
    assert played(engine(found)) == played(Engine(found.evaluator_of(game), table_mb=1))


def test_what_is_linked_is_what_is_played(tmp_path: Path) -> None:
    """Each of these changes the tree or the values, so that a link that leads elsewhere would be seen."""
    texts = [(), (EVALUATE.format(11),), (EVALUATE.format(12),), (EVALUATE.format(11), PRIORITY)]
    results = [played(engine(written(tmp_path, *text, file=f"mine{at}.py"))) for at, text in enumerate(texts)]
    assert all(results.count(one) == 1 for one in results)


def test_two_at_once_keep_to_their_own_methods_and_values(tmp_path: Path) -> None:
    one, other = written(tmp_path, EVALUATE.format(11)), written(tmp_path, EVALUATE.format(12), file="other.py")
    alone = [played(engine(one)), played(engine(one, weight=9)), played(engine(other))]
    players = [engine(one), engine(one, weight=9), engine(other)]
    assert [played(player) for player in players] == alone
    assert [played(player) for player in reversed(players)] == alone[::-1]


def test_the_next_author_compiles_no_engine(tmp_path: Path) -> None:
    played(engine(written(tmp_path, EVALUATE.format(21))))
    before = set(search.overloads)
    played(engine(written(tmp_path, EVALUATE.format(22), file="other.py")))
    assert set(search.overloads) == before


def test_the_next_process_finds_the_engine(tmp_path: Path) -> None:
    written(tmp_path, EVALUATE.format(31))
    text = """
import sys
from tabiya.bots.players.from_file import load_custom_evaluator
from tabiya.bots.engine.engine import Engine
from tabiya.bots.engine.search import search
from tabiya.games.registry import load_game
found, game = load_custom_evaluator(sys.argv[1], "Mine"), load_game("reversi")
Engine(found.for_engine(found.evaluator_of(game), game), table_mb=1).search(game.start(), depth=3)
print(sum(search.stats.cache_hits.values()), sum(search.stats.cache_misses.values()))
"""
    reported = []
    for weight in (32, 33):
        written(tmp_path, EVALUATE.format(weight))
        reported.append(python("-c", text, str(tmp_path / "mine.py")).split())
    assert reported[1] == ["1", "0"]


@pytest.mark.parametrize("method", ["evaluate(self, state)", "priority(self, state, move)"])
def test_what_is_raised_goes_through_the_engine(tmp_path: Path, method: str) -> None:
    text = f"def {method}:\n        return 1 // (popcount(state.mine | state.theirs) - 7)"
    player, start = engine(written(tmp_path, text)), load_game(GAME).start()
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            player.search(start, depth=6)
    assert player.search(start, depth=1).move


@pytest.mark.parametrize("value", ["(1, 2)", "[move]"])
def test_a_priority_that_is_no_number_is_not_jumped_to(tmp_path: Path, value: str) -> None:
    """The caller would take an array that is returned for a whole number, and write beyond it."""
    found, game = written(tmp_path, f"def priority(self, state, move):\n        return {value}"), load_game(GAME)
    with pytest.raises(TypingError, match=r"priority returns .*, which is not a number"):
        found.for_engine(found.evaluator_of(game), game)


def test_a_class_that_writes_nothing_plays_as_the_game_does(tmp_path: Path) -> None:
    found, game = written(tmp_path), load_game(GAME)
    assert type(found.for_engine(found.evaluator_of(game), game)) is type(evaluator_for(game))


def test_with_a_method_that_has_no_link_it_is_compiled_whole(tmp_path: Path) -> None:
    assert set(INDIRECT_METHODS) == {"evaluate", "priority"}
    found, game = written(tmp_path, EVALUATE.format(11), CANDIDATES), load_game(GAME)
    evaluator = found.evaluator_of(game)
    assert found.for_engine(evaluator, game) is evaluator


@pytest.mark.parametrize(
    "hides", ["def ending_solver(self, table_mb):\n        return None", "in_check = staticmethod(popcount)"]
)
def test_what_python_or_no_plain_method_hides_is_not_lost(tmp_path: Path, hides: str) -> None:
    found, game = written(tmp_path, EVALUATE.format(11), hides), load_game(GAME)
    evaluator = found.evaluator_of(game)
    assert found.for_engine(evaluator, game) is evaluator


def test_on_two_of_our_classes_it_is_compiled_without_links(tmp_path: Path) -> None:
    """Linked to the first alone it would lose what the second writes."""
    head = "from tabiya.bots.textbook.evaluations.chess import BookEvaluator, MaterialEvaluator"
    lines = [head, "class Mine(MaterialEvaluator, BookEvaluator):", "    weight = 3", f"    {EVALUATE.format(11)}"]
    found, game = own(tmp_path, "\n".join(lines)), load_game("chess")
    evaluator = found.evaluator_of(game)
    assert found.for_engine(evaluator, game) is evaluator


def test_interpreted_nothing_is_linked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, game = written(tmp_path, EVALUATE.format(11)), load_game(GAME)
    evaluator = found.evaluator_of(game)
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    assert found.for_engine(evaluator, game) is evaluator
