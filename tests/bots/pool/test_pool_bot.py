"""A bot that thinks in workers, against the scripted server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tabiya.bots.client.events import BotError
from tabiya.bots.client.turn import Turn
from tabiya.bots.players.api import MatchInfo, MoveReply
from tabiya.bots.pool.pool_bot import PoolBot, choice_of, mixed_seed, name_from_player, request_now, time_limits_of
from tabiya.protocol.messages import Clocks, MoveAccount, Resign
from tabiya.protocol.messages import Move as MoveMessage
from tests.bots.client.fake_server import GAME, ended, fake_server, started, turn
from tests.bots.client.running_bot import running
from tests.bots.pool.players import FACTORY


def bot_of(player: str, reports: list[str] | None = None, **options: Any) -> PoolBot:
    lines: list[str] = [] if reports is None else reports
    return PoolBot(player, name="amy", factory=FACTORY, path=(str(Path.cwd()),), report=lines.append, **options)


@pytest.mark.slow
async def test_a_match_is_played_by_the_workers_and_the_replay_learns_what_they_thought() -> None:
    bot = bot_of("lot", seed=5)
    async with fake_server() as server, running(bot, server, seek=GAME, matches=1) as run:
        peer = await server.connection()
        hello = await peer.welcome()
        assert (hello.name, hello.legal_moves) == ("amy", True)
        await peer.send(started())
        await peer.receive()  # unseek
        await peer.send(turn())
        move = await peer.expect(MoveMessage)
        assert move.move in ("a1", "b2", "c3")
        assert move.info is not None
        assert move.info.text.startswith("pid ")
        await peer.send(ended())
        assert (await run.result()).won == 1


@pytest.mark.slow
async def test_the_workers_are_warm_before_the_bot_is_seen_and_gone_after_it() -> None:
    bot = bot_of("lot", workers=2)
    async with fake_server() as server:
        async with running(bot, server, seek=GAME):
            await (await server.connection()).welcome()
            assert len(bot.pool.pids) == 2
        with pytest.raises(AssertionError):
            _ = bot.pool


@pytest.mark.slow
async def test_a_failing_player_is_reported_with_the_traceback_of_its_worker() -> None:
    async with fake_server() as server, running(bot_of("fails"), server) as run:
        peer = await server.connection()
        await peer.welcome()
        await peer.send(turn())
        await peer.expect(Resign)
        text = str(run.received(BotError)[0])
        assert ": choose failed in match 1, " in text
        assert "\nZeroDivisionError: " in text
        assert "players.py" in text
        assert "pool.py" not in text


@pytest.mark.slow
async def test_the_end_of_a_match_frees_its_worker() -> None:
    reports: list[str] = []
    bot = bot_of("listens", reports)
    async with fake_server() as server, running(bot, server, at_once=2):
        peer = await server.connection()
        await peer.welcome()
        await peer.send(started(1), turn(1), ended(1), turn(2, move_limit_ms=400, time_control="0.4/move"))
        move = await peer.expect(MoveMessage)
        assert move.match == 2
        assert reports == []


def test_a_question_has_the_clocks_as_they_are_now() -> None:
    clocks = Clocks(you=10_000, opponent=5_000)
    message = turn(clock_ms=clocks, move_limit_ms=10_000, increment_ms=200, moves_to_go=7, draw_offered=True)
    asked = Turn(message, received=100.0, clock=lambda: 103.0)
    limits = time_limits_of(asked)
    request = request_now(asked, MatchInfo(match=1, game=GAME, seed=9, options={"k": 3}), limits)
    assert (request.remaining_ms, request.opponent_ms, request.move_limit_ms) == (7_000, 5_000, 7_000)
    assert request.budget_s == limits.think_s < 3.5
    assert request.options == {"k": 3}
    for name in set(request.__struct_fields__) & set(message.__struct_fields__) - {"move_limit_ms"}:
        assert getattr(request, name) == getattr(message, name), name
    assert request.legal_moves == ("a1", "b2", "c3")


def test_the_measured_network_shortens_the_thought() -> None:
    account = MoveAccount(server_ms=0, network_ms=100, think_ms=0, credit_ms=0)
    far = Turn(turn(last_move_account=account), 0.0, clock=lambda: 0.0)
    near = Turn(turn(), 0.0, clock=lambda: 0.0)
    assert time_limits_of(far).answer_s == pytest.approx(time_limits_of(near).answer_s - 0.1)


def test_seeds_differ_by_match_and_ply_and_not_by_run() -> None:
    assert mixed_seed(1, 2) == mixed_seed(1, 2) == 2277188503
    assert len({mixed_seed(0, match, ply) for match in range(10) for ply in range(10)}) == 100


@pytest.mark.parametrize(("offered", "draw"), [(True, True), (False, False)])
def test_a_draw_is_accepted_only_when_it_is_offered(offered: bool, draw: bool) -> None:
    asked = Turn(turn(draw_offered=offered), 0.0)
    assert choice_of(MoveReply(move="a1", accept_draw=True), asked).offer_draw is draw


@pytest.mark.parametrize(
    ("player", "name"),
    [
        ("pvs:6", "pvs:6"),
        ("uci:/usr/bin/engine --flag=1", "uci:/usr/bin/engine---flag-1"),
        ("x" * 99, "x" * 40),
        ("../_my.py:Bot", "my.py:Bot"),
        ("alphabeta:2@1s", "alphabeta:2@1s"),
    ],
)
def test_a_player_without_a_name_is_called_by_its_text(player: str, name: str) -> None:
    assert name_from_player(player) == name
