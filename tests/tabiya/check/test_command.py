"""What stands behind `tabiya check`, and the process that it becomes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tabiya.bots.players.spec import PlayerError
from tabiya.check.command import launcher_for
from tabiya.check.launcher import CommandLauncher
from tabiya.check.outcomes import CannotStart
from tabiya.processes.programs import with_address
from tests.processes import is_running
from tests.waiting import until

URL = "ws://127.0.0.1:1"
PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import signal, time; {ignore}; time.sleep(600)"])
print(child.pid, flush=True)
{ignore}
child.wait()
"""


def words_of(text: str) -> tuple[str, ...]:
    return launcher_for(text)._command


def test_a_player_is_started_as_a_bot_of_ours_without_seeking() -> None:
    words = words_of("pvs:6")
    assert words[:5] == (sys.executable, "-m", "tabiya", "bot", "pvs:6")
    assert words[-2:] == ("--server", "{url}")
    assert "--game" not in words
    assert "--game" in launcher_for("pvs:6", ("nim",))._command


def test_the_websocket_of_a_program_is_not_taken_for_that_of_the_server() -> None:
    words = words_of("program:node bot.mjs {url}")
    assert words[4] == "program:node bot.mjs {address}"
    assert words[-2:] == ("--server", "{url}")


def test_a_command_line_is_split_as_a_shell_would() -> None:
    text = f"'{sys.executable}' -c 'import this' --name 'my bot'"
    assert words_of(text) == (sys.executable, "-c", "import this", "--name", "my bot")


def test_a_command_line_that_ends_in_a_python_file_is_no_player() -> None:
    assert words_of(f"{sys.executable} my_bot.py") == (sys.executable, "my_bot.py")


@pytest.mark.parametrize("text", ["gredy", "nothing_of_this_name bot.mjs", "'unfinished", "", "my_bot.py"])
def test_what_is_neither_a_player_nor_a_program_is_said_in_a_sentence(text: str) -> None:
    with pytest.raises(PlayerError) as error:
        launcher_for(text)
    assert "\n" not in str(error.value)


def test_what_is_no_program_is_answered_with_how_to_write_one() -> None:
    for text in ("nosuchprogram", "nosuchprogram bot.mjs"):
        with pytest.raises(PlayerError, match=r"'node bot\.mjs'.*'\./bot'"):
            launcher_for(text)


def test_a_player_whose_file_is_not_there_is_told_where_it_was_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PlayerError) as refused:
        launcher_for("my_bot.py:MyBot")
    assert str(refused.value) == f"there is no file {str(tmp_path / 'my_bot.py')!r}"


def test_the_address_stands_where_it_is_asked_for_or_else_last() -> None:
    assert with_address(("bot", "x"), URL) == ("bot", "x", URL)
    assert with_address(("bot", "--at={url}", "x"), URL) == ("bot", f"--at={URL}", "x")


def test_secrets_of_the_environment_are_not_handed_to_the_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABIYA_TOKEN", "secret")
    monkeypatch.setenv("TABIYA_INVITE_SECRET", "secret")
    monkeypatch.setenv("TABIYA_DATABASE_URL", "secret")
    monkeypatch.setenv("PGPASSWORD", "secret")
    assert "secret" not in launcher_for("greedy")._environment.values()


async def test_a_program_that_does_not_exist_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="cannot be started"):
        await CommandLauncher((str(tmp_path / "nothing"),), {}).start(URL)


@pytest.mark.slow
async def test_the_end_of_a_program_and_its_words_are_known() -> None:
    program = "import os, sys; print(os.environ['TABIYA_SERVER'], sys.argv[1]); sys.exit(3)"
    launcher = CommandLauncher((sys.executable, "-c", program), {})
    await launcher.start(URL)
    await until(lambda: launcher.ended() is not None and bool(launcher.output()))
    assert launcher.ended() == "exit status 3"
    assert launcher.output() == (f"{URL} {URL}",)
    await launcher.stop()


@pytest.mark.slow
@pytest.mark.parametrize("ignore", ["pass", "signal.signal(signal.SIGTERM, signal.SIG_IGN)"])
async def test_a_program_ends_with_everything_it_has_started(ignore: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.check.launcher.STOP_S", 0.3)
    program = "import signal\n" + PARENT.format(ignore=ignore)
    launcher = CommandLauncher((sys.executable, "-c", program), {})
    await launcher.start(URL)
    await until(lambda: bool(launcher.output()))
    child = int(launcher.output()[0])
    await launcher.stop()
    await until(lambda: not is_running(child))
