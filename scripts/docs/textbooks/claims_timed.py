"""Claims about time, judged from what benchmarks/textbook.py has measured and kept."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from scripts.docs.textbooks.judged import Changed, Verdict, Word, claim, judged

RESULTS = Path(__file__).parents[3] / "docs/measurements/textbooks_measured.json"
MEASURE = "python -m benchmarks.textbook --only"
HEADLINE = "good evaluation without search / poor evaluation with search"  # as benchmarks/textbook.py calls it
LARGE = "20x20, 0.05 s"  # board and time a move of the matches that ask more than one question


@functools.cache
def measured() -> dict[str, Any]:
    """Everything measured, by part; each part has machine and date."""
    found: dict[str, Any] = json.loads(RESULTS.read_text("utf-8"))
    return found


def part(name: str) -> dict[str, Any]:
    """One part without machine and date. Raises Changed if it was never measured."""
    if name not in measured():
        raise Changed(f"{name} was not measured: run python -m benchmarks.textbook --only {name} --write")
    return {key: value for key, value in measured()[name].items() if key not in ("machine", "date")}


@claim("three-to-four-levels", "000", "minimax can search only 3-4 levels in a reasonable time",
       f"{MEASURE} depth", timed=True)  # fmt: skip
def _three_to_four() -> Verdict:
    depth = part("depth")
    printed = {game: depth[f"{game} minimax"]["book"] for game in ("reversi", "chess", "connect5")}
    twins = {game: depth[f"{game} minimax"]["twin"] for game in printed}
    return judged(
        Word.TRUE,
        printed["chess"] <= 4,
        f"plies of minimax that one second is enough for, median of three positions: as printed in Python "
        f"{_told(printed)}; compiled {_told(twins)}",
    )


@claim("depth-in-a-second", "000, 001", "how deep each algorithm gets in the same time",
       f"{MEASURE} depth", timed=True)  # fmt: skip
def _depth() -> Verdict:
    depth = part("depth")
    told = []
    for game in ("reversi", "chess"):
        names = {key.removeprefix(f"{game} "): value for key, value in depth.items() if key.startswith(f"{game} ")}
        told.append(f"{game}: " + ", ".join(f"{name} {value['twin']:g}" for name, value in names.items()))
    best = max(
        depth["reversi pvs-failhard by evaluation"]["twin"], depth["reversi alphabeta-failhard by evaluation"]["twin"]
    )
    gain = best - depth["reversi minimax"]["twin"]
    return judged(
        Word.TRUE,
        gain >= 2,
        f"plies in one second, compiled: {'; '.join(told)}",
    )


@claim("two-moves-ahead", "004", "on 20x20 a program hardly searches more than 2 moves ahead in the time allotted",
       f"{MEASURE} move_times", timed=True)  # fmt: skip
def _two_moves() -> Verdict:
    times, speed = part("move_times"), part("speed")
    moves = times["greedy by evaluating every board"]["nodes"] - 1
    two, near = times["minimax, 2 plies"], times["alpha-beta, 3 plies, near the stones (2)"]
    printed_s = two["nodes"] / speed["connect5-fours minimax"]["book"]
    three_s, four_s = moves * two["ms"] / 1000, moves**2 * two["ms"] / 1000
    return judged(
        Word.CONDITION,
        printed_s * moves > 60 and four_s > 600 and near["ms"] < 1000,
        f"minimax over all {moves:,} moves: {two['nodes']:,} positions at 2 plies, about {printed_s:.0f} s as printed "
        f"and {two['ms']:g} ms compiled; a third ply multiplies that by the moves, to {printed_s * moves / 60:.0f} "
        f"minutes and {three_s:.0f} s, a fourth to {four_s / 3600:.1f} hours compiled. With alpha-beta and only moves "
        f"near the stones 3 plies take {near['ms']:g} ms",
    )


@claim("time-of-searching", "004", "adding minimax took a move from 18 to 58 seconds; the winner took 1",
       f"{MEASURE} move_times", timed=True)  # fmt: skip
def _time_of_searching() -> Verdict:
    times = part("move_times")
    gains, boards, two = (
        times[name]["ms"]
        for name in ("greedy by what a move changes", "greedy by evaluating every board", "minimax, 2 plies")
    )
    return judged(
        Word.TRUE,
        gains < boards < two,
        f"milliseconds a move on 20x20 with 30 stones, compiled: {gains:g} judging moves by what they change, "
        f"{boards:g} evaluating every board, {two:g} with a second ply: a factor of {two / boards:.0f} for the whole "
        "board, where his 3 must have left moves out; from the fastest to the slowest it is "
        f"{two / gains:,.0f}",
    )


@claim("alpha-beta-shaves", "004", "alpha-beta would shave off maybe 10 of 58 seconds",
       f"{MEASURE} move_times", timed=True)  # fmt: skip
def _shaves() -> Verdict:
    times = part("move_times")
    whole, cut = times["minimax, 2 plies"], times["alpha-beta, 2 plies"]
    near = times["alpha-beta, 2 plies, near the stones (2)"]
    return judged(
        Word.HALF,
        cut["ms"] < 0.8 * whole["ms"],
        f"2 plies on 20x20, all moves, unordered: {whole['ms']:g} ms without, {cut['ms']:g} ms with alpha-beta "
        f"({1 - cut['ms'] / whole['ms']:.0%} less, where 10 of 58 is 17%); near the stones {near['ms']:g} ms",
    )


@claim("whole-board", "004", "revisit unnecessary computation: the value of a move needs no value of the board",
       f"{MEASURE} move_times", timed=True)  # fmt: skip
def _whole_board() -> Verdict:
    times = part("move_times")
    gains, boards = times["greedy by what a move changes"], times["greedy by evaluating every board"]
    return judged(
        Word.TRUE,
        gains["ms"] < boards["ms"],
        f"a greedy move on 20x20: {gains['ms']:g} ms by changes against {boards['ms']:g} ms by whole boards, compiled "
        f"({boards['ms'] / gains['ms']:.1f} times the time, the call from Python included); "
        f"{gains['ms_as_printed']:g} against {boards['ms_as_printed']:g} ms as printed",
    )


@claim("smarter-is-slower", "004", "making the board evaluator smarter generally makes it slower",
       f"{MEASURE} speed", timed=True)  # fmt: skip
def _smarter() -> Verdict:
    speed = part("speed")
    smart, simple = speed["connect5 minimax"]["twin"], speed["connect5-fours minimax"]["twin"]
    return judged(
        Word.TRUE,
        smart < simple,
        f"Connect 5: {simple:,} nodes a second with fours, threes and twos, {smart:,} with the evaluation our players "
        "use, which beats it (see the matches below)",
    )


@claim("evaluator-or-search", "004", "in the time given a good board evaluator is better than searching ahead",
       f"{MEASURE} matches", timed=True)  # fmt: skip
def _evaluator() -> Verdict:
    found = part("matches")
    sizes = [(name.split(":")[0], match) for name, match in found.items() if name.endswith(HEADLINE)]
    short = [match for name, match in sizes if name.startswith("20x20")]
    same = found[f"{LARGE}: poor evaluation without search / the same with search"]
    return judged(
        Word.CONDITION,
        short[-1]["percent"] > 80 and short[-1]["percent"] > short[0]["percent"] and same["percent"] < 40,
        "the good evaluator without search against fours, threes and twos with search, by board and time a move: "
        f"{'; '.join(f'{name}: {_score(match)}' for name, match in sizes)}. It is true where time is short for the "
        "board: the less there is, the clearer. With time enough search makes up for the evaluator; of two with the "
        f"same evaluator the one that searches wins ({_score(_turned(same))})",
    )


@claim("near-the-stones", "004", "searching only near placed pieces: not guaranteed to be a lousy approach",
       f"{MEASURE} matches move_times", timed=True)  # fmt: skip
def _near() -> Verdict:
    found, times = part("matches"), part("move_times")
    near = found[f"{LARGE}: near the stones (2) / all moves, poor evaluation with search"]
    nearer = found[f"{LARGE}: touching a stone (1) / near the stones (2), poor evaluation with search"]
    whole, few = times["alpha-beta, 2 plies"], times["alpha-beta, 2 plies, near the stones (2)"]
    return judged(
        Word.TRUE,
        near["percent"] > 60,
        f"20x20, 2 plies: {few['nodes']:,} nodes instead of {whole['nodes']:,}, {few['ms']:g} ms instead of "
        f"{whole['ms']:g}. At equal time radius 2 scores {_score(near)} against all moves, radius 1 {_score(nearer)} "
        "against radius 2",
    )


@claim("compiled-twins", "(ours)", "the compiled twins visit at least 50 times as many nodes a second",
       f"{MEASURE} speed", timed=True)  # fmt: skip
def _speed() -> Verdict:
    told, slow = [], []
    speed = part("speed")
    for game in dict.fromkeys(key.split()[0] for key in speed):
        worst = min(value["times"] for key, value in speed.items() if key.startswith(f"{game} "))
        told.append(f"{game} {worst}")
        slow += [game] * (worst < 50)
    books = [value["book"] for value in speed.values()]
    return judged(
        Word.CONDITION if slow else Word.TRUE,
        len(slow) <= 1,
        f"the worst of three runs and four algorithms, in CPU time: {', '.join(told)} times the {min(books):,} to "
        f"{max(books):,} nodes a second of the listings as printed. Both forms call the same compiled evaluation, so "
        "where that takes most of a twin's time (the players' evaluation of 15x15 points) the listing gains too",
    )


def _score(match: dict[str, Any]) -> str:
    return f"{match['percent']:g} % ± {match['error']:g} ({match['games']} games)"


def _turned(match: dict[str, Any]) -> dict[str, Any]:
    return match | {"percent": round(100 - match["percent"], 1)}


def _told(plies: dict[str, float]) -> str:
    return ", ".join(f"{game} {count:g}" for game, count in plies.items())
