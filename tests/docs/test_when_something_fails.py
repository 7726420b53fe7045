"""The page about a bot's first mistakes: each program on it fails as the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.tabiya.cli.command_runner import tabiya

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "when-something-fails.md").read_text("utf-8")
MISTAKES = re.findall(r"## (.+?)\n\n```python\n(.+?)```\n\n```text\n(.+?)```", PAGE, re.DOTALL)
COMMAND = re.findall(r"`tabiya (match my_bot\.py.+?)`", PAGE)[0]
NOT_OF_THE_MISTAKE = ("getting ready", "loading the rules", "Mine against")


@pytest.mark.slow
@pytest.mark.parametrize(("program", "shown"), [case[1:] for case in MISTAKES], ids=[case[0] for case in MISTAKES])
def test_what_the_page_shows_is_what_is_said(
    program: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_bot.py").write_text(program)
    monkeypatch.chdir(tmp_path)
    output = tabiya(*COMMAND.split()).err.splitlines(keepends=True)
    assert "".join(line for line in output if not line.startswith(NOT_OF_THE_MISTAKE)) == shown


def test_the_page_shows_thirteen_mistakes() -> None:
    assert len(MISTAKES) == PAGE.count("\n## ") == 13
