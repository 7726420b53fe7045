"""The round robin of the levels: who is entered, that it is the same every time, and what is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import strength
from benchmarks.strength import (
    MARKS,
    Meeting,
    Row,
    is_fixed,
    meetings,
    openings,
    play_both,
    players_of,
    table,
    write_page,
)
from scripts.docs.markdown import marks
from tabiya.bots.players.catalogue import levels_of
from tabiya.games.registry import names

BEGIN, END = marks(MARKS)


def test_only_players_that_depend_on_no_clock_are_entered() -> None:
    assert [text for text in ("random", "pvs:3", "pvs", "pvs:2s", "pvs:3@1s", "perfect-nim") if is_fixed(text)] == [
        "random",
        "pvs:3",
        "perfect-nim",
    ]
    for game in names():
        assert "strong" not in players_of(game)
        assert next(iter(players_of(game))) == "random"


def test_every_two_players_meet_on_the_same_openings() -> None:
    todo = list(meetings("nim", {"a": "random", "b": "greedy", "c": "alphabeta:1"}, 3, 1))
    assert len(todo) == 3 * 3
    assert len({meeting.players for meeting in todo}) == 3
    starts: dict[tuple[str, str], list[str]] = {meeting.players: [] for meeting in todo}
    for meeting in todo:
        starts[meeting.players].append(meeting.start_text)
    assert len({tuple(texts) for texts in starts.values()}) == 1


def test_a_game_with_a_book_takes_its_openings_and_others_are_drawn() -> None:
    assert len(set(openings("reversi", 5, 1))) == 5
    assert openings("reversi", 5, 1) == openings("reversi", 5, 1) != openings("reversi", 5, 2)
    assert len(openings("tictactoe", 20, 1)) == 20


def test_the_same_meeting_is_played_the_same_again() -> None:
    start, moves = openings("tictactoe", 1, 1)[0]
    meeting = Meeting("tictactoe", ("random", "greedy"), start, moves, 5)
    assert play_both(meeting) == play_both(meeting)


@pytest.mark.slow
def test_levels_are_played_rated_and_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Head\n{BEGIN}\n{END}\ntail\n")
    strength.main(["--games", "nim", "--pairs", "2", "--format", "json", "--page", str(page)])
    rows = json.loads(capsys.readouterr().out)
    assert [row["level"] for row in rows] == list(players_of("nim"))
    assert rows[0]["elo"] == 0
    assert rows[-1]["elo"] > 0
    assert rows[0]["games"] == 2 * 2 * (len(rows) - 1)
    assert "### Nim" in page.read_text()


def test_a_page_keeps_what_is_about_other_games(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"head\n{BEGIN}\n\n### Nim\n\nold\n\n{END}\ntail\n")
    write_page(page, {"reversi": "new"})
    tables = "### Nim\n\nold\n\n### Reversi\n\nnew"
    assert page.read_text() == f"head\n{BEGIN}\n\n{tables}\n\n{END}\ntail\n"
    page.write_text("nothing")
    with pytest.raises(ValueError, match="not one place"):
        write_page(page, {})


def test_a_table_says_how_far_a_level_is_above_the_one_before() -> None:
    rows = [Row("g", "one", "pvs:1", 0, 0, None, 8, 0.25), Row("g", "two", "pvs:2", 90, 40, 90, 8, 0.75)]
    assert table(rows).splitlines()[-1] == "| `two` | `pvs:2` | 90 | 40 | +90 | 8 | 75.0% |"


def test_the_ratings_that_the_roster_knows_are_those_of_the_page() -> None:
    page = (Path(strength.__file__).parents[1] / "docs" / "measurements" / "strength.md").read_text("utf-8")
    for game in names():
        for level in levels_of(game):
            assert level.elo is None or f"| `{level.name}` | {level.elo} |" in page
