"""The benchmark of the server measures what it says: its moves are legal, its checks find faults, every part runs."""

from __future__ import annotations

import contextlib
import dataclasses
import random
import sqlite3
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from websockets.frames import Frame, Opcode
from websockets.protocol import Protocol, Side, State

from benchmarks.server import budget, parts
from benchmarks.server.answers import UnreadableTurn, answer, as_int, is_turn
from benchmarks.server.half_open import half_open
from benchmarks.server.pages import pages
from benchmarks.server.parts import PARTS, Scale, check, stride
from benchmarks.server.processes import ROOT, BenchmarkFailed, Generator
from benchmarks.server.samples import Samples, fault_of
from benchmarks.server.steps import middle
from scripts.websocket_frames import client_frame, server_frame_end
from tabiya.games.registry import load_game, names
from tabiya.protocol.codec import Encoding, decode_client, encode
from tabiya.protocol.messages import Clocks, History, Move, Turn

SMALL = Scale(
    games=("reversi",),
    seconds=0.5,
    warm_s=0.2,
    pairs=2,
    matches=4,
    at_once=(20,),
    latency_pairs=5,
    idle=300,
    spectators=20,
    niceness=0,
)


def turns(game: str, seed: int, number: int) -> list[Turn]:
    """Turns of a random game, sixty at most."""
    position, chance, found = load_game(game).start(), random.Random(seed), list[Turn]()
    while position.outcome() is None and len(found) < 60:
        base, since = position.history()
        found.append(
            Turn(
                match=number,
                game=game,
                position=position.text(),
                seat=position.to_move,
                ply=position.ply,
                last_move=position.last_move,
                legal_moves=position.legal_moves(),
                history=History(position=base, moves=since),
                clock_ms=Clocks(you=1_000, opponent=2_000),
                time_control="60+0.5",
                move_limit_ms=1_000,
            )
        )
        position = position.play(chance.choice(position.legal_moves()))
    return found


def packed(turn: Turn) -> bytes:
    frame = encode(turn, Encoding.MSGPACK)
    assert isinstance(frame, bytes)
    return frame


def payload(frame: bytes) -> bytes:
    """What a websocket library reads in a frame of a client."""
    reader = Protocol(Side.SERVER, state=State.OPEN)
    reader.receive_data(frame)
    (event,) = reader.events_received()
    assert isinstance(event, Frame)
    assert event.opcode is Opcode.BINARY
    return bytes(event.data)


@pytest.mark.parametrize("game", names())
def test_every_turn_is_answered_for_its_match_and_ply_with_one_of_its_moves(game: str) -> None:
    for turn in turns(game, 1, 1):
        for number, chance in ((1, 0.0), (200, 0.5), (70_000, 0.999)):
            frame = packed(replace(turn, match=number))
            match, ply, _, frame_sent = answer(frame, is_turn(frame, 0), len(frame), stride(game), chance)
            move = decode_client(payload(frame_sent), Encoding.MSGPACK)
            assert isinstance(move, Move)
            assert (move.match, move.ply, move.info) == (number, turn.ply, None)
            assert move.move in (turn.legal_moves or ())
            assert (as_int(match), as_int(ply)) == (number, turn.ply)


def test_a_turn_without_a_list_of_moves_is_not_answered_by_guessing() -> None:
    frame = packed(replace(turns("nim", 1, 1)[0], legal_moves=None))
    with pytest.raises(UnreadableTurn):
        answer(frame, is_turn(frame, 0), len(frame), 3, 0.5)


@pytest.mark.parametrize("size", [0, 125, 126, 60_000])
def test_frames_are_those_of_the_protocol(size: int) -> None:
    assert payload(client_frame(b"x" * size)) == b"x" * size
    frame = Frame(Opcode.BINARY, b"x" * size).serialize(mask=False, extensions=[])
    start, end = server_frame_end(b"before" + frame + b"behind", 6)
    assert (b"before" + frame)[start:end] == b"x" * size
    assert server_frame_end(frame[:1], 0)[1] == -1


def test_a_right_turn_passes_and_each_planted_fault_is_found() -> None:
    before, turn = next(pair for pair in pairwise(turns("chess", 3, 5)) if pair[1].history.moves)
    assert fault_of(packed(turn)) == ""
    assert turn.legal_moves
    for wrong in (
        replace(turn, position=before.position),
        replace(turn, legal_moves=turn.legal_moves[1:]),
        replace(turn, seat=1 - turn.seat),
        replace(turn, last_move="a1"),
        replace(turn, clock_ms=None),
    ):
        assert fault_of(packed(wrong)) != ""


def test_a_turn_that_comes_twice_or_late_is_found() -> None:
    for plies in ((3, 3), (3, 5, 4)):
        samples = Samples()
        for ply in plies:
            samples.take(20, ply, b"\xa2d3")
        samples.check()
        assert samples.wrong == ["1 turns came twice or out of order"]


class Stored(Generator):
    """A generator that only reports what it has sent."""

    def __init__(self, sent: dict[str, dict[str, str]]) -> None:
        self.sent = sent

    def do(self, what: str, **order: Any) -> dict[str, Any]:
        return {"wrong": [], "checked": 1, "sent": self.sent}


@pytest.mark.parametrize(
    ("stored", "fault"),
    [
        ({0: "d3", 1: "c5", 2: "b6"}, ""),
        ({0: "d3", 1: "c5"}, ""),  # the last one was under way when the load was held
        ({0: "d3", 2: "b6"}, "lost: ['1']"),
        ({0: "d3", 1: "e3", 2: "b6"}, "otherwise than sent: ['1']"),
    ],
)
def test_moves_that_are_not_stored_as_they_were_sent_are_found(
    tmp_path: Path, stored: dict[int, str], fault: str
) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "bench.db")) as database:
        database.execute("create table moves (match_id, ply, text, opening)")
        database.executemany("insert into moves values (20, ?, ?, 0)", stored.items())
        database.commit()
    reported = Stored({"20": {"0": "d3", "1": "c5", "2": "b6"}})
    if not fault:
        check(tmp_path, reported)
        return
    with pytest.raises(BenchmarkFailed) as found:
        check(tmp_path, reported)
    assert fault in str(found.value)


@pytest.mark.slow
@pytest.mark.parametrize("game", names())
def test_the_steps_of_a_move_are_measured_in_games_of_any_length(game: str) -> None:
    moves = middle(game)
    position = load_game(game).start()
    for move in moves:
        position = position.play(move)
    assert moves
    assert position.outcome() is None


SANE: dict[str, Callable[[list[parts.Row]], bool]] = {
    "steps": lambda rows: rows[0]["judge it (played)"] > rows[0]["play it"] > 0 and rows[0]["turn bytes"] > 200,
    "speed": lambda rows: rows[0]["moves/s"] > 0 and rows[0]["us/move"] > rows[0]["us/echo"] > 0,
    "latency": lambda rows: (
        rows[0]["matches"] == 20
        and rows[0]["p50 ms"] <= rows[0]["p99 ms"]
        and 0 <= rows[0]["load late ms"] < 10_000
        and rows[0]["busy %"] > 0
    ),
    "memory": lambda rows: rows[0]["how many"] == 300 and rows[0]["with them MB"] > rows[0]["before MB"] > 10,
    "spectators": lambda rows: rows[0]["shown/s"] == 0 and rows[1]["shown/s"] > 0 and rows[2]["shown/s"] > 0,
    "restore": lambda rows: rows[0]["matches"] == 20 and rows[0]["moves"] > 0 and rows[0]["seconds"] > 0,
}


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("together", [("steps",), ("speed",), ("latency",), ("memory", "restore"), ("spectators",)])
def test_each_part_runs_against_a_real_server_and_its_figures_are_sane(together: tuple[str, ...]) -> None:
    for part in together:  # memory and restore are shown by the same life of a server
        rows = PARTS[part](SMALL)
        assert SANE[part](rows), rows


def test_half_load_is_half_of_the_core_though_a_move_costs_more_at_lower_rates() -> None:
    def run(rate: float) -> parts.Row:
        return {"took_s": 2.0, "server_cpu_s": 2.0 * rate / (rate + 2_000)}

    assert parts.rate_for(0.5, 7_500, run) == pytest.approx(2_000, rel=0.2)
    assert parts.rate_for(0.25, 1_000, run) == pytest.approx(667, rel=0.2)


@pytest.mark.slow
@pytest.mark.timeout(200)
def test_pages_that_follow_a_match_have_every_move_and_their_delay_is_reported() -> None:
    scale = dataclasses.replace(SMALL, games=("chess",), followers=10, seconds=2.0, rounds=1)
    rows = pages(scale)
    assert [row["followed at"] for row in rows] == ["nobody", "the server", "nobody, pages apart", "pages apart"]
    assert [row["followers"] for row in rows] == [0, 10, 0, 10]
    assert all(row["moves/s"] > 0 for row in rows)
    for followed in rows[1::2]:
        assert 0 < followed["late p50 ms"] <= followed["late p99 ms"] <= followed["latest ms"]


@pytest.mark.slow
@pytest.mark.timeout(200)
def test_half_open_connections_are_there_while_moves_are_made() -> None:
    rows = half_open(dataclasses.replace(SMALL, half_open=10, rounds=1))
    assert [row["sent"] for row in rows] == ["nobody", "nothing", "half a request", "a request"]
    assert [row["connected"] for row in rows] == [0, 10, 10, 10]
    assert all(row["moves/s"] > 0 and row["p50 ms"] <= row["p99 ms"] for row in rows)


def test_a_budget_adds_up_to_what_a_move_takes() -> None:
    (row,) = budget.budget(dataclasses.replace(SMALL, seconds=1.0))
    assert sum(row[name] for name in budget.NAMES) == pytest.approx(row["us/move"], abs=1.0)
    assert row["match core"] + row["rules"] + row["glue"] > 0  # one alone may be missed by so few samples
    assert row["saving thread"] > 0


def test_a_stack_counts_for_the_innermost_place_or_for_what_it_was_called_for() -> None:
    root = f"run (server_process.py:1);_drain ({ROOT}/tabiya/server/matches/runner.py:2)"
    play = f"play ({ROOT}/tabiya/games/position.py:3);empty (numpy/core.py:4)"
    stacks = [
        f"{root};{play} 5",
        f"{root} 3",
        f"{root};begin ({ROOT}/tabiya/server/matches/factory.py:7);{play} 2",
        "run (server_process.py:1) 9",  # in the loop, of which it waited six times
        "Thread._bootstrap (threading.py:988);_write (sqlite.py:57) 50",
    ]
    found = budget.counts("\n".join(stacks), most=13)
    assert found == {"rules": 5, "glue": 3, "begin and end": 2, budget.LOOP: 3}


def test_the_figures_of_every_part_are_looked_at() -> None:
    assert set(SANE) == set(PARTS)
