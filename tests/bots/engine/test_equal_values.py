"""Sound switches change nodes, never values: the engine with them returns what plain minimax returns at equal depth."""

from __future__ import annotations

import functools
from dataclasses import replace

import pytest

from tabiya.bots.engine.engine import Engine
from tabiya.bots.engine.options import NAMES, PLAIN, SOUND, Options
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.kernel_calls import evaluation_of
from tabiya.games.registry import load_game, names
from tests.bots.engine.minimax import minimax_value
from tests.bots.positions import DEPTHS, unfinished

SEED = 21
EVERY_GAME = pytest.mark.parametrize("name", names())
EVERY_SOUND = replace(PLAIN, **dict.fromkeys(SOUND, True))
SOUND_OPTIONS = {
    "plain": PLAIN,
    "table": replace(PLAIN, table=True, exact_depth=True),
    **{name: replace(PLAIN, **{name: True}) for name in SOUND if name not in ("table", "exact_depth")},
    "all": EVERY_SOUND,
    "all with quiescence": replace(EVERY_SOUND, quiescence=True, table=False, exact_depth=False),
}


@functools.cache
def engine(name: str, options: Options) -> Engine:
    return Engine(evaluator_for(load_game(name)), options, table_mb=1)


@functools.cache
def expected_value(name: str, number: int, depth: int, quiescence: bool) -> int:
    return minimax_value(unfinished(name, 20, SEED)[number], depth, quiescence=quiescence)


@pytest.mark.slow
@EVERY_GAME
@pytest.mark.parametrize("options", SOUND_OPTIONS.values(), ids=SOUND_OPTIONS)
def test_with_sound_switches_the_value_is_that_of_minimax(name: str, options: Options) -> None:
    asked = engine(name, options)
    for number, position in enumerate(unfinished(name, 20, SEED)):
        for depth in range(1, DEPTHS[name] + 1):
            expected = expected_value(name, number, depth, options.quiescence)
            assert asked.search(position, depth=depth).value == expected, (position, depth)


@pytest.mark.slow
@EVERY_GAME
def test_the_line_is_playable_and_leads_to_the_value(name: str) -> None:
    asked = engine(name, EVERY_SOUND)
    for position in unfinished(name, 6, SEED + 1):
        found = asked.search(position, depth=DEPTHS[name])
        end = position
        for move in found.pv:
            end = end.play(move)
        assert found.pv[0] == found.move
        assert len(found.pv) == DEPTHS[name] or end.outcome() is not None
        if end.outcome() is None:
            value = int(evaluation_of(evaluator_for(end.game), end.state))
            assert found.value == (value if len(found.pv) % 2 == 0 else -value)


def test_every_sound_switch_is_a_switch() -> None:
    assert set(SOUND) < set(NAMES)
