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
from msgspec.structs import replace as replace_field

from tabiya.bots.adapters.engine_process import EngineProcess, ProgramError
from tabiya.bots.adapters.external_engine import OnAnswer
from tabiya.bots.adapters.uci_protocol import UciProtocol
from tabiya.bots.client.events import Event, silent
from tabiya.bots.players.api import MoveReply, MoveRequest
from tabiya.games.registry import load_game
from tabiya.match.engine_participant import EngineParticipant
from tabiya.match.own_book import BookTerms
from tabiya.match.participants import MatchFailed
from tabiya.match.plan import MatchPlan
from tabiya.match.run import play
from tabiya.match.score import MatchScore
from tabiya.protocol.codes import RefusalCode
from tabiya.protocol.messages import DrawOffer, Refused
from tabiya.protocol.messages.parts import FROM_BOOK
from tabiya.server.archive.verify import verify
from tabiya.server.core.adjudication import Adjudication, DrawRule
from tabiya.server.core.effects import SendTurn
from tabiya.server.core.events import MoveArrived
from tabiya.server.core.policy import DEFAULT_POLICY
from tabiya.server.core.restore import start_match
from tabiya.storage.open import open_store
from tabiya.storage.records import MatchId, MatchRecord, MoveRecord, ResultRecord
from tests.games.polyglot_books import book_of
from tests.processes import is_running
from tests.server.core.fakes import agreed

ENGINE = Path(__file__).with_name("rules_engine.py")
pytestmark = pytest.mark.slow


def engine(behaviour: str, folder: Path, options: str = "") -> str:
    return f"uci:{sys.executable} {ENGINE} {behaviour} {folder}{options}"


async def played_by(first: str, second: str, **terms: object) -> tuple[MatchScore, list[str]]:
    """One pair of games, and what was said meanwhile."""
    lines: list[str] = []

    def listen(event: Event) -> None:
        lines.append(str(event))

    played = MatchScore()
    plan = MatchPlan((first, second), **({"game": "chess", "pairs": 1, "time_control": "5+0"} | terms))  # type: ignore[arg-type]
    await play(plan, played, listen)
    return played, lines


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


@pytest.mark.parametrize(
    ("behaviour", "ending", "words"),
    [
        ("hangs", "time", "still thought after its game was over; its program was ended and started again"),
        ("illegal", "illegal_moves", "'a1a1' is not legal in"),
        ("long", "illegal_moves", "'e2e4e2e4e2e4e2e…' is not a move"),
        ("no-move", "illegal_moves", "'(no move)' is not a move in the notation of Chess"),
        ("crashes", "resignation", "has ended with exit code 3; its last words: no memory; the game is given up"),
    ],
)
async def test_what_an_engine_does_wrong_loses_its_games(
    behaviour: str, ending: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tabiya.bots.adapters.external_engine.STOP_S", 0.1)
    good, bad = engine("mates", tmp_path), engine(behaviour, tmp_path)
    played, printed = await played_by(good, bad, time_control="1+0" if behaviour == "hangs" else "5+0")
    assert played.endings == {(1.0, ending, behaviour == "crashes"): 2}
    assert played.deaths == [0, 4 if behaviour == "crashes" else 0]
    assert words in " ".join(printed)
    assert not running(tmp_path)


async def test_an_engine_that_dies_once_is_started_again_and_plays_on(tmp_path: Path) -> None:
    played, printed = await played_by(engine("crashes-once", tmp_path), engine("mates", tmp_path))
    assert played.scored == 2
    assert played.deaths == [1, 0]
    assert "resignation" not in {ending for _, ending, _ in played.endings}
    assert sum("it is started once more" in text for text in printed) == 1
    assert not running(tmp_path)


async def test_a_player_with_less_time_is_told_so_and_the_games_are_stored_with_both_and_not_rated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tabiya.bots.adapters.external_engine.STOP_S", 0.1)
    kept, database = [], str(tmp_path / "games.db")
    players = engine("mates", tmp_path), engine("hangs", tmp_path)
    plan = MatchPlan(players, "chess", pairs=1, time_control="60+0.5,0.1+0", database=database)
    await play(plan, MatchScore(), silent, on_game_over=lambda number, record, moves: kept.append(record))
    assert [record.time_control for record in kept] == ["60+0.5,0.1+0", "0.1+0,60+0.5"]
    assert [record.rated for record in kept] == [False, False]
    assert kept[0].seats[0].bot.endswith("-60+0.5")
    assert kept[1].seats[0].bot.endswith("-0.1+0")
    store = await open_store(database, create=False)
    try:
        report = await verify(store)
    finally:
        await store.close()
    assert (report.matches, report.faults) == (2, ())
    resumed = MatchScore()
    await play(replace(plan, resume=True), resumed, silent)
    assert resumed.resumed == resumed.scored == 2


async def test_engines_think_on_about_what_they_expect_and_play_the_games_that_they_play_without(
    tmp_path: Path,
) -> None:
    async def games(folder: Path, options: str) -> dict[int, list[str]]:
        kept = dict[int, list[str]]()

        def keep(number: int, record: MatchRecord, moves: tuple[MoveRecord, ...]) -> None:
            kept[number] = [move.text for move in moves]

        players = [engine(behaviour, folder / behaviour, options) for behaviour in ("mates", "misled")]
        plan = MatchPlan((players[0], players[1]), "chess", pairs=1, time_control="20+0", seed=5)
        await play(plan, MatchScore(), silent, on_game_over=keep)
        return kept

    without, pondering = tmp_path / "without", tmp_path / "pondering"
    for folder in (without, pondering):
        for behaviour in ("mates", "misled"):
            (folder / behaviour).mkdir(parents=True)
    assert await games(without, "") == await games(pondering, "?Ponder=true")
    assert set((pondering / "mates" / "why").read_text().split()) == {"go", "ponderhit"}
    assert set((pondering / "misled" / "why").read_text().split()) == {"go", "stop"}
    assert not running(pondering / "mates")


async def test_moves_of_its_own_book_are_played_for_an_engine_and_marked(tmp_path: Path) -> None:
    book, printed = tmp_path / "own.bin", dict[int, list[tuple[int, int, str, str]]]()
    book.write_bytes(book_of({"e2e4": 1}, {"e2e4": {"e7e5": 1}}))

    def keep(number: int, record: MatchRecord, moves: tuple[MoveRecord, ...]) -> None:
        printed[number] = [(move.ply, move.seat, move.text, (move.info or {}).get("text", "")) for move in moves]

    plan = MatchPlan(
        (engine("mates", tmp_path), engine("mates", tmp_path)), "chess", pairs=1, time_control="20+0",
        openings=(load_game("chess").start().text(),), books=(BookTerms(str(book)), None),
    )  # fmt: skip
    played = MatchScore()
    await play(plan, played, silent, on_game_over=keep)
    assert played.names[0].endswith("-own.bin")
    marked = [[move for move in moves if move[3] == FROM_BOOK] for moves in printed.values()]
    assert marked[0] == [(0, 0, "e2e4", FROM_BOOK)]
    assert marked[1] in ([], [(1, 1, "e7e5", FROM_BOOK)])  # if the other has begun with e2e4


@pytest.mark.slow
async def test_a_game_whose_result_is_known_is_ended_if_it_is_wanted(tmp_path: Path) -> None:
    ended, database = dict[str, ResultRecord | None](), str(tmp_path / "games.db")
    won, level = "k7/8/8/8/8/7p/4q3/4K2R w - - 0 1", "k7/7r/8/8/8/8/4q3/4K1R1 w - - 0 1"  # the king takes the queen
    plan = MatchPlan(
        (engine("mates", tmp_path), engine("mates", tmp_path)), "chess", pairs=2, time_control="20+0",
        openings=(won, level), endings=True, database=database,
    )  # fmt: skip

    def keep(number: int, record: MatchRecord, moves: tuple[MoveRecord, ...]) -> None:
        assert len(moves) == 1
        ended[record.start_text] = record.result

    await play(plan, MatchScore(), silent, on_game_over=keep)
    results = [result for start in (won, level) if (result := ended[start])]
    assert [(result.winner, result.ending) for result in results] == [(0, "known_result"), (None, "known_result")]
    assert [result.reason.split()[-1] for result in results] == ["(White)", "drawn"]
    store = await open_store(database, create=False)
    try:
        report = await verify(store)
    finally:
        await store.close()
    assert (report.matches, report.faults) == (4, ())
    assert plan.digest != replace(plan, endings=False).digest


async def test_a_book_that_cannot_be_read_is_said_before_any_game(tmp_path: Path) -> None:
    with pytest.raises(MatchFailed, match="cannot be read"):
        await played_by(engine("mates", tmp_path), "random", books=(BookTerms(str(tmp_path / "none.bin")), None))


async def test_each_program_runs_on_a_core_of_its_own_if_it_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cores, start = list[tuple[str, int | None]](), EngineProcess.start

    async def started(command: tuple[str, ...], *given: Any, core: int | None) -> EngineProcess:
        cores.append((command[2], core))
        return await start(command, *given)

    monkeypatch.setattr(EngineProcess, "start", started)
    terms = {"concurrency": 2, "cores": (4, 5, 6, 7)}
    await played_by(engine("mates", tmp_path), engine("no-move", tmp_path), **terms)
    assert sorted(cores) == [("mates", 4), ("mates", 6), ("no-move", 5), ("no-move", 7)]


@pytest.mark.parametrize("restart", [False, True])
async def test_an_engine_is_started_anew_for_each_game_if_it_is_wanted(restart: bool, tmp_path: Path) -> None:
    played, _ = await played_by(engine("mates", tmp_path), engine("mates", tmp_path), restarts=(restart, False))
    assert played.scored == 2
    assert len((tmp_path / "pids").read_text().split()) == (3 if restart else 2)


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
    """An engine that keeps what it is asked, and answers by `on_answer`."""

    is_running = True

    def __init__(self, *_: object, **__: object) -> None:
        self.asked: list[MoveRequest] = []
        self.on_lost: Callable[[ProgramError], object] = print
        self.on_answer: OnAnswer

    def ask(self, request: MoveRequest, on_answer: OnAnswer) -> None:
        self.asked.append(request)
        self.on_answer = on_answer

    async def new_game(self, game: str) -> None:
        pass


def asked_for_its_first_move(seat: EngineParticipant) -> Recorder:
    engine: Any = seat._idle[0]
    chess = load_game("chess")
    match = start_match(MatchId(1), agreed("2/move", rules=chess, start=chess.start().text()), chess, DEFAULT_POLICY, 0)
    active: Any = SimpleNamespace(record=SimpleNamespace(id=1), match=match)
    seat.ask(active, SendTurn(0, 0, (2_000_000, 1_900_000), 2_000_000))
    assert isinstance(engine, Recorder)
    return engine


async def test_a_draw_that_an_engine_offers_or_accepts_is_told_before_its_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.match.engine_participant.ExternalEngine", Recorder)
    reported = list[object]()
    move = MoveReply(move="e2e4")
    for answer in (replace_field(move, offer_draw=True), replace_field(move, accept_draw=True), move):
        runner = SimpleNamespace(now_ns=lambda: 10**9, post=lambda active, event: reported.append(type(event)))
        host: Any = SimpleNamespace(
            runner=runner, process_paused=print, received=lambda seat, message, now_ns: reported.append(message)
        )
        seat = EngineParticipant(host, "it", ("it",), UciProtocol, "chess", 1, print)
        asked_for_its_first_move(seat).on_answer(answer, 0.1)
    offer = DrawOffer(match=1, ply=0)
    assert reported == [offer, MoveArrived, offer, MoveArrived, MoveArrived]


async def test_an_engine_that_is_asked_again_is_told_what_is_left_of_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.match.engine_participant.ExternalEngine", Recorder)
    now_ns = 10**9
    host: Any = SimpleNamespace(runner=SimpleNamespace(now_ns=lambda: now_ns), process_paused=print)
    seat = EngineParticipant(host, "it", ("it",), UciProtocol, "chess", 1, print)
    engine = asked_for_its_first_move(seat)
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


async def test_an_engine_that_does_not_start_is_told_by_the_name_of_its_player(tmp_path: Path) -> None:
    with pytest.raises(MatchFailed, match=r"^python-rules_engine\.py-mates.*: 'python' has no option"):
        await played_by(engine("mates", tmp_path), engine("mates", tmp_path, "?Hsh=3"))


async def test_an_engine_meets_a_player_in_a_worker(tmp_path: Path) -> None:
    played, _ = await played_by(engine("mates", tmp_path), "random")
    assert played.scored == 2
    assert played.points >= 1
