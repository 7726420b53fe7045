"""PLAYER texts as bots; the real players in real workers on a real server."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tabiya.bots.client.events import BotError, Event
from tabiya.bots.client.run import run_async
from tabiya.bots.players.spec import PlayerError
from tabiya.bots.pool.errors import WorkerError
from tabiya.bots.pool.make_bot import make_bot
from tabiya.bots.pool.pool_bot import PoolBot
from tabiya.games.registry import names
from tests.live import live_server

OWN = """
from tabiya import Bot

class Mine(Bot):
    version = "3"
    needs_rules = False

    def match_started(self, match):
        self.opponent = match.names[1 - match.seat]

    def choose(self, turn):
        return turn.legal_moves[len(self.opponent) % len(turn.legal_moves)]

class Broken(Bot):
    def __init__(self):
        self.weights = missing

    def choose(self, turn):
        return ""
"""


@pytest.fixture
def own_file(tmp_path: Path) -> str:
    file = tmp_path / "mine.py"
    file.write_text(OWN)
    return str(file)


def test_a_players_text_thinks_in_workers_and_plays_what_it_can() -> None:
    bot = make_bot("pvs:2")
    assert isinstance(bot, PoolBot)
    assert (bot.name, bot.games) == ("pvs:2", names())
    assert make_bot("pvs:2", name="deep", games=("nim",)).games == ("nim",)


@pytest.mark.parametrize("protocol", ["uci", "xboard"])
def test_a_program_is_not_promised_to_think_in_its_opponents_time(protocol: str) -> None:
    with pytest.raises(PlayerError, match="Ponder is for `tabiya match` without a sandbox; leave it out here"):
        make_bot(f"{protocol}:./engine?Ponder=true")


def test_a_users_own_class_runs_in_this_process_unless_workers_are_requested(own_file: str) -> None:
    bot = make_bot(f"{own_file}:Mine", name="my bot")
    assert (type(bot).__name__, bot.name, bot.version) == ("Mine", "my bot", "3")
    assert isinstance(make_bot(f"{own_file}:Mine", workers=2), PoolBot)
    remote = make_bot(f"{own_file}:Mine", remote=object())
    assert isinstance(remote, PoolBot)
    assert remote.name == "Mine"


def test_what_is_no_player_gives_one_sentence() -> None:
    with pytest.raises(PlayerError, match="there is no player 'gredy'"):
        make_bot("gredy")


@pytest.mark.slow
async def test_players_of_the_grammar_play_a_match_in_their_workers(own_file: str) -> None:
    events: list[Event] = []
    async with live_server() as server:
        bots = [make_bot("alphabeta:2", games=("tictactoe",)), make_bot(f"{own_file}:Mine")]
        summaries = await asyncio.gather(
            *(run_async(bot, server.websocket_url, seek="tictactoe", matches=2, listener=events.append) for bot in bots)
        )
    assert [summary.played for summary in summaries] == [2, 2]
    assert not [event for event in events if isinstance(event, BotError)]


@pytest.mark.slow
async def test_a_player_that_cannot_be_made_is_reported_before_it_connects(own_file: str) -> None:
    with pytest.raises(PlayerError, match="NameError: name 'missing' is not defined"):
        make_bot(f"{own_file}:Broken", workers=1)
    with pytest.raises(WorkerError, match="NameError: name 'missing' is not defined") as found:
        await run_async(make_bot(f"{own_file}:Broken", workers=1, games=("nim",)), "localhost:1", seek="nim")
    assert found.value.failure is not None
    assert found.value.failure.lines[-1].text == "self.weights = missing"
