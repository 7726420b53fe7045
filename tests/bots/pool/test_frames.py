from __future__ import annotations

import pytest

from tabiya.bots.client.failure import ProgramFailure, SourceLine
from tabiya.bots.players.api import MatchInfo, MoveReply, MoveRequest
from tabiya.bots.pool.frames import (
    HEADER_BYTES,
    LARGEST_FRAME,
    Answered,
    Ask,
    Failed,
    Forget,
    FromWorker,
    Ready,
    Start,
    Stop,
    ToWorker,
    body_length,
    pack,
    unpack,
)

REQUEST = MoveRequest(
    match=1, game="nim", seat=1, ply=3, position="…", history_position="…", history_moves=("a1",), legal_moves=("b2",)
)


@pytest.mark.parametrize(
    "frame",
    [
        Start(player="pvs:6", games=("nim",), path=("x",)),
        Ask(number=1, match=MatchInfo(match=1, game="nim", options={"misere": True, "heaps": "3,4"}), request=REQUEST),
        Stop(number=1),
        Forget(match=1),
    ],
)
def test_what_goes_to_a_worker_arrives(frame: ToWorker) -> None:
    data = pack(frame)
    assert body_length(data[:HEADER_BYTES]) == len(data) - HEADER_BYTES
    assert unpack(data[HEADER_BYTES:], ToWorker) == frame


@pytest.mark.parametrize(
    "frame",
    [
        Ready(),
        Answered(number=1, reply=MoveReply(move="b2", depth=3, pv=("b2", "a1"))),
        Failed(
            number=0, failure=ProgramFailure(called="choose", error="no", lines=(SourceLine("my.py", 3, "choose"),))
        ),
    ],
)
def test_what_comes_from_a_worker_arrives(frame: FromWorker) -> None:
    assert unpack(pack(frame)[HEADER_BYTES:], FromWorker) == frame


def test_a_length_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="a frame of"):
        body_length((LARGEST_FRAME + 1).to_bytes(HEADER_BYTES, "big"))


def test_what_no_frame_holds_is_named() -> None:
    with pytest.raises(TypeError, match="object"):
        pack(Answered(number=1, reply=MoveReply(move=object())))  # type: ignore[arg-type]
