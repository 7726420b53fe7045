"""Chaos in its short form, and that nothing passes which it is there to find."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from scripts.long_runs import chaos
from scripts.long_runs.checks.postconditions import Stored
from scripts.long_runs.checks.wire_recorder import WireRecorder
from scripts.long_runs.harness.bot_processes import BotProcess
from scripts.long_runs.harness.proxy import LinkConditions, Proxy
from tabiya.games.registry import names
from tabiya.protocol.codec import Encoding, encode
from tabiya.protocol.messages import MatchEnded, Turn
from tabiya.protocol.messages.parts import Clocks
from tabiya.storage.records import BotId, MatchId, MatchRecord, MoveRecord, ResultRecord, SeatRecord
from tests.bots.client import fake_server as messages
from tests.storage.postgres import private_cluster

SEED = 10  # a line cut, the server killed, a bot stopped


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_tournament_goes_on_through_a_kill_a_cut_and_a_stop(capsys: pytest.CaptureFixture[str]) -> None:
    short = ["--bots", "3", "--games", names()[0], "--every", "0.2", "--acts", "3", "--seed", str(SEED)]
    code = chaos.main([*short, "--only", "kill_server", "cut_line", "stop_bot"])
    output = capsys.readouterr().out
    assert (code, output.splitlines()[-1]) == (0, "nothing was lost, doubled or unexplained"), output
    assert "2 lives of the server" in output


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_format_is_played_on_postgresql_through_a_kill(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--bots", "3", "--games", names()[0], "--tournaments", "6", "--only", "kill_server", "--acts", "1"]
    with private_cluster() as cluster:
        code = chaos.main([*words, "--database", cluster.create("chaos")])
        output = capsys.readouterr().out
        assert (code, output.splitlines()[-1]) == (0, "nothing was lost, doubled or unexplained"), output
        assert "6 tournaments: 1 gauntlet, 1 knockout, 1 ladder, 1 round_robin, 1 sprt, 1 swiss" in output
        assert "2 lives of the server" in output
        assert cluster.sql("SELECT count(*) FROM tournaments WHERE status = 'ended'", "chaos") == "6"


# --- the proxy


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(1_000):
        writer.write(data)
    writer.close()


Talk = Callable[[Proxy, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def through(talk: Talk, conditions: LinkConditions | None = None) -> None:
    """Something is said through a proxy to a server that repeats it."""
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    proxy = Proxy(lambda: server.sockets[0].getsockname()[:2], Random(SEED), conditions)
    reader, writer = await asyncio.open_connection("127.0.0.1", await proxy.start())
    try:
        await talk(proxy, reader, writer)
    finally:
        writer.close()
        await proxy.stop()
        server.close()


async def test_bytes_keep_their_order_however_much_the_line_jitters() -> None:
    sent = b"".join(n.to_bytes(2, "big") for n in range(300))

    async def talk(proxy: Proxy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        began = asyncio.get_running_loop().time()
        for at in range(0, len(sent), 60):
            writer.write(sent[at : at + 60])
            await asyncio.sleep(0)
        assert await reader.readexactly(len(sent)) == sent
        assert asyncio.get_running_loop().time() - began >= 0.01

    await through(talk, LinkConditions(delay_s=0.005, jitter_s=0.01))


async def test_a_line_that_is_cut_is_reset_and_one_that_is_half_closed_still_says_the_rest() -> None:
    async def cut(proxy: Proxy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"x")
        await reader.readexactly(1)
        proxy.lines[0].cut()
        assert await reader.read() == b""

    async def half(proxy: Proxy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"x")
        await reader.readexactly(1)
        proxy.lines[0].half_close(to_server=False)
        assert await reader.read() == b""
        assert len(proxy.lines) == 1

    await through(cut)
    await through(half)


async def test_what_is_held_comes_later_and_what_is_throttled_comes_slowly() -> None:
    async def talk(proxy: Proxy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        writer.write(b"x")
        await reader.readexactly(1)
        line = proxy.lines[0]
        for number in range(2):
            began = loop.time()
            if number:
                line.throttle(1_000, 0.2)
            else:
                line.hold(0.05)
            writer.write(b"x" * 25)
            await reader.readexactly(25)
            assert loop.time() - began >= 0.049

    await through(talk)


# --- the recorder


def turn(ply: int, last: str | None, opponent_ms: int = 5_000) -> Turn:
    clocks = Clocks(you=9_000, opponent=opponent_ms)
    return messages.turn(7, ply, seat=ply % 2, last_move=last, clock_ms=clocks)


def row(ply: int, text: str, remaining_us: tuple[int, int] = (5_000_000, 9_000_000), think_us: int = 0) -> MoveRecord:
    return MoveRecord(
        match_id=MatchId(7), ply=ply, text=text, seat=ply % 2, remaining_us=remaining_us, think_us=think_us, at=0.0
    )


END = replace(messages.ended(7), ending="line", last_move="a1", plies=1)
RESULT = ResultRecord(match_id=MatchId(7), winner=0, ending="line", remaining_us=(0, 0), ended_at=100.0)


@pytest.mark.parametrize("encoding", list(Encoding))
def test_what_a_server_tells_is_read_from_its_bytes_however_they_are_cut(encoding: Encoding) -> None:
    recorder = WireRecorder()
    frames = b""
    for message in (turn(1, "a1"), END):
        data = encode(message, encoding)
        raw = data.encode() if isinstance(data, str) else data
        head = bytes([0x81 if isinstance(data, str) else 0x82, 126]) + len(raw).to_bytes(2, "big")
        frames += head + raw + bytes([0x89, 2]) + b"hi"
    text = f"HTTP/1.1 101 OK\r\nSec-WebSocket-Protocol: {encoding.subprotocol}\r\n\r\n".encode() + frames
    listener = recorder.listener()
    for at in range(0, len(text), 7):
        listener(text[at : at + 7])
    assert (recorder.moves, list(recorder.ends), recorder.wrong) == (1, [7], [])


def missing(*sent: Turn | MatchEnded, rows: tuple[MoveRecord, ...], result: ResultRecord | None = None) -> list[str]:
    recorder = WireRecorder()
    for message in sent:
        recorder.record(message)
    return recorder.missing({MatchId(7): rows}, {MatchId(7): result} if result else {})


def test_a_sent_move_that_is_stored_unchanged_is_no_fault() -> None:
    assert missing(turn(1, "a1"), turn(1, "a1"), rows=(row(0, "a1"),)) == []
    assert missing(turn(0, None), END, rows=(row(0, "a1"),), result=RESULT) == []


@pytest.mark.parametrize(
    ("reported", "rows", "result", "words"),
    [
        ((turn(1, "a1"),), (), None, "stored is nothing"),
        ((turn(1, "a1"),), (row(0, "b2"),), None, "stored is b2"),
        ((turn(1, "a1", 4_999),), (row(0, "a1"),), None, "4999 ms were told for a clock stored with 5000 ms"),
        ((turn(1, "a1"), turn(1, "b2")), (row(0, "a1"),), None, "ply 1 was told as"),
        ((END,), (row(0, "a1"),), None, "stored is None"),
        ((END,), (row(0, "a1"),), replace(RESULT, winner=1), "was told to have ended"),
        ((END,), (row(0, "b2"),), RESULT, "the last move a1 was told"),
        ((END, turn(1, "a1")), (row(0, "a1"),), RESULT, "after its end"),
    ],
)
def test_a_sent_move_or_result_that_is_stored_otherwise_is_a_fault(
    reported: tuple[Turn | MatchEnded, ...], rows: tuple[MoveRecord, ...], result: ResultRecord | None, words: str
) -> None:
    (found,) = missing(*reported, rows=rows, result=result)
    assert words in found


# --- the verdict


def match(
    ending: str,
    winner: int | None = 0,
    reason: str = "",
    bots: tuple[str, str] = ("Ada", "Eve"),
    game: str = names()[0],
) -> MatchRecord:
    result = replace(RESULT, ending=ending, winner=winner, reason=reason, remaining_us=(9_000_000, 0))
    seats = tuple(SeatRecord(bot_id=BotId(n), bot=name) for n, name in enumerate(bots))
    return MatchRecord(
        id=MatchId(7), key="k", game=game, rules_version=1, options={}, start_text="", time_control="9+0",
        seats=(seats[0], seats[1]), rated=False, illegal_limit=3, stall_limit_ms=0, remaining_us=(9_000_000, 9_000_000),
        credit_left_us=(0, 0), tournament_id=None, pairing=None, game_index=None, created_at=0.0, status="ended",
        result=result,
    )  # fmt: skip


def arena(*acts: tuple[float, float]) -> chaos.Arena:
    """A run in which something was done to Eve."""
    found = chaos.Arena(Path(), SEED)
    for name in ("Ada", "Eve"):
        found.bots[name] = BotProcess(name, [], Path(), "")
    found.bots["Eve"].acts += acts
    return found


@pytest.mark.parametrize(
    ("played", "acts", "explained"),
    [
        (match("time"), ((90.0, 95.0),), [True]),
        (match("time"), ((200.0, 205.0),), [False]),  # after the end
        (match("time"), ((10.0, 15.0),), [False]),  # long before its clock began to run out
        (match("time"), (), [False]),
        (match("time", winner=1), ((90.0, 95.0),), [False]),  # Ada was left alone
        (match("illegal_moves"), ((90.0, 95.0),), [False]),
        (match("line", winner=1), (), []),
    ],
)
def test_a_loss_on_time_is_explained_only_by_what_was_done_to_the_loser_then(
    played: MatchRecord, acts: tuple[tuple[float, float], ...], explained: list[bool]
) -> None:
    stored = Stored([], {played.id: played}, {played.id: ()}, [])
    assert [fine for _, _, fine in chaos.forfeits(arena(*acts), stored)] == explained


def test_the_same_seed_does_the_same_acts() -> None:
    draws = [[one.draw.random() for _ in range(5)] for one in (arena(), arena())]
    assert draws[0] == draws[1]
