"""What the process that searches answers, asked in this process."""

from __future__ import annotations

import json
from dataclasses import asdict
from io import BytesIO
from typing import Any

import pytest

from tabiya.bots.textbook.recording.question import SearchQuestion
from tabiya.explorer.worker import MOST_S, REPORT_INTERVAL_S, Worker
from tabiya.games.registry import load_game
from tabiya.review.judge import judge
from tabiya.server.archive.reviews import decoded


class Clock:
    """Seconds that pass when somebody looks."""

    def __init__(self, step: float = 0.0) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def asked(worker: Worker, out: BytesIO, do: str = "search", visit: int = 0, **given: Any) -> list[tuple[str, bytes]]:
    """The frames of an answer: letter and body."""
    return frames_of(worker, out, {"do": do, "visit": visit, "question": asdict(SearchQuestion(**given).checked())})


def frames_of(worker: Worker, out: BytesIO, question: dict[str, Any]) -> list[tuple[str, bytes]]:
    """The same of any question."""
    out.seek(0)
    out.truncate()
    worker.answer(json.dumps(question))
    data, frames = out.getvalue(), []
    while data:
        length = int.from_bytes(data[1:5], "big")
        frames.append((data[:1].decode(), data[5 : 5 + length]))
        data = data[5 + length :]
    return frames


@pytest.fixture
def out() -> BytesIO:
    return BytesIO()


def test_a_search_is_described_before_its_columns(out: BytesIO) -> None:
    ((kind, body),) = asked(Worker(out, Clock()), out, tree="000", algorithm="000-alphabeta")
    head = json.loads(body.partition(b"\n")[0])
    assert kind == "a"
    assert head["question"] == {"algorithm": "000-alphabeta", "tree": "000", "depth": 3}
    assert {name: head["report"][name] for name in ("value", "nodes", "leaves", "cuts", "unseen")} == {
        "value": 6, "nodes": 10, "leaves": 5, "cuts": 2, "unseen": 3,
    }  # fmt: skip
    assert (head["labels"]["8"], head["sides"], head["fail"]) == ("F", ["Max", "Min"], "fail-soft")
    assert head["tree"] == "[[6,9],[[4,-2],null,null],[5,8]]"


def test_a_game_has_its_position_and_what_its_sides_are_called(out: BytesIO) -> None:
    ((_, body),) = asked(Worker(out, Clock()), out, game="chess", depth=1, algorithm="minimax", moves="e4")
    head = json.loads(body.partition(b"\n")[0])
    assert head["sides"] == ["White", "Black"]
    assert head["position"].startswith("rnbqkbnr/pppppppp/8/8/4P3")
    assert head["minimum"] == {"leaves": 20, "moves": 20.0, "depth": 1, "is_uniform": True, "is_exact": True}


def test_the_calls_to_a_visit_are_told_line_by_line(out: BytesIO) -> None:
    ((kind, body),) = asked(Worker(out, Clock()), out, "calls", 4, tree="000", algorithm="000-alphabeta")
    blue, red = json.loads(body)["calls"]
    assert (kind, blue["function"], red["function"], red["visit"]) == ("a", "BlueValue", "RedValue", 4)
    line, variables, below = red["lines"][0]
    assert (variables["alpha"], variables["beta"], below) == (6, 1_000_000, [])
    assert [visits for _, _, visits in blue["lines"] if visits] == [[1], [4], [8]]
    assert red["returned"][1]["return"] == 4
    assert line < red["returned"][0]


def test_two_searches_are_compared_by_what_tells_them_apart(out: BytesIO) -> None:
    question, other = (asdict(SearchQuestion(tree="001", algorithm=name).checked()) for name in ("minimax", "002-ab"))
    Worker(out, Clock()).answer(json.dumps({"do": "difference", "question": question, "other": other}))
    compared = json.loads(out.getvalue()[5:])
    assert (compared["names"], compared["both"], compared["only"]) == (["000-negamax", "002-ab"], 11, [2, 0])
    assert [part["way"] for part in compared["parts"]] == [["3", "2"], ["3", "3"]]


def test_a_sheet_of_exercises_is_made_and_a_kind_that_there_is_not_is_said(out: BytesIO) -> None:
    worker = Worker(out, Clock())
    for kinds, kind, printed in (("cuts,again", b"a", b'"kind": "again"'), ("chess", b"e", b"there is no 'chess'")):
        out.seek(0)
        out.truncate()
        worker.answer(json.dumps({"do": "exercises", "question": {"seed": 3, "count": 2, "kinds": kinds}}))
        assert out.getvalue()[:1] == kind
        assert printed in out.getvalue()


def test_what_has_been_searched_is_kept_for_questions_about_it(out: BytesIO, monkeypatch: pytest.MonkeyPatch) -> None:
    worker, searches = Worker(out, Clock()), list[str]()
    recorded = SearchQuestion.recorded

    def noted(question: SearchQuestion, *rest: Any) -> Any:
        searches.append(question.tree)
        return recorded(question, *rest)

    monkeypatch.setattr(SearchQuestion, "recorded", noted)
    for do, tree in [("search", "004"), ("calls", "004"), ("search", "001"), ("calls", "004")]:
        asked(worker, out, do, tree=tree)
    assert searches == ["004", "001"]
    monkeypatch.setattr("tabiya.explorer.worker.MOST_KEPT", 12)
    for tree in ("002", "004"):
        asked(worker, out, "calls", tree=tree)
    assert searches == ["004", "001", "002", "004"]


def test_a_visit_that_is_not_there_is_said(out: BytesIO) -> None:
    assert asked(Worker(out, Clock()), out, "calls", 99, tree="001") == [
        ("e", b"the search has the visits 0 to 10, not 99")
    ]


def test_a_leaf_without_a_value_is_said(out: BytesIO) -> None:
    ((kind, body),) = asked(Worker(out, Clock()), out, tree="000", algorithm="minimax")
    assert (kind, body) == ("e", b"the search looked at node 8, a leaf whose value is not given")


def test_progress_is_told_now_and_then(out: BytesIO) -> None:
    frames = asked(Worker(out, Clock(REPORT_INTERVAL_S * 0.6)), out, game="tictactoe", depth=5, algorithm="minimax")
    assert [kind for kind, _ in frames[:-1]] == ["p"] * (len(frames) - 1)
    assert [int(body) for kind, body in frames[:3]] == [1024, 3072, 5120]


def test_a_search_that_takes_too_long_ends(out: BytesIO) -> None:
    frames = asked(Worker(out, Clock(MOST_S / 3)), out, game="tictactoe", depth=5, algorithm="minimax")
    assert frames[-1] == ("e", b"the search has taken 120 seconds; ask for less depth")


def test_a_search_that_nobody_wants_ends(out: BytesIO) -> None:
    worker = Worker(out, Clock())
    worker.stopped.set()
    assert asked(worker, out, game="tictactoe", depth=5) == [("e", b"the search was stopped")]


def test_a_search_that_is_too_big_ends(out: BytesIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.explorer.worker.MOST_VISITS", 500)
    frames = asked(Worker(out, Clock()), out, game="tictactoe", depth=5)
    assert frames == [("e", b"the search visits more than 500 nodes; ask for less depth")]


NIM: dict[str, Any] = {"game": "nim", "start": "1,3,7 normal 1", "moves": ["c7", "b3", "a1"], "nodes": 500}


def reviewed(worker: Worker, out: BytesIO, **given: Any) -> list[tuple[str, bytes]]:
    """The frames of a review of a game of Nim."""
    return frames_of(worker, out, {"do": "review", "question": NIM | given})


def test_a_game_is_reviewed_as_it_would_be_elsewhere(out: BytesIO) -> None:
    ((kind, body),) = reviewed(Worker(out, Clock()), out)
    assert kind == "a"
    assert decoded(body.decode()) == tuple(judge(load_game("nim"), NIM["start"], NIM["moves"], NIM["nodes"]))


def test_a_review_tells_its_moves_and_ends_when_it_takes_too_long_or_nobody_wants_it(out: BytesIO) -> None:
    frames = reviewed(Worker(out, Clock(REPORT_INTERVAL_S * 1.5)), out)
    assert [kind + body.decode() for kind, body in frames[:-1]] == ["p1", "p2", "p3"]
    ((kind, body),) = [frame for frame in reviewed(Worker(out, Clock(MOST_S / 2)), out) if frame[0] != "p"]
    assert (kind, body) == ("e", b"the review has taken 120 seconds; `tabiya review` takes as long as it needs")
    worker = Worker(out, Clock())
    worker.stopped.set()
    assert reviewed(worker, out) == [("e", b"the search was stopped")]


@pytest.mark.parametrize(("given", "text"), [({"moves": ["a9"]}, "a9"), ({"game": "ludo"}, "ludo")])
def test_a_game_that_the_rules_do_not_know_is_said(out: BytesIO, given: dict[str, Any], text: str) -> None:
    ((kind, body),) = reviewed(Worker(out, Clock()), out, **given)
    assert kind == "e"
    assert text in body.decode()
