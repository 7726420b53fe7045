"""What goes wrong with bots in a long run is counted, whatever it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from scripts.long_runs.checks.bot_logs import Troubles, kind_of, troubles, unusual
from scripts.long_runs.checks.postconditions import Stored
from tabiya.games.registry import names
from tabiya.storage.records import MatchId, MatchRecord, MoveRecord
from tests.scripts.long_runs.test_chaos import match, row

GAME = names()[0]
USUAL = f"""getting ready: rules and engines are compiled the first time, which can take minutes; then they are kept
tabiya: connected to ws://127.0.0.1:46225 as {GAME}-one
tabiya: it seeks matches in {GAME}; Ctrl-C ends it
tabiya: match 1: {GAME}, {GAME}-one against {GAME}-two, 5+0.05
tabiya: match 1: lost, {GAME}-one ran out of time at ply 116
tabiya: the tournament Bullet {GAME} 7 is started
{GAME}-one: 2006 won, 0 drawn, 2038 lost
"""
SERVER = "08:25:20 INFO     match 2: nim begins, nim-one against nim-two\n"


def found(
    folder: Path, text: str = "", server: str = "", *matches: MatchRecord, illegal: int = 0
) -> dict[str, Troubles]:
    """Of these matches and logs."""
    (folder / f"{GAME}-one.log").write_text(USUAL + text)
    (folder / "server.log").write_text(SERVER + server)
    stored = {
        MatchId(number): replace(one, id=MatchId(number)) for number, one in enumerate(matches or (match("line"),), 1)
    }
    moves = (row(0, "a1"), replace(row(1, "a1"), illegal_counts=(illegal, 0)))
    rows: dict[MatchId, tuple[MoveRecord, ...]] = dict.fromkeys(stored, moves)
    return troubles(Stored([], stored, rows, []), folder)


def test_a_run_in_which_nothing_went_wrong_is_sound(tmp_path: Path) -> None:
    of = found(tmp_path)
    assert list(of) == [GAME]
    assert of[GAME].is_sound
    assert str(of[GAME]).startswith("1 games; lost on time 0, by illegal moves 0, by a crash 0; illegal moves 0, ")


@pytest.mark.parametrize(
    ("ending", "kind"),
    [
        ("line", ""), ("draw_agreed", ""), ("aborted", ""), ("time", "time"), ("time_cannot_win", "time"),
        ("illegal_moves", "illegal"), ("abandoned", "crash"), ("resignation", "crash"),
    ],
)  # fmt: skip
def test_how_a_game_was_lost_follows_from_its_end(ending: str, kind: str, tmp_path: Path) -> None:
    assert kind_of(match(ending)) == kind
    of = found(tmp_path, "", "", match(ending))[GAME]
    assert of.lost[kind] == (kind != "")
    assert of.is_sound == (kind in {"", "time"})


def test_a_match_that_the_server_froze_was_lost_by_a_crash() -> None:
    assert kind_of(replace(match("aborted"), frozen_reason="our bug")) == "crash"


def test_an_illegal_move_that_was_forgiven_is_counted(tmp_path: Path) -> None:
    of = found(tmp_path, "", "", match("line"), match("line"), illegal=2)[GAME]
    assert of.illegal_moves == 4
    assert not of.is_sound


@pytest.mark.parametrize(
    ("line", "kind", "sound"),
    [
        ("tabiya: match 8513, ply 112: no answer in time; a legal move is played at random", "moves at random", True),
        ("tabiya: match 8513, ply 112: no answer in time; its clock runs on", "thoughts too late", True),
        ("tabiya: move was refused in match 8513, ply 116: too late. (out_of_time)", "thoughts too late", True),
        ("tabiya: move was refused in match 8513, ply 116: not legal (illegal_move)", "other", False),
        ("tabiya: worker 71 did not answer in time and is killed", "workers killed", False),
        ("tabiya: worker 72 has taken the place of one that is gone", "workers replaced", False),
        ("tabiya: the connection is lost; trying again in 0.2 s", "lines lost", False),
        ("tabiya: connected to ws://127.0.0.1:46225 as again", "lines lost", False),
        ("tabiya: choose failed: ZeroDivisionError", "other", False),
    ],
)
def test_unusual_lines_of_a_bot_are_reported_by_kind(line: str, kind: str, sound: bool, tmp_path: Path) -> None:
    of = found(tmp_path, f"{line}\n")[GAME]
    assert of.unusual == {kind: 1}
    assert of.is_sound == sound
    assert (line in str(of)) != sound


def test_a_warning_of_the_server_is_reported(tmp_path: Path) -> None:
    of = found(tmp_path, "", "08:25:20 ERROR    match 2 is frozen\n")
    assert not of["server"].is_sound
    assert "match 2 is frozen" in str(of["server"])


def test_a_pause_of_the_server_is_counted_and_is_no_failure(tmp_path: Path) -> None:
    of = found(tmp_path, "", "02:11:00 WARNING  the server stood still for 0.272 s (it was paused); no clock ran\n")
    assert of["server"].unusual == {"server paused": 1}
    assert of["server"].is_sound


def test_the_first_connection_is_as_usual() -> None:
    assert list(unusual(USUAL.splitlines())) == []
