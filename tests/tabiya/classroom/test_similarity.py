"""Programs that are alike beneath names and layout are named to the teacher; others are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabiya.classroom.record import Entry, freeze
from tabiya.classroom.similarity import FEWEST_TOKENS, MOST_TOKENS, similar_entries, tokens
from tabiya.classroom.submissions import Submission
from tests.source_rules.sources import ROOT

BOT = """
class Ada(tabiya.Bot):
    # the best corner first
    CORNERS = (0, 7, 56, 63)

    def choose(self, turn):
        best, most = None, -1000
        for move in turn.legal_moves:
            after = turn.position.play(move)
            score = 3 * self.corners(after) - len(after.legal_moves)
            if score > most:
                best, most = move, score
        return best

    def corners(self, position):
        return sum(position.board[corner] == self.seat for corner in self.CORNERS)
"""
RENAMED = (
    BOT.replace("Ada", "Bob").replace("best", "top").replace("score", "value").replace("3 *", "40*")
    .replace("# the best corner first", "").replace("        ", "\t\t").replace("    ", "\t")
)  # fmt: skip
SCRIPT = """function think(turn) {
  let best = turn.legal_moves[0];
  for (const move of turn.legal_moves) if (move > best) best = move;
  return best;
}
"""


def entries(into: Path, **texts: str) -> list[Entry]:
    """A submission for every text; its name says the language."""
    found = []
    for number, (name, text) in enumerate(texts.items(), 1):
        source = into / f"{name}.{'mjs' if text.startswith('function') else 'py'}"
        source.write_text(text)
        found.append(freeze(Submission(name, source), into, number))
    return found


@pytest.mark.slow
def test_renamed_and_laid_out_anew_a_program_is_the_same(tmp_path: Path) -> None:
    found = similar_entries(entries(tmp_path, ada=BOT, bob=RENAMED, cal=SCRIPT * 4), tmp_path)
    assert found == {"ada": "its program is 100 % that of bob", "bob": "its program is 100 % that of ada"}


def test_a_few_changed_lines_are_seen_and_other_languages_read(tmp_path: Path) -> None:
    more = BOT + "    def name(self):\n        return 'mine'\n"
    found = similar_entries(entries(tmp_path, ada=BOT, bob=more, cal=SCRIPT * 4, dan=SCRIPT * 4), tmp_path)
    assert found["cal"] == "its program is 100 % that of dan"
    assert 90 <= int(found["ada"].split()[3]) < 100


def test_of_many_that_are_alike_three_are_named(tmp_path: Path) -> None:
    found = similar_entries(
        entries(tmp_path, **dict.fromkeys(("ada", "bob", "cal", "dan", "eve", "fay"), BOT)), tmp_path
    )
    assert found["dan"] == "its program is 100 % that of ada, 100 % that of bob, 100 % that of cal, 2 more"


def test_short_programs_and_players_of_ours_are_not_compared(tmp_path: Path) -> None:
    short = "class A(tabiya.Bot):\n    def choose(self, turn):\n        return turn.legal_moves[0]\n"
    given = entries(tmp_path, ada=short, bob=short, cal=BOT, dan=BOT)
    given[2].is_staff = True
    given[3].digest = ""
    assert len(tokens(tmp_path / given[0].folder)) < FEWEST_TOKENS
    assert similar_entries([*given, Entry(name="eve", source="eve.py", folder="", problem="broken")], tmp_path) == {}


@pytest.mark.slow
def test_what_is_no_program_or_too_much_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "weights.json").write_text("[1, 2, 3]")
    (tmp_path / "README.md").write_text("# Mine")
    (tmp_path / "weights.bin").write_bytes(bytes(range(256)))
    assert tokens(tmp_path) == []
    (tmp_path / "bot.py").write_text("x = 1\n" * (MOST_TOKENS // 2))
    assert len(tokens(tmp_path)) == MOST_TOKENS


@pytest.mark.slow
def test_modules_that_have_nothing_to_do_with_each_other_are_not_alike(tmp_path: Path) -> None:
    files = [
        path for folder in ("tabiya/match", "tabiya/check", "server/pairing") for path in (ROOT / folder).glob("*.py")
    ]
    assert len(files) > 20
    assert (
        similar_entries([freeze(Submission(str(path), path), tmp_path, at) for at, path in enumerate(files)], tmp_path)
        == {}
    )
