"""Programs that speak the protocol on standard input and output, or by a websocket, as players."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tabiya.bots.adapters.engine_process import ProgramError
from tabiya.bots.adapters.program_bot import MOST_UNASKED, ProgramBot
from tabiya.bots.client.turn import Turn
from tabiya.bots.players.build import build_player
from tabiya.bots.players.spec import PlayerError, PlayerKind, parse_player
from tabiya.bots.pool.errors import WorkerError
from tabiya.match.plan import MatchPlan
from tabiya.match.run import play
from tabiya.match.score import MatchScore
from tabiya.sandbox.limits import Limits
from tabiya.sandbox.sandbox import Sandbox, SandboxKind
from tests.bots.client.fake_server import started, turn
from tests.tabiya.sandbox.sandboxes import on_linux
from tests.waiting import WITHIN_S

SPEAKS_LINES = """
import json, sys
def say(**message): print(json.dumps(message), flush=True)
say(type="hello", name="whatever")
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        turn = message
    if message["type"] == "turn" or message.get("code") == "illegal_move":
        {before}
        say(type="move", match=turn["match"], ply=turn["ply"], move=turn["legal_moves"][0])
"""
ANSWERS = """
import json, sys
print(json.dumps({"type": "hello", "name": "whatever"}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        move = {"type": "move", "match": message["match"], "ply": message["ply"], "move": "b1"}
        print(json.dumps(move), flush=True)
"""
MISPLACES = """
import json, sys
def say(**message): print(json.dumps(message), flush=True)
say(type="hello", name="whatever")
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        right = {"match": message["match"], "ply": message["ply"]}
        say(type="move", move="a1", **right | {"ply": 5})
    elif message.get("code") == "wrong_ply":
        say(type="move", move="a1", **right | {"match": 77})
    elif message.get("code") == "unknown_match":
        say(type="move", move="b1", **right)
"""
SPEAKS_BY_WEBSOCKET = """
import json, sys
from websockets.sync.client import connect
with connect(sys.argv[1]) as server:
    server.send(json.dumps({"type": "hello", "name": "whatever"}))
    for text in server:
        turn = json.loads(text)
        if turn["type"] == "turn":
            move = {"type": "move", "match": turn["match"], "ply": turn["ply"], "move": turn["legal_moves"][0]}
            server.send(json.dumps(move))
"""


async def played(program: Path, *arguments: str, sandbox: Sandbox | None = None) -> tuple[MatchScore, list[str]]:
    """Two games of the program against itself, and what was said of it."""
    text = " ".join(["program:" + sys.executable, str(program), *arguments])
    score, lines = MatchScore(), list[str]()
    plan = MatchPlan((text, text), "tictactoe", pairs=1, time_control="20/move", sandbox=sandbox)
    await play(plan, score, lambda event: lines.append(str(event)))
    return score, lines


def written(folder: Path, text: str, before: str = "pass") -> Path:
    """A program, in a folder that somebody else can read."""
    folder.chmod(0o755)
    path = folder / "bot.py"
    path.write_text(text.replace("{before}", before))
    path.chmod(0o644)
    return path


@pytest.mark.slow
async def test_a_program_that_reads_and_writes_lines_plays(tmp_path: Path) -> None:
    score, _ = await played(written(tmp_path, SPEAKS_LINES))
    assert [game.ending for game in score.games.values()] == ["full_board", "full_board"]


@pytest.mark.slow
async def test_what_a_program_prints_as_errors_is_shown_and_commands_no_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prints = r'print("\x1b[2Jmy turn", turn["ply"], file=sys.stderr, flush=True)'
    await played(written(tmp_path, SPEAKS_LINES, before=prints))
    assert "my turn 4\n" in (printed := capsys.readouterr().err)
    assert "\x1b" not in printed


@pytest.mark.slow
async def test_a_program_that_wants_a_websocket_gets_one(tmp_path: Path) -> None:
    score, _ = await played(written(tmp_path, SPEAKS_BY_WEBSOCKET), "{url}")
    assert [game.ending for game in score.games.values()] == ["full_board", "full_board"]


@on_linux
@pytest.mark.slow
@pytest.mark.parametrize(("text", "arguments"), [(SPEAKS_LINES, ()), (SPEAKS_BY_WEBSOCKET, ("{url}",))])
async def play_in_a_sandbox(
    text: str, arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = written(tmp_path, text)
    monkeypatch.chdir(tmp_path)
    score, _ = await played(program, *arguments, sandbox=Sandbox(SandboxKind.BUBBLEWRAP, Limits()))
    assert [game.ending for game in score.games.values()] == ["full_board", "full_board"]


@pytest.mark.slow
async def test_a_program_that_ends_is_started_once_more_and_then_gives_the_match_up(tmp_path: Path) -> None:
    score, printed = await played(written(tmp_path, SPEAKS_LINES, before="sys.exit(3)"))
    assert [game.ending for game in score.games.values()] == ["resignation", "resignation"]
    assert any("has ended again" in sentence for sentence in printed)


def program_bot(program: Path, lines: list[str]) -> ProgramBot:
    """A program as a bot, without a server."""
    return ProgramBot((sys.executable, str(program)), name="ada", games=("tictactoe",), report=lines.append)


@pytest.fixture
async def slow_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop so busy that a program has spoken, and perhaps ended, before we are told that it runs."""
    loop_class = type(asyncio.get_running_loop())
    start = loop_class.subprocess_exec

    async def slowly(*arguments: Any, **options: Any) -> Any:
        started = await start(*arguments, **options)
        await asyncio.sleep(1.0)
        return started

    monkeypatch.setattr(loop_class, "subprocess_exec", slowly)
    monkeypatch.setattr("tabiya.bots.adapters.program_bot.HELLO_S", WITHIN_S)


@pytest.mark.slow
async def test_output_before_the_start_is_confirmed_is_not_lost(tmp_path: Path, slow_start: None) -> None:
    bot = program_bot(written(tmp_path, SPEAKS_LINES), [])
    await bot.prepare(("tictactoe",))
    await bot.close()


@pytest.mark.slow
async def test_a_program_that_ends_before_we_know_that_it_runs_is_missed_at_once(
    tmp_path: Path, slow_start: None
) -> None:
    bot = program_bot(written(tmp_path, "raise SystemExit(3)"), [])
    with pytest.raises(WorkerError, match="has ended with exit code 3"):
        await bot.prepare(("tictactoe",))
    await bot.close()


@pytest.mark.slow
async def test_a_program_that_was_started_again_is_asked_for_nothing_after_its_answer(tmp_path: Path) -> None:
    """Else it would never be frozen again, and a later `hello` would bring it turns of long ago."""
    dies_once = "from pathlib import Path; mark = Path(__file__).with_name('mark'); n = mark.exists(); mark.touch()"
    bot = program_bot(written(tmp_path, SPEAKS_LINES, before=f"{dies_once}; n or sys.exit(3)"), [])
    await bot.prepare(("tictactoe",))
    try:
        await bot.match_started(started())
        choice = await bot.choose(Turn(turn(), time.monotonic()))
        assert (choice.move, bot._asked) == ("a1", {})
    finally:
        await bot.close()


@pytest.mark.slow
@pytest.mark.parametrize("flood", ['say(type="hello", name="x")', 'print("\\x1b[2J", flush=True)'])
async def test_a_program_that_prints_without_end_is_ended_and_controls_no_terminal(flood: str, tmp_path: Path) -> None:
    lines: list[str] = []
    bot = program_bot(written(tmp_path, SPEAKS_LINES, before=f"[{flood} for _ in iter(int, 1)]"), lines)
    await bot.prepare(("tictactoe",))
    try:
        await bot.match_started(started())
        with pytest.raises(ProgramError, match="has ended again"):
            await bot.choose(Turn(turn(), time.monotonic()))
        assert any("sends too many messages that answer no turn" in sentence for sentence in lines)
        assert not any("\x1b" in sentence for sentence in lines)
        assert len(lines) < 3 * MOST_UNASKED
    finally:
        await bot.close()


@pytest.mark.slow
async def test_a_turn_of_a_match_that_began_before_is_answered(tmp_path: Path) -> None:
    """After a restart of the server a bot hears of the match with the turn."""
    lines: list[str] = []
    bot = program_bot(written(tmp_path, ANSWERS), lines)
    await bot.prepare(("tictactoe",))
    try:
        choice = await asyncio.wait_for(bot.choose(Turn(turn(), time.monotonic())), WITHIN_S)
    finally:
        await bot.close()
    assert (choice.move, lines) == ("b1", [])


@pytest.mark.slow
async def test_a_move_for_another_ply_or_match_is_refused_as_a_server_would(tmp_path: Path) -> None:
    lines: list[str] = []
    bot = program_bot(written(tmp_path, MISPLACES), lines)
    await bot.prepare(("tictactoe",))
    try:
        await bot.match_started(started())
        choice = await asyncio.wait_for(bot.choose(Turn(turn(), time.monotonic())), WITHIN_S)
    finally:
        await bot.close()
    assert choice.move == "b1"
    assert lines == [
        "the move answers ply 5, but ply 0 is to be played",
        f"the move is for match 77, but the turn is of {turn().match}",
    ]


@pytest.mark.slow
async def test_garbage_and_illegal_moves_of_a_program_lose_only_its_own_match(tmp_path: Path) -> None:
    garbage = 'print("hello?", flush=True); turn["legal_moves"] = ["z9"]'
    score, _ = await played(written(tmp_path, SPEAKS_LINES, before=garbage))
    assert [game.ending for game in score.games.values()] == ["illegal_moves", "illegal_moves"]


async def test_a_program_that_does_not_start_is_reported_with_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(Exception, match=r"cannot be started: .*no such module of mine"):
        await played(written(tmp_path, "raise SystemExit('no such module of mine')"))


def test_the_text_of_a_program_is_read_and_builds_no_player_that_thinks_here() -> None:
    spec = parse_player("program:node bot.mjs {url}")
    assert (spec.kind, spec.command) == (PlayerKind.PROGRAM, ("node", "bot.mjs", "{url}"))
    with pytest.raises(PlayerError, match="plays in `tabiya match` and on servers"):
        build_player("program:./bot")
