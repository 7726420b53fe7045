from __future__ import annotations

from typing import Any

import pytest

from tabiya.bots.client.choice import Choice, answer_messages, as_choice, within_bounds
from tabiya.bots.client.failure import AnswerError
from tabiya.protocol.codec import Encoding, decode_client, encode
from tabiya.protocol.messages import Move, MoveInfo


def test_a_text_is_a_choice() -> None:
    assert as_choice("d3") == Choice("d3")
    assert as_choice(Choice("d3", offer_draw=True)) == Choice("d3", offer_draw=True)


@pytest.mark.parametrize("answer", [None, 7, ("d3",), b"d3"])
def test_what_is_no_choice_is_named_in_the_error(answer: object) -> None:
    with pytest.raises(TypeError, match="choose returned"):
        as_choice(answer)


async def coming() -> str:
    return "d3"


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (coming(), "^choose returned coming itself, not what it returns: await is missing before its call$"),
        ((move for move in ("d3",)), "^choose has a yield; it must return the text of a move, or a Choice$"),
        (Choice("d3", info={"depth": 3}), r"^the info of a Choice is a MoveInfo, .* not {'depth': 3}$"),  # type: ignore[arg-type]
    ],
)
def test_common_mistakes_in_return_values_get_a_hint(answer: object, sentence: str) -> None:
    with pytest.raises(AnswerError, match=sentence):
        as_choice(answer)


@pytest.mark.parametrize("move", ["", "x" * 17, "\ud800"])
def test_a_move_that_fits_in_no_message_is_the_authors_error(move: str) -> None:
    with pytest.raises(ValueError, match=r"choose returned|surrogates"):
        as_choice(move)


def test_a_resignation_needs_no_move() -> None:
    assert as_choice(Choice(resign=True)).resign


@pytest.mark.parametrize("encoding", list(Encoding))
@pytest.mark.parametrize(
    "info",
    [
        MoveInfo(depth=3, score=-20, nodes=10**6, pv=("d3", "c3"), time_ms=12, text="book"),
        MoveInfo(depth=-1, score=2**60, nodes=2**70, time_ms=-5),
        MoveInfo(score=float("inf"), depth=float("nan")),  # type: ignore[arg-type]
        MoveInfo(pv=("d3",) * 500, text="é" * 5_000),
        MoveInfo(pv=("d3", "", "c3"), text="\ud800"),
        MoveInfo(pv=("d3", "x" * 40)),
        MoveInfo(pv=("d3", "\ud800")),
    ],
)
def test_any_info_of_an_engine_leaves_its_move_sendable(info: Any, encoding: Encoding) -> None:
    messages = answer_messages(Choice("d3", info=info), match=1, ply=4)
    (move,) = (decode_client(encode(message, encoding), encoding) for message in messages)
    assert isinstance(move, Move)
    assert (move.move, move.info) == ("d3", within_bounds(info))


def test_a_variation_is_cut_at_what_is_no_move_and_numbers_that_fit_stay() -> None:
    info = within_bounds(MoveInfo(depth=9, score=-12, nodes=2**80, pv=("d3", "c3", "", "e3")))
    assert info == MoveInfo(depth=9, score=-12, pv=("d3", "c3"))
    assert within_bounds(MoveInfo(pv="d3 c3")) == MoveInfo(pv=("d3", "c3"))  # type: ignore[arg-type]
    assert within_bounds(MoveInfo(pv=7)) == MoveInfo()  # type: ignore[arg-type]
