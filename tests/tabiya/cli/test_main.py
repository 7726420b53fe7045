"""The command line as a whole: its commands, its help, and how it says what was wrong."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import packages_distributions, requires

import pytest
import typer
from packaging.requirements import Requirement

from tabiya import __version__
from tabiya.cli import main as main_module
from tabiya.cli.main import COMMANDS, OPTIONAL_PACKAGES, assemble
from tabiya.errors import PIPE_CLOSED, UserError
from tests.live import ROOT
from tests.tabiya.cli.command_runner import tabiya


def registered(words: Sequence[str] = ()) -> list[str]:
    """The commands that are loaded for these words."""
    group = typer.main.get_command(assemble(words))
    return list(getattr(group, "commands"))  # noqa: B009  # typer types it as a plain command


def does(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Make every command raise this."""

    def fail(words: Sequence[str]) -> typer.Typer:
        raise error

    monkeypatch.setattr(main_module, "assemble", fail)


def test_every_command_of_the_table_is_registered_under_its_name() -> None:
    assert registered() == list(COMMANDS)


def test_what_is_listed_of_each_command_is_what_it_says_itself() -> None:
    listed, loaded = (typer.main.get_command(assemble(words)) for words in (["--help"], None))
    lines = [{name: one.help for name, one in group.commands.items()} for group in (listed, loaded)]  # type: ignore[attr-defined]
    assert lines[0] == lines[1]


def test_every_command_has_help_and_a_page_in_the_reference() -> None:
    page = (ROOT / "docs/reference/command-line.md").read_text()
    for name in COMMANDS:
        assert tabiya(name, "--help").status == 0
        assert f"\n## tabiya {name}" in page


def test_only_the_command_that_is_asked_for_is_loaded() -> None:
    assert registered(["standings", "--format", "json"]) == ["standings"]


def test_without_a_word_the_help_is_printed() -> None:
    result = tabiya()
    assert result.status == 0
    assert all(name in result.out for name in COMMANDS)
    assert result.out == tabiya("-h").out


def test_a_group_of_commands_without_a_command_lists_them() -> None:
    result = tabiya("matches")
    assert result.status == 2
    assert "adjudicate" in result.err


def test_the_version_is_printed_and_is_that_of_the_package() -> None:
    assert tabiya("--version") == (0, f"tabiya {__version__}\n", "")
    assert f'\nversion = "{__version__}"\n' in (ROOT / "pyproject.toml").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("perff",), "no such command 'perff'. Did you mean 'perft'? (see: tabiya --help)"),
        (("perft",), "missing argument 'game' (see: tabiya perft --help)"),
        (("perft", "nim", "deep"), "invalid value for 'depth': it should be a valid integer"),
        (("perft", "nim", "1000"), "invalid value for 'depth': it should be less than or equal to 40"),
        (("perft", "nim", "-1"), "no such option: -1"),
        (("perft", "nim", "1", "--deep"), "no such option: --deep"),
        (("perft", "nim", "1", "--format", "xml"), "invalid value for '--format'"),
        (("matches", "show", "0"), "invalid value for 'match': it should be greater than or equal to 1"),
        (("matches", "burn", "1"), "no such command 'burn'"),
        (("bot", "greedy", "--concurrency", "65"), "invalid value for '--concurrency'"),
        (("serve", "--port", "x"), "invalid value for '--port'"),
        (("play", "greedy"), "missing option '--game' / '-g' (see: tabiya play --help)"),
    ],
)
def test_words_that_are_no_command_are_answered_with_one_sentence(words: tuple[str, ...], sentence: str) -> None:
    result = tabiya(*words)
    assert result.status == 2
    assert result.out == ""
    assert sentence in result.sentence
    assert result.sentence.endswith(" --help)")


def test_a_sentence_with_an_escape_sequence_does_not_command_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    does(monkeypatch, UserError("there is no bot \x1b[2J\x9bm\ncalled so"))
    assert tabiya("standings").sentence == "there is no bot \\x1b[2J\\x9bm\\ncalled so"


def test_a_package_that_is_not_installed_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    does(monkeypatch, ModuleNotFoundError("No module named 'numba.core'", name="numba.core"))
    assert 'needs the package numba.core; install it with: pip install "tabiya[all]"' in tabiya("perft").sentence


def test_every_package_that_an_extra_installs_is_one_that_may_be_missing() -> None:
    needed = [Requirement(text) for text in requires("tabiya") or () if re.search(r"extra == .(engine|server)\b", text)]
    extras = {requirement.name for requirement in needed if requirement.name != "tabiya"}
    imported = {name for name, of in packages_distributions().items() if extras & {one.replace("_", "-") for one in of}}
    # of these the absence is dealt with: asyncio's own loop in place of uvloop, another sentence for pyseccomp
    assert imported - OPTIONAL_PACKAGES == {"uvloop", "pyseccomp"}


def test_another_missing_module_is_our_own_fault_and_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    does(monkeypatch, ModuleNotFoundError("No module named 'tabiya.clu'", name="tabiya.clu"))
    with pytest.raises(ModuleNotFoundError):
        tabiya("perft")


def test_ctrl_c_says_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    does(monkeypatch, KeyboardInterrupt())
    result = tabiya("perft")
    assert (result.status, result.sentence) == (130, "stopped")


def test_a_reader_that_has_had_enough_is_no_error() -> None:
    program = "import sys; from tabiya.cli.main import main; sys.stdin.read(); main(['perft', '--help'])"
    command = [sys.executable, "-c", program]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin and process.stdout and process.stderr  # noqa: PT018
        process.stdout.close()
        process.stdin.close()
        assert process.stderr.read() == b""
    assert process.returncode == PIPE_CLOSED


def test_a_terminated_command_ends_as_the_shell_expects() -> None:
    program = (
        "import signal, os; from tabiya.cli import main as m\n"
        "try: m._end_cleanly(); os.kill(os.getpid(), signal.SIGTERM)\n"
        "finally: print('put away')"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (128 + signal.SIGTERM, "put away\n", "")
