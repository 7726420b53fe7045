"""Who is asked, the solver or the engine, and with how much time. Both are fakes that note what they are asked."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tabiya.bots.players.time_plan import TimePlan
from tabiya.bots.search.limits import Line, SearchResult, StopToken
from tabiya.bots.solvers import solving_engine
from tabiya.bots.solvers.solving_engine import GLANCE_S, TRIED_SHARE, SolvingEngine

POSITION: Any = object()
USUAL = {"lines": 1, "moves": (), "remember": False}
PLAN = TimePlan(soft_s=1.0, hard_s=2.0)
BY_ENGINE = SearchResult("b2", 7, 5, 100, ("b2",), 0.1, exact=False)
PROVED = SearchResult("a1", 20_004, 16, 100, ("a1",), 0.5, exact=True)
NOTHING = PROVED._replace(depth=0, exact=False)
AFTER_SOLVER = BY_ENGINE._replace(time_s=BY_ENGINE.time_s + NOTHING.time_s)


class FakeEngine:
    """Answers BY_ENGINE."""

    def __init__(self, evaluator: Any, **how: Any) -> None:
        self.asked = list[dict[str, Any]]()
        evaluator.engines.append(self)

    def search(self, position: Any, **how: Any) -> SearchResult:
        """Note how it was asked."""
        report = how.pop("report", None)
        self.asked.append({name: value for name, value in how.items() if value != USUAL.get(name) and name != "stop"})
        if report is not None:
            report(BY_ENGINE)
        return BY_ENGINE


class FakeSolver:
    """Answers what it is to."""

    def __init__(self, answer: SearchResult, expected_s: float = 0.1, stops: StopToken | None = None) -> None:
        self.answer, self._expected_s, self._stops = answer, expected_s, stops
        self.times_s = list[float]()

    def expected_s(self, position: Any) -> float:
        """As made."""
        return self._expected_s

    def search(self, position: Any, time_s: float, stop: StopToken) -> SearchResult:
        """Note the time; be stopped on the way if it is to be."""
        self.times_s.append(time_s)
        if self._stops is not None:
            self._stops.stop()
        return self.answer


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving_engine, "Engine", FakeEngine)


def made(solver: FakeSolver | None, **how: Any) -> tuple[SolvingEngine, FakeEngine]:
    evaluator: Any = SimpleNamespace(ending_solver=lambda table_mb: solver, engines=[])
    return SolvingEngine(evaluator, **how), evaluator.engines[0]


def test_a_proof_of_the_solver_is_the_answer_without_a_search() -> None:
    engine, fake = made(solver := FakeSolver(PROVED))
    assert engine.search(POSITION, PLAN, solves=True) is PROVED
    assert (solver.times_s, fake.asked) == ([TRIED_SHARE * PLAN.hard_s], [])


def test_what_would_probably_take_too_long_is_not_tried() -> None:
    engine, fake = made(solver := FakeSolver(PROVED, expected_s=1.3))
    assert engine.search(POSITION, PLAN, solves=True) is BY_ENGINE
    assert (solver.times_s, fake.asked) == ([], [{"time_s": 2.0, "soft_s": 1.0}])


def test_when_nothing_was_proved_the_engine_has_the_rest_of_the_time() -> None:
    engine, fake = made(FakeSolver(NOTHING))
    assert engine.search(POSITION, PLAN, solves=True, remember=True) == AFTER_SOLVER
    assert fake.asked == [{"time_s": 1.5, "soft_s": pytest.approx(0.825), "remember": True}]


def test_the_engine_chooses_from_the_moves_that_the_solver_leaves() -> None:
    engine, fake = made(FakeSolver(NOTHING._replace(lines=(Line(0, ("a1",)), Line(0, ("b1",))))))
    assert engine.search(POSITION, PLAN, solves=True) == AFTER_SOLVER
    assert [asked["moves"] for asked in fake.asked] == [("a1", "b1")]


def test_reported_times_include_the_solvers_time() -> None:
    """Else it would count as what a move costs beside thinking, and the clock be planned with less than it has."""
    engine, _ = made(FakeSolver(NOTHING))
    reported = list[SearchResult]()
    assert engine.search(POSITION, PLAN, solves=True, report=reported.append).time_s == pytest.approx(0.6)
    assert reported == [AFTER_SOLVER]


def test_a_search_stopped_while_solving_still_looks_at_the_position_briefly() -> None:
    stop = StopToken()
    engine, fake = made(FakeSolver(NOTHING, stops=stop))
    assert engine.search(POSITION, PLAN, solves=True, stop=stop) == AFTER_SOLVER
    assert fake.asked == [{"time_s": GLANCE_S}]


def test_without_a_clock_or_when_it_may_not_the_solver_is_not_asked() -> None:
    engine, fake = made(solver := FakeSolver(PROVED))
    engine.search(POSITION, None, solves=True, depth=3)
    engine.search(POSITION, PLAN, solves=False, lines=2, moves=("a1",), nodes=9)
    alone, other = made(FakeSolver(PROVED), solves=False)
    alone.search(POSITION, PLAN, solves=True)
    assert solver.times_s == []
    assert fake.asked == [{"depth": 3}, {"time_s": 2.0, "soft_s": 1.0, "lines": 2, "moves": ("a1",), "nodes": 9}]
    assert len(other.asked) == 1


def test_a_game_without_a_solver_is_the_engines() -> None:
    engine, fake = made(None)
    assert engine.search(POSITION, PLAN, solves=True) is BY_ENGINE
    assert len(fake.asked) == 1
