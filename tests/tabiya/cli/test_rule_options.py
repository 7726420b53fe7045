"""`--draw`, `--resign`, `--sprt`, `--max-moves`: one grammar, quoted or not; what is said to those who miss it."""

from __future__ import annotations

import asyncio
import re

import pytest
from msgspec import inspect

from tabiya.cli.rule_options import RULES, read_adjudication, read_sprt, with_rules_joined
from tabiya.errors import UserError
from tabiya.protocol.messages import Move, MoveInfo, Turn
from tabiya.server.core.adjudication import Adjudication, DrawRule, ResignRule
from tabiya.server.ratings.sprt import Sprt
from tests.live import PlainBot
from tests.tabiya.cli.command_runner import ada_and_bob, ask, serving

GAME = "tictactoe"


@pytest.mark.parametrize(
    ("line", "whole"),
    [
        ("a --draw movecount=8 score=10 b", ["a", "--draw=movecount=8 score=10", "b"]),
        ("--sprt elo0=0 elo1=5 --sprt alpha=0.1", ["--sprt=elo0=0 elo1=5", "--sprt=alpha=0.1"]),
        ("--draw=movecount=8 score=10 -n 2", ["--draw=movecount=8 score=10", "-n", "2"]),
        (
            "--resign movecount=3 score=600 twosided=true --draw score=1 movenumber=2",
            ["--resign=movecount=3 score=600 twosided=true", "--draw=score=1 movenumber=2"],
        ),
        ("--draw score=1 twosided=true", ["--draw=score=1", "twosided=true"]),
        ("--draw score 8", ["--draw", "score", "8"]),
        ("uci:x?score=1 score=2", ["uci:x?score=1", "score=2"]),
        ("", []),
    ],
)
def test_the_words_behind_an_option_become_one(line: str, whole: list[str]) -> None:
    assert with_rules_joined(line.split()) == whole


@pytest.mark.parametrize("parted", [" ", ",", ", "])
def test_a_rule_is_read_however_its_words_are_parted(parted: str) -> None:
    draw = parted.join(("movenumber=40", "movecount=8", "score=10"))
    resign = parted.join(("movecount=3", "score=600", "twosided=true"))
    assert read_adjudication(draw, resign, 200) == Adjudication(
        draw=DrawRule(movenumber=40, movecount=8, score=10),
        resign=ResignRule(movecount=3, score=600, twosided=True),
        maxmoves=200,
    )
    assert read_adjudication("", "", 0) is None


@pytest.mark.parametrize("given", [["elo0=-3 elo1=3", "alpha=0.1,beta=0.2"], ["elo0=-3", "elo1=3 alpha=0.1 beta=0.2"]])
def test_a_sequential_test_is_read_however_it_is_written(given: list[str]) -> None:
    assert read_sprt(given) == Sprt(elo0=-3, elo1=3, alpha=0.1, beta=0.2)
    assert read_sprt([*given, "model=logistic"]) == Sprt(elo0=-3, elo1=3, alpha=0.1, beta=0.2, model="logistic")
    assert read_sprt([]) is None


def test_the_words_are_those_of_the_rule() -> None:
    for option, kind in (("--draw", DrawRule), ("--resign", ResignRule), ("--sprt", Sprt)):
        assert RULES[option] == tuple(field.name for field in inspect.type_info(kind).fields)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("draw", "resign", "moves", "sentence"),
    [
        ("movecount=8", "", 0, "--draw needs score, as in --draw movenumber=40 movecount=8 score=10"),
        ("movenumber=8", "", 0, "--draw needs movecount and score, as in --draw movenumber=40 movecount=8 score=10"),
        ("8", "", 0, "--draw takes movenumber=, movecount=, score=, not '8'"),
        ("movecount=0 score=1", "", 0, "--draw: movecount is a whole number from 1 to 1000, not '0'"),
        ("movecount=x score=1", "", 0, "--draw: movecount is a whole number from 1 to 1000, not 'x'"),
        ("movecount=1 score=-1", "", 0, "--draw: score is a whole number from 0 to 30000, not '-1'"),
        ("movecount=1 score=1 score=2", "", 0, "--draw has score twice"),
        ("", "movecount=3 score=0", 0, "--resign: score is a whole number from 1 to 30000, not '0'"),
        ("", "movecount=3 score=6.5", 0, "--resign: score is a whole number from 1 to 30000, not '6.5'"),
        ("", "movecount=3 score=600 twosided=perhaps", 0, "--resign: twosided is true or false, not 'perhaps'"),
        ("", "movenumber=3", 0, "--resign takes movecount=, score=, twosided=, not 'movenumber=3'"),
        ("", "", 10_001, "--max-moves is a whole number from 0 to 10000, not 10001"),
    ],
)
def test_what_is_no_rule_is_one_sentence(draw: str, resign: str, moves: int, sentence: str) -> None:
    with pytest.raises(UserError) as error:
        read_adjudication(draw, resign, moves)
    assert str(error.value) == sentence


async def gloomy(bot: PlainBot) -> None:
    """Plays whatever comes and always says that it is losing."""
    while True:
        turn = await bot.receives(Turn)
        assert turn.legal_moves
        await bot.say(Move(match=turn.match, ply=turn.ply, move=turn.legal_moves[0], info=MoveInfo(score=-700)))


@pytest.mark.slow
async def test_a_tournament_says_its_rule_and_a_match_why_it_was_lost() -> None:
    async with serving() as server, ada_and_bob(server) as (ada, bob):
        words = ["--resign", "movecount=2", "score=600", "--max-moves", "4"]
        assert (await ask("tournament", "create", GAME, "ada", "bob", *words)).status == 0
        playing = [asyncio.ensure_future(gloomy(bot)) for bot in (ada, bob)]
        followed = await ask("tournament", "status", "1", "--follow")
        rule = "lost when a player judges its position -6.00 or worse for 2 moves; drawn after 4 moves each"
        assert f"\na game is {rule}\n" in followed.out
        assert "how games ended: resigned by scores 2\n" in followed.out
        result = await ask("matches", "show", "1")
        assert f"\nadjudicated: {rule}\n" in result.out
        assert "by its own scores " in result.out
        assert re.search(
            r"\nreason: \w+ \([XO]\) judged its own position -6.00 or worse 2 times in a row\n", result.out
        )
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
