"""`tabiya check` as a person runs it, on bots that are programs: our examples, and a bot of our client."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import tabiya
from tabiya.check.command import launcher_for
from tabiya.check.report import report_values
from tabiya.check.run import check
from tabiya.check.scenario import ScenarioResult
from tabiya.check.scripted_server import WebsocketServer
from tabiya.cli.players.new import new
from tests.tabiya.cli.command_runner import tabiya as tabiya_command

pytestmark = pytest.mark.slow

ROOT = Path(tabiya.__file__).parent.parent
EXAMPLES = ROOT / "examples"
FAULTY = """
from tabiya import Bot

class Faulty(Bot):
    needs_rules = False

    def match_start(self, match):
        pass

    def choose(self, turn):
        print("I think")
        return turn.board[0]
"""


async def checked(player: str, *games: str) -> tuple[dict[str, Any], str]:
    """The report, as a program reads it, and the scenarios; in this process, for one of its own takes seconds."""
    lines: list[str] = []
    with mock.patch.dict(os.environ, {"PYTHONPATH": str(ROOT)}):
        launcher = launcher_for(player, games)

    def tell(result: ScenarioResult, done: int, total: int) -> None:
        lines.append(f"{result.scenario.name}: {result.status} {result.cause}")

    report = await check(launcher, WebsocketServer(), games=games, progress=tell)
    return report_values(report), "\n".join(lines)


async def test_our_examples_and_the_written_start_have_full_marks_and_those_with_our_client_all_extras(
    tmp_path: Path,
) -> None:
    new(tmp_path / "my_bot.py")  # as it is, before its author has changed a letter
    plain = f"'{sys.executable}' '{EXAMPLES / 'plain_websockets_bot.py'}'"
    ten_line = f"'{sys.executable}' '{EXAMPLES / 'ten_line_bot.py'}' {{url}} reversi"
    checks = await asyncio.gather(
        checked(f"{tmp_path / 'my_bot.py'}:MyBot", "nim", "tictactoe"),
        checked(plain, "tictactoe", "reversi"),
        checked(ten_line),
    )
    for report, printed in checks:
        failed = [scenario for scenario in report["scenarios"] if scenario["status"] in ("failed", "not reached")]
        assert not failed, printed
        assert (report["ready"], report["percent"]) == (True, 100)
    (written, _), (of_three_messages, _), (ours, _) = checks
    assert of_three_messages["extra_points"] == 0
    for report in (written, ours):
        assert report["extra_points"] == report["extra_possible"] > 0


def test_a_bot_whose_code_fails_has_its_traceback_in_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "faulty.py").write_text(FAULTY)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    words = ("--game", "nim", "--time-limit", "60", "--format", "json")
    result = tabiya_command("check", f"{tmp_path / 'faulty.py'}:Faulty", *words)
    assert (result.status, result.rows["ready"]) == (1, False)
    assert result.rows["remarks"] == ["nothing calls Faulty.match_start (line 7); is match_started meant?"]
    failed = [scenario for scenario in result.rows["scenarios"] if scenario["status"] == "failed"]
    assert [scenario["name"] for scenario in failed] == ["match-and-ply"]
    assert any("AttributeError" in line for line in failed[0]["printed"])
    assert failed[0]["printed"].count("I think") == 1
    assert "match-and-ply: failed" in result.err
    assert any(scenario["status"] == "not reached" for scenario in result.rows["scenarios"])
    assert "not reached" not in result.err  # one line of the report says it
