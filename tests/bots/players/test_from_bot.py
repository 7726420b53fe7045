from __future__ import annotations

import pytest

from tabiya.bots.client.bot import Bot
from tabiya.bots.client.choice import Choice
from tabiya.bots.client.turn import Turn
from tabiya.bots.players.api import MatchInfo, MoveReply, MoveRequest, Player
from tabiya.bots.players.from_bot import BotPlayer
from tabiya.bots.pool.warmup import warm
from tabiya.protocol.messages import MoveInfo

REQUEST = MoveRequest(
    match=3,
    game="tictactoe",
    seat=1,
    ply=5,
    position="p",
    history_position="h",
    history_moves=("a1",),
    legal_moves=("b2", "c3"),
    remaining_ms=5_000,
    opponent_ms=4_000,
    move_limit_ms=5_000,
    budget_s=2.0,
)


class Looks(Bot):
    def choose(self, turn: Turn) -> Choice:
        assert (turn.match, turn.seat, turn.ply, turn.position_text) == (3, 1, 5, "p")
        assert (turn.clock_ms, turn.opponent_clock_ms) == (5_000, 4_000)
        assert 0 < turn.time_left <= 2.0
        return Choice(turn.legal_moves[1], info=MoveInfo(depth=4), offer_draw=True)


class Waits(Bot):
    async def choose(self, turn: Turn) -> str:
        return turn.legal_moves[0]


def test_a_bot_answers_requests() -> None:
    player = BotPlayer(Looks())
    assert isinstance(player, Player)
    player.new_match(MatchInfo(match=3, game="tictactoe"))
    assert player.choose(REQUEST) == MoveReply(move="c3", depth=4, offer_draw=True)


def test_what_a_bot_says_of_its_thought_is_made_to_fit_as_in_a_match() -> None:
    class Measures(Bot):
        def choose(self, turn: Turn) -> Choice:
            return Choice("b2", info=MoveInfo(depth=4.5, nodes=-1, text=7))  # type: ignore[arg-type]  # as bots do

    assert BotPlayer(Measures()).choose(REQUEST) == MoveReply(move="b2", depth=4, text="7")


def test_a_bot_gets_ready_once_before_it_is_asked() -> None:
    class Prepares(Bot):
        def __init__(self) -> None:
            self.calls: list[object] = []

        async def prepare(self, games: tuple[str, ...]) -> None:
            self.calls.append(games)

        def choose(self, turn: Turn) -> str:
            self.calls.append("choose")
            return "b2"

    bot = Prepares()
    player = BotPlayer(bot)
    warm(player, ("nim", "tictactoe"))
    player.new_match(MatchInfo(match=3, game="tictactoe"))
    player.choose(REQUEST)
    assert bot.calls == [("nim", "tictactoe"), "choose"]
    late = Prepares()
    BotPlayer(late).new_match(MatchInfo(match=3, game="tictactoe"))  # one more, for a second match at once
    assert late.calls == [("tictactoe",)]


def test_an_async_bot_answers_requests() -> None:
    assert BotPlayer(Waits()).choose(REQUEST).move == "b2"


def test_a_stopped_bot_sees_it_in_its_turn() -> None:
    turns: list[Turn] = []

    class Keeps(Bot):
        def choose(self, turn: Turn) -> str:
            turns.append(turn)
            return "b2"

    player = BotPlayer(Keeps())
    player.stop()
    player.choose(REQUEST)
    player.stop()
    assert turns[0].stopped


def test_a_bot_without_an_answer_is_an_error() -> None:
    class Forgets(Bot):
        def choose(self, turn: Turn) -> str:
            return None  # type: ignore[return-value]  # the fault under test

    with pytest.raises(TypeError, match="choose returned None"):
        BotPlayer(Forgets()).choose(REQUEST)
