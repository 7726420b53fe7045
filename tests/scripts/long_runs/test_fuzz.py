"""The fuzzing campaigns in their short form, and that each finds what it is there for."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from random import Random

import pytest

from scripts.long_runs import fuzz
from scripts.long_runs.fuzzing import guided, in_memory
from scripts.long_runs.fuzzing.in_memory import MemoryServer
from scripts.long_runs.fuzzing.mutations import MessageMutator, examples
from tabiya.protocol import codec
from tabiya.protocol.codec import CodecError, Encoding, decode_client
from tabiya.server.dispatcher import Dispatcher
from tests.bots.client.fake_server import turn

SEED = 20


@pytest.mark.slow
def test_a_server_stands_two_thousand_hostile_messages_while_a_pair_plays_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzz, "USUAL_SHARE", 1.0)
    code = fuzz.main(["server", "--messages", "2000", "--seed", str(SEED), "--wait", "2"])
    output = capsys.readouterr().out
    assert (code, output.splitlines()[-1]) == (0, "nothing failed"), output


@pytest.mark.slow
def test_the_codec_says_only_codec_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz.main(["codec", "--messages", "3000", "--seed", str(SEED)]) == 0
    assert "nothing failed" in capsys.readouterr().out


def test_a_codec_that_lets_an_error_through_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "ANYTHING_A_DECODER_RAISES", (CodecError,))
    monkeypatch.setattr("scripts.long_runs.fuzzing.mutations._is_garbage", lambda frame, encoding: False)
    (found,) = fuzz.fuzz_codec(3_000, SEED)
    assert f"seed {SEED}" in found


def test_frames_are_of_every_kind_and_the_same_for_the_same_seed() -> None:
    def outcomes(seed: int) -> tuple[Counter[str], list[str | bytes]]:
        mutator, seen, frames = MessageMutator(Random(seed)), Counter[str](), []
        for number in range(1_000):
            encoding = tuple(Encoding)[number % 2]
            frames.append(mutator.frame(encoding))
            try:
                seen[f"{encoding} {type(decode_client(frames[-1], encoding)).__name__}"] += 1
            except CodecError as error:
                seen[f"{encoding} {'garbage' if error.garbage else error.code}"] += 1
        return seen, frames

    seen, frames = outcomes(SEED)
    assert outcomes(SEED)[1] == frames
    for encoding in Encoding:
        assert {f"{encoding} {kind}" for kind in ("garbage", "bad_message", "unknown_type", "Move", "Hello")} <= set(
            seen
        )
    assert seen["json garbage"] + seen["msgpack garbage"] < 40  # more would close every connection at once


def test_what_the_server_says_is_answered_with_moves_that_mean_something() -> None:
    mutator = MessageMutator(Random(SEED))
    mutator.observe(turn(4_321, ply=9, legal_moves=("b3",)))
    assert {"type": "move", "match": 4_321, "ply": 9, "move": "b3"} in [mutator.message() for _ in range(50)]
    assert len(examples()) >= 11


# --- guided by coverage


def frames_as_input(draw: Random) -> bytes:
    """An input of the wire's target: eight messages of a bot."""
    mutator = MessageMutator(draw)
    frames = [str(mutator.frame(Encoding.JSON)).encode("utf-8", "replace")[:60_000] for _ in range(8)]
    return b"\x00" + b"".join(b"\x00" + len(frame).to_bytes(2, "big") + frame for frame in frames)


@pytest.mark.slow
def test_bytes_of_any_kind_leave_nothing_behind_in_a_server_in_memory() -> None:
    target, draw = guided.WireTarget(), Random(SEED)
    try:
        for _ in range(10):
            target(frames_as_input(draw))
            target(draw.randbytes(300))
    finally:
        target.server.close()


@pytest.mark.slow
def test_an_error_of_ours_fails_the_input_that_caused_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Dispatcher, peer: object, message: object, arrived_ns: int) -> None:
        raise KeyError("planted")

    monkeypatch.setattr(Dispatcher, "_watch", broken)
    target = guided.WireTarget()
    watch = json.dumps({"type": "watch", "match": 1}).encode()
    try:
        with pytest.raises(AssertionError, match="planted"):
            target(b"\x00\x00" + len(watch).to_bytes(2, "big") + watch)
    finally:
        target.server.close()


@pytest.mark.slow
def test_a_match_that_is_left_behind_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_memory, "MOST_HOURS", 1)
    server = MemoryServer(stall_limit_ms=86_400_000, abandon_ms=86_400_000)
    try:
        lines = [server.connect() for _ in range(2)]
        for line, name in zip(lines, (b"ada", b"bob"), strict=True):
            hello = guided.HELLO % (name, b"nim")
            server.say(line, b"\x81\xfe" + len(hello).to_bytes(2, "big") + bytes(4) + hello)
        assert len(server.server.dispatcher.runner.running()) > 0
        assert any("bots are left" in fault for fault in server.faults())
        for line in lines:
            line.close()
        assert server.faults() == []
    finally:
        server.close()


def test_without_atheris_the_command_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert fuzz.main(["guided", "codec"]) == 2
    output = capsys.readouterr().err
    assert "pip install atheris" in output
    assert "fuzz codec" in output


def test_the_target_of_the_codec_lets_only_codec_errors_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = Random(SEED)
    for _ in range(200):
        guided.codec_target(draw.randbytes(40))
        guided.codec_target(b"")
    monkeypatch.setattr(codec, "ANYTHING_A_DECODER_RAISES", (CodecError,))
    with pytest.raises(ValueError, match="truncated"):
        guided.codec_target(b"\x00{")
