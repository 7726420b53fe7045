"""A file of positions: each judged by who had to move, the same from the same seed, and gone on with where it ended."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tabiya.bots.client.events import silent
from tabiya.games.registry import load_game
from tabiya.match.executors.executor import LocalExecutor
from tabiya.match.executors.spread import Spread
from tabiya.match.participants import MatchFailed
from tabiya.match.plan import MatchPlan
from tabiya.match.training_data import DataFile, terms_of, write_data
from tests.tabiya.cli.command_runner import tabiya

JUDGE = """
from tabiya import Bot, Choice
from tabiya.protocol.messages import MoveInfo

class Judge(Bot):
    async def choose(self, turn):
        move = turn.legal_moves[turn.match % len(turn.legal_moves)]
        return Choice(move, info=MoveInfo(score=100 * turn.ply + turn.seat, depth=3))
"""


@pytest.fixture
def plan(in_process: tuple[str, str], tmp_path: Path) -> MatchPlan:
    file = tmp_path / "judge.py"
    file.write_text(JUDGE)
    return MatchPlan((f"{file}:Judge", f"{file}:Judge"), "tictactoe", 3, "none", paired=False)


async def written(path: Path, plan: MatchPlan, stop: Callable[[DataFile], bool] = lambda file: False) -> list[str]:
    """The lines of the file after it was written or gone on with. stop: whether it is stopped there."""
    executor = LocalExecutor(1)
    with DataFile(path, terms_of(plan)) as file:

        def progress() -> None:
            if stop(file):
                raise KeyError

        try:
            await write_data(Spread(executor), plan, file, silent, progress)
        except KeyError:
            pass
        finally:
            await executor.close()
    return lines_of(path)


def lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines()


@pytest.mark.slow
async def test_positions_have_the_score_of_their_move_and_the_result_of_their_game(
    plan: MatchPlan, tmp_path: Path
) -> None:
    first, *lines = map(json.loads, await written(tmp_path / "data.jsonl", plan))
    assert (first["format"], first["game"], first["player"], first["time_control"]) == (
        1, "tictactoe", plan.players[0], "none",
    )  # fmt: skip
    assert [line["number"] for line in lines] == list(range(6))
    rules, results = load_game("tictactoe"), set()
    for line in lines:
        at = rules.parse(line["positions"][0]["position"])
        for position in line["positions"]:
            assert at.text() == position["position"]
            assert position["score"] == 100 * position["ply"] + at.to_move
            assert position["depth"] == 3
            assert "nodes" not in position
            assert position["result"] == {None: 0.5, at.to_move: 1.0}.get(line["winner"], 0.0)
            at = at.play(position["move"])
            results.add(position["result"])
        outcome = at.outcome()
        assert outcome is not None
        assert (outcome.winner, outcome.ending) == (line["winner"], line["ending"])
    assert results >= {0.0, 1.0}
    starts = [line["positions"][0]["position"] for line in lines]
    assert len(set(starts)) == 6  # each game has an opening of its own


@pytest.mark.slow
async def test_a_file_that_was_stopped_goes_on_to_the_same_games(plan: MatchPlan, tmp_path: Path) -> None:
    whole = await written(tmp_path / "whole.jsonl", plan)
    path = tmp_path / "stopped.jsonl"
    assert await written(path, plan, lambda file: len(file.numbers) == 2) == whole[:3]
    assert await written(path, plan) == whole


@pytest.mark.slow
async def test_a_file_of_other_games_is_left_as_it_is(plan: MatchPlan, tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    for text in ("1,2,3\n", "a letter to my aunt", '{"format":1}\n'):
        path.write_text(text)
        with pytest.raises(MatchFailed, match="was not written by `tabiya data`; name another file"):
            await written(path, plan)
        assert path.read_text() == text
    path.unlink()
    await written(path, replace(plan, pairs=1))
    for other, option in (
        (replace(plan, seed=1), r"--seed \(was not given\)"),
        (replace(plan, emergency_moves=True), "--openings, --draw, --resign, --max-moves or --on-failure"),
    ):
        with pytest.raises(MatchFailed, match=f"has games with other options: {option}; name another file"):
            await written(path, other)
    with path.open("a") as file:
        file.write('{"number": "two"}\n')
    with pytest.raises(MatchFailed, match=r"line 4 of .*data\.jsonl is not a game: "):
        await written(path, plan)


@pytest.mark.slow
def test_the_command_writes_the_same_file_again_and_goes_on_with_it(tmp_path: Path) -> None:
    words = ["-g", "nim", "--format", "json", "--workers"]
    texts = []
    for workers in ("1", "2"):
        path = tmp_path / f"{workers}.jsonl"
        [row] = tabiya("data", "pvs:200nodes", str(path), *words, workers, "-n", "4").rows
        assert (row["games"], row["new_games"]) == (4, 4)
        texts.append(sorted(path.read_text().splitlines()))
        assert row["positions"] == sum(line.count('"ply"') for line in texts[-1])
    assert texts[0] == texts[1]
    positions = [position for line in texts[0] for position in json.loads(line).get("positions", ())]
    assert {position["nodes"] <= 200 + 256 for position in positions if "nodes" in position} == {True}
    [row] = tabiya("data", "pvs:200nodes", str(tmp_path / "2.jsonl"), *words, "1", "-n", "6").rows
    assert (row["games"], row["new_games"]) == (6, 2)


FAILS = """
from tabiya import Bot

class Fails(Bot):
    def choose(self, turn):
        if turn.ply >= {ply} and turn.match % 2 >= {parity}:
            raise RuntimeError("never learned")
        return turn.legal_moves[0]
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ply", "parity", "status", "says", "kept"),
    [
        (0, 0, 1, "failed in 4 of 4 games", 0),
        (3, 0, 1, "failed in 4 of 4 games", 4),
        (0, 1, 0, "failed in 2 of 4 games", 2),
    ],
)
def test_a_player_that_fails_in_every_game_is_an_error(
    ply: int, parity: int, status: int, says: str, kept: int, tmp_path: Path
) -> None:
    file = tmp_path / "fails.py"
    file.write_text(FAILS.format(ply=ply, parity=parity))
    text = tabiya("data", f"{file}:Fails", str(tmp_path / "x.jsonl"), "-g", "tictactoe", "-n", "4", "--format", "json")
    assert text.status == status, text.err
    assert text.err.endswith(f"{says}\n")
    assert text.rows[0]["games"] == kept


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("pvs:3 {}/x.jsonl -g nim --workers two", "--workers: workers are a number of processes of this machine, 1 to"),
        ("pvs:3 {}/no/x.jsonl -g nim", "no/x.jsonl cannot be written: No such file or directory"),
        ("uci:x {}/x.jsonl -g nim", "nim"),
        ("alphabeta:50nodes {}/x.jsonl -g nim", "'alphabeta:50nodes' is not understood: alphabeta takes a depth"),
    ],
)
def test_what_cannot_be_played_is_one_sentence(words: str, sentence: str, tmp_path: Path) -> None:
    assert sentence in tabiya("data", *words.format(tmp_path).split()).sentence
