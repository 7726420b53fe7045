"""Engines at a match's own server, good and bad: what they do wrong costs them the game and nobody anything else."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tabiya.bots.adapters.engine_process import ProgramError
from tabiya.bots.adapters.uci_protocol import UciProtocol
from tabiya.bots.client.events import Event
from tabiya.bots.players.api import MoveRequest
from tabiya.games.registry import load_game
from tabiya.match.engine_participant import EngineParticipant
from tabiya.match.participants import MatchFailed
from tabiya.match.plan import MatchPlan
from tabiya.match.run import play
from tabiya.match.score import MatchScore
from tabiya.protocol.codes import RefusalCode
from tabiya.protocol.messages import Refused
from tabiya.server.core.adjudication import Adjudication, DrawRule
from tabiya.server.core.policy import DEFAULT_POLICY
from tabiya.server.core.restore import start_match
from tabiya.storage.records import MatchId
from tests.processes import is_running
from tests.server.core.fakes import agreed

ENGINE = Path(__file__).with_name("rules_engine.py")
pytestmark = pytest.mark.slow


def engine(behaviour: str, folder: Path, options: str = "") -> str:
    return f"uci:{sys.executable} {ENGINE} {behaviour} {folder}{options}"


async def played_by(first: str, second: str, **terms: object) -> tuple[MatchScore, list[str]]:
    """One pair of games, and what was said meanwhile."""
    said: list[str] = []

    def listen(event: Event) -> None:
        said.append(str(event))

    played = MatchScore()
    plan = MatchPlan((first, second), **({"game": "chess", "pairs": 1, "time_control": "5+0"} | terms))  # type: ignore[arg-type]
    await play(plan, played, listen)
    return played, said


def running(folder: Path) -> list[int]:
    """The engines of a folder that still run, of all that have written their ids there."""
    pids = [int(line) for line in (folder / "pids").read_text().split()]
    return [pid for pid in pids if is_running(pid)]


async def test_two_engines_play_a_pair_with_their_names_times_and_judgements(tmp_path: Path) -> None:
    kept = []
    played = MatchScore()
    players = engine("mates", tmp_path), engine("mates", tmp_path)
    plan = MatchPlan(players, "chess", pairs=1, concurrency=2, time_control="5+0", seed=5)
    await play(
        plan,
        played,
        lambda event: None,
        on_game_over=lambda number, record, moves: kept.append((number, record, moves)),
    )
    assert played.scored == 2
    assert [times.moves > 5 for times in played.times] == [True, True]
    number, record, moves = kept[0]
    assert record.seats[number % 2].bot == played.names[0]
    assert record.seats[0].version == "Rules 1"
    thought = next(move for move in moves if not move.opening)
    assert thought.info is not None
    assert (thought.info["depth"], thought.info["score"]) == (7, 25)
    assert not running(tmp_path)


async def test_what_two_engines_say_of_their_games_ends_them_if_it_is_wanted(tmp_path: Path) -> None:
    level = Adjudication(draw=DrawRule(movenumber=2, movecount=1, score=25))
    played, _ = await played_by(engine("mates", tmp_path), engine("mates", tmp_path), adjudication=level)
    assert {game.ending for game in played.games.values()} == {"drawn_by_scores"}
    assert all(4 <= game.plies < 12 for game in played.games.values())


@pytest.mark.parametrize("when", ["at once", "later"])  # later it is a thread that plays
@pytest.mark.parametrize(
    ("behaviour", "ending", "words"),
    [
        ("hangs", "time", ""),
        ("illegal", "illegal_moves", "'a1a1' is not legal in"),
        ("no-move", "illegal_moves", ""),
        ("crashes", "resignation", "has ended with exit code 3; its last words: no memory; the game is given up"),
    ],
)
async def test_what_an_engine_does_wrong_loses_its_games(
    behaviour: str, ending: str, words: str, when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tabiya.bots.adapters.external_engine.STOP_S", 0.1)
    later = "-later" if when == "later" else ""
    good, bad = engine("mates", tmp_path), engine(f"{behaviour}{later}", tmp_path)
    played, said = await played_by(good, bad, time_control="1+0" if behaviour == "hangs" else "5+0")
    assert played.endings == {(1.0, ending): 2}
    assert played.deaths == [0, 4 if behaviour == "crashes" else 0]
    assert words in " ".join(said)
    assert not running(tmp_path)


async def test_an_engine_that_dies_once_is_started_again_and_plays_on(tmp_path: Path) -> None:
    played, said = await played_by(engine("crashes-once", tmp_path), engine("mates", tmp_path))
    assert played.scored == 2
    assert played.deaths == [1, 0]
    assert "resignation" not in {ending for _, ending in played.endings}
    assert sum("it is started once more" in text for text in said) == 1
    assert not running(tmp_path)


async def test_a_match_of_engines_that_is_stopped_in_the_middle_goes_on_later(tmp_path: Path) -> None:
    players, began = (engine("mates", tmp_path), engine("mates", tmp_path)), asyncio.Event()
    plan = MatchPlan(players, "chess", pairs=4, concurrency=2, database=str(tmp_path / "games.db"))
    played = MatchScore()
    task = asyncio.create_task(play(plan, played, lambda event: None, lambda now: began.set()))
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not running(tmp_path)
    assert 0 < len(played.games) < 8
    again, kept = MatchScore(), list[int]()
    on_over = lambda number, record, moves: kept.append(number)  # noqa: E731
    await play(replace(plan, resume=True), again, lambda event: None, on_game_over=on_over)
    assert sorted(kept) == list(range(8))
    assert again.resumed >= len(played.games)
    assert again.scored == 8


class Recorder:
    """An engine that keeps what it is asked."""

    is_running = True

    def __init__(self, *_: object, **__: object) -> None:
        self.asked: list[MoveRequest] = []
        self.on_lost: Callable[[ProgramError], object] = print

    def ask(self, request: MoveRequest, _: object) -> None:
        self.asked.append(request)

    async def new_game(self) -> None:
        pass


async def test_an_engine_that_is_asked_again_is_told_what_is_left_of_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.match.engine_participant.ExternalEngine", Recorder)
    now_ns = 10**9
    host: Any = SimpleNamespace(runner=SimpleNamespace(now_ns=lambda: now_ns), process_paused=print)
    seat = EngineParticipant(host, "it", ("it",), UciProtocol, ("chess",), 1, print)
    engine: Any = seat._idle[0]
    chess = load_game("chess")
    match = start_match(MatchId(1), agreed("2/move", rules=chess, start=chess.start().text()), chess, DEFAULT_POLICY, 0)
    active: Any = SimpleNamespace(record=SimpleNamespace(id=1), match=match)
    seat.ask(active, match, (2_000_000, 1_900_000), 2_000_000)
    now_ns += 600 * 10**6
    seat.send(Refused(about="move", code=RefusalCode.ILLEGAL_MOVE, message="no", match=1, ply=0))
    now_ns += 400 * 10**6
    engine.on_lost(ProgramError("it died"))
    await asyncio.gather(*seat._tasks)
    assert [request.remaining_ms for request in engine.asked] == [2_000, 1_400, 1_000]
    assert [request.opponent_ms for request in engine.asked] == [1_900] * 3
    assert [request.budget_s for request in engine.asked] == pytest.approx([2.0, 1.4, 1.0])


@pytest.mark.parametrize(
    ("player", "words"),
    [
        ("uci:no-such-engine", "'no-such-engine' cannot be started: No such file"),
        ("{engine}?Hsh=3", "has no option 'Hsh'; did you mean 'Hash'"),
        ("nboard:edax?depth=99", "NBoard takes one option"),
    ],
)
async def test_an_engine_that_cannot_play_is_said_before_any_game(player: str, words: str, tmp_path: Path) -> None:
    first = player.replace("{engine}", engine("mates", tmp_path))
    game = "reversi" if player.startswith("nboard") else "chess"
    with pytest.raises(MatchFailed, match=words):
        await played_by(first, first, game=game)


async def test_an_engine_meets_a_player_in_a_worker(tmp_path: Path) -> None:
    played, _ = await played_by(engine("mates", tmp_path), "random")
    assert played.scored == 2
    assert played.points >= 1
