"""`tabiya matches`: listed, shown with the reason of a loss in plain words, and decided by the operator."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from tabiya.api_client.settings import client_settings
from tabiya.api_client.token_files import known_token
from tabiya.protocol.messages import MatchEnded, MatchStarted, Move, MoveInfo, Resign, Seek, Turn
from tabiya.protocol.messages.parts import FROM_BOOK
from tests.live import PlainBot, welcomed
from tests.tabiya.cli.command_runner import Said, ada_and_bob, ask, play_games, plays_one, serving

GAME = "tictactoe"
OPERATOR = "the operator's own"


async def lost_by(
    server: Any, how: str, time: str = "60+0.5", tokens: Mapping[str, str] = MappingProxyType({})
) -> MatchEnded:
    """A match in which the bot called loser loses like that."""
    async with (
        welcomed(server.websocket_url, "loser", token=tokens.get("loser", "")) as loser,
        welcomed(server.websocket_url, "winner", token=tokens.get("winner", "")) as winner,
    ):
        for bot in (loser, winner):
            await bot.say(Seek(game=GAME, time=time))
        waiting = asyncio.ensure_future(plays_one(winner))
        turn = await loser.receives(Turn)
        if how == "illegal":
            for _ in range(3):
                await loser.say(Move(match=turn.match, ply=turn.ply, move="a9"))
        elif how == "book":
            info = MoveInfo(text=FROM_BOOK, depth=3)
            await loser.say(Move(match=turn.match, ply=turn.ply, move=turn.legal_moves[0], info=info))
            await loser.say(Resign(match=turn.match))
        elif how == "resign":
            await loser.say(Resign(match=turn.match))
        elif how == "fail":
            await loser.say(Resign(match=turn.match, failure="KeyError: 'e2'"))
        return await waiting


async def shown(how: str, time: str = "60+0.5") -> Said:
    async with serving() as server:
        ended = await lost_by(server, how, time)
        return await ask("matches", "show", str(ended.match))


async def begun(bot: PlainBot) -> int:
    started: MatchStarted = await bot.receives(MatchStarted)
    return started.match


async def test_a_match_is_shown_with_its_moves_clocks_result_and_position(server: Any) -> None:
    await play_games(server, GAME)
    printed = await ask("matches", "show", "1")
    assert printed.status == 0
    head, start, _, headings, rule, opening, first, *_ = printed.out.splitlines()
    assert head.startswith("match 1: tictactoe, ")
    assert head.endswith(", time control 60+0.5, rated")
    assert start == "start 3x3x3 --------- X; times in seconds"
    assert headings.split()[:5] == ["ply", "player", "move", "clock", "think"]
    assert set(rule) <= {"─", " "}
    assert opening.split()[0] == "0"
    assert opening.endswith("opening")
    assert first.split()[3].startswith("60.")
    result, left, position, _, *board = printed.out.splitlines()[-8:]
    assert result.startswith("result ")
    assert re.fullmatch(r"time left: ada 6\d\.\d{3} s, bob 6\d\.\d{3} s|time left: bob .* s, ada .* s", left)
    assert position.startswith("position 3x3x3 ")
    assert [row.split()[0] for row in board] == ["3", "2", "1", "a"]


async def test_a_bots_version_is_told_from_its_name(server: Any) -> None:
    async with (
        welcomed(server.websocket_url, "Team 1", version="2", seek=(GAME,)) as one,
        welcomed(server.websocket_url, "bob", seek=(GAME,)),
    ):
        head = (await ask("matches", "show", str(await begun(one)))).out.splitlines()[0]
    assert "Team 1 version 2 (" in head


async def test_a_loss_on_time_says_by_how_much() -> None:
    result = await shown("time", time="0.05")
    assert "loser ran out of time against winner" in result.out
    assert "\nreason: loser (X) ran out of time at ply 2: it had 0.05 s, and no move came. If this is " in result.out
    assert re.search(r" UTC with 0\.05 s on its clock, deadline \S+, no move by ", result.out)
    assert re.search(r"time left: loser 0\.000 s, winner 0\.0\d\d s\n", result.out), result.out


async def test_a_move_out_of_a_bots_own_book_says_so() -> None:
    result = await shown("book")
    assert [line for line in result.out.splitlines() if line.endswith("from its book, depth 3")]


async def test_illegal_moves_are_counted_by_player() -> None:
    result = await shown("illegal")
    assert "loser sent too many illegal moves and lost to winner" in result.out
    assert "\nreason: loser (X) sent 3 illegal moves, the last at ply 2: 'a9' is not legal in " in result.out


async def test_a_resigned_match_is_shown_to_people_and_programs_and_in_the_notation_of_its_game() -> None:
    async with serving() as server:
        match = str((await lost_by(server, "resign")).match)
        output, moves, transcript = [
            (await ask("matches", "show", match, *words)).out for words in ((), ("--format", "csv"), ("--transcript",))
        ]
        found = (await ask("matches", "show", match, "--format", "json")).rows
    assert "loser resigned against winner" in output
    assert "reason" not in output
    assert found["result"]["ending"] == "resignation"
    assert found["moves"][0]["opening"]
    assert {"think_ms", "network_ms", "server_ms", "credit_ms"} <= set(found["moves"][0])
    assert moves.startswith("ply,player,move,clock,think,credit,network,server,claimed,sent,arrived,notes\n")
    assert len(moves.splitlines()) == 1 + len(found["moves"])
    assert transcript.startswith('[Event "')
    assert '[Termination "' in transcript


async def test_a_loss_by_the_rules_is_said(server: Any) -> None:
    await play_games(server, "nim")
    (row,) = (await ask("matches", "list", "--format", "json")).rows
    winner = row["result"]["winner_bot"]
    result = await ask("matches", "show", "1")
    assert f"the last object is taken and {winner} wins against " in result.out
    reviewed = (await ask("review", "1")).out.splitlines()
    assert reviewed[0].startswith("match 1: nim, ")
    assert reviewed[1].startswith("chances of ")


async def test_the_error_of_a_program_that_failed_is_shown_to_its_owner_and_the_operator_alone() -> None:
    async with serving(host="0.0.0.0", operator_token=OPERATOR, invite_secret="tulip") as server:
        assert (await ask("register", "loser", "--invite", "tulip")).status == 0
        assert (await ask("register", "winner", "--invite", "tulip")).status == 0
        token, other = [known_token(client_settings().pages, name) for name in ("loser", "winner")]
        match = str((await lost_by(server, "fail", tokens={"loser": token, "winner": other})).match)
        show = ("matches", "show", match)
        kept = await ask(*show)
        asked = [await ask(*show, *words) for words in (("--token", token), ("--operator-token", OPERATOR))]
        refused = [await ask(*show, *words) for words in (("--token", other), ("--operator-token", other))]
        (listed,) = (await ask("matches", "list", "--format", "csv")).out.splitlines()[1:]
    assert ",program failed," in listed
    for printed in (kept, *asked):
        assert printed.out.endswith("\nthe error of its program: KeyError: 'e2'\n")
    for printed in refused:
        assert "\nreason: loser (X) resigned: its program failed\n" in printed.out
        assert (
            "\nthe error of its program is not shown: the token of loser or an operator's is not right" in printed.out
        )
        assert "KeyError" not in printed.out


async def test_a_match_without_clocks_has_no_column_of_clocks() -> None:
    result = await shown("resign", time="none")
    assert "clock" not in result.out.splitlines()[3].split()
    assert "time left" not in result.out


async def test_a_running_match_is_shown_as_it_stands() -> None:
    async with serving() as server, ada_and_bob(server, seek=(GAME,)) as (ada, _):
        match = await begun(ada)
        result = await ask("matches", "show", str(match))
        assert "\nstill running\nposition 3x3x3 " in result.out
        assert (await ask("matches", "list", "--status", "running")).out.splitlines()[2].split()[4] == "running"
        assert (await ask("matches", "list", "--status", "ended")).out == "no such matches\n"


async def test_a_tournaments_match_says_whose_it_is() -> None:
    async with serving() as server, ada_and_bob(server) as (ada, bob):
        await ask("tournament", "create", GAME, "ada", "bob", "--name", "Friday")
        await asyncio.gather(plays_one(ada), plays_one(bob))
        head = (await ask("matches", "show", "1")).out.splitlines()[0]
        assert head.endswith(", rated, tournament 1 (Friday)")


async def test_matches_are_listed_the_newest_first_and_can_be_chosen(server: Any) -> None:
    await play_games(server, GAME, 2)
    await play_games(server, "nim", 1, ("ada", "eve"))
    rows = (await ask("matches", "list")).out.splitlines()[2:-1]
    assert [row.split()[0] for row in rows] == ["3", "2", "1"]
    assert [row.split()[1] for row in rows] == ["nim", GAME, GAME]
    assert await numbers("--game", "nim") == [3]
    assert await numbers("--bot", "eve") == [3]
    assert await numbers("--before", "3") == [2, 1]
    assert await numbers("--limit", "1") == [3]


async def numbers(*words: str) -> list[int]:
    return [row["id"] for row in (await ask("matches", "list", *words, "--format", "json")).rows]


async def test_a_list_fits_a_usual_terminal(server: Any) -> None:
    await play_games(server, GAME, 1, ("alphabeta:2", "my_bot.py:MyBot"))
    for words in (("matches", "list"), ("matches", "show", "1"), ("standings",)):
        result = await ask(*words, columns=80)
        table = [line for line in result.out.splitlines() if not line.startswith(("match 1", "result "))]
        assert max(map(len, table)) <= 80, table


async def test_the_operator_aborts_a_match() -> None:
    async with serving() as server, ada_and_bob(server, seek=(GAME,)) as (ada, _):
        match = await begun(ada)
        assert (
            await ask("matches", "abort", str(match), "--reason", "fire alarm")
        ).out == f"match {match} is aborted\n"
        ended = await ada.receives(MatchEnded)
        assert (ended.ending, ended.score) == ("aborted", None)
        assert "reason: fire alarm" in (await ask("matches", "show", str(match))).out


@pytest.mark.parametrize(("winner", "score"), [("1", 1.0), ("2", 0.0), ("draw", 0.5)])
async def test_the_operator_decides_a_match(winner: str, score: float) -> None:
    async with serving() as server, ada_and_bob(server, seek=(GAME,)) as (ada, _):
        started: MatchStarted = await ada.receives(MatchStarted)
        result = await ask("matches", "adjudicate", str(started.match), winner)
        assert result.out == f"match {started.match} is decided\n"
        ended = await ada.receives(MatchEnded)
        assert ended.ending == "adjudicated"
        assert ended.score == (score if started.seat == 0 else 1 - score)


async def test_a_match_is_played_again_from_its_opening(server: Any) -> None:
    await play_games(server, GAME)
    async with (
        welcomed(server.websocket_url, "ada") as ada,
        welcomed(server.websocket_url, "bob") as bob,
    ):
        result = await ask("matches", "replay", "1")
        assert result.out == "it is played again as match 2\n"
        await asyncio.gather(plays_one(ada), plays_one(bob))
        first, second = [(await ask("matches", "show", number, "--format", "json")).rows for number in "12"]
        assert [move["move"] for move in first["moves"] if move["opening"]] == [
            move["move"] for move in second["moves"] if move["opening"]
        ]


async def test_on_another_machine_the_operators_token_is_asked_for() -> None:
    async with (
        serving(host="0.0.0.0", operator_token="let me in", open_registration=True) as server,
        welcomed(f"ws://127.0.0.1:{server.port}", "ada", seek=(GAME,)) as ada,
        welcomed(f"ws://127.0.0.1:{server.port}", "bob", seek=(GAME,)),
    ):
        match, where = str(await begun(ada)), ("--server", f"http://127.0.0.1:{server.pages_port}")
        assert "needs the operator's token" in (await ask("matches", "abort", match, *where)).sentence
        wrong = await ask("matches", "abort", match, *where, "--operator-token", "guess")
        assert "the operator's token is not right" in wrong.sentence
        assert (await ask("matches", "abort", match, *where, "--operator-token", "let me in")).status == 0
        assert "the match was aborted" in (await ask("matches", "show", match, *where)).out
