"""Connections that end: what no bot may do, and what reconnecting bots do."""

from __future__ import annotations

import asyncio

from tabiya.check.bot_connection import BotConnection, PendingTurn
from tabiya.check.harness import RECONNECT_S, Harness
from tabiya.check.outcomes import ExtraNotSupported, RuleBroken
from tabiya.check.scenario import Scenario
from tabiya.check.scripted_match import ScriptedMatch, Timing
from tabiya.protocol.codes import CloseCode, RefusalCode, close_text
from tabiya.protocol.messages import Busy, Refused

RETRY_MS = 900  # longer than the half second that a bot waits by itself (backs_off)
TOO_EARLY_S = 0.85  # a little less: the bot's clock began when it read the message
WATCH_S = 2.5
MOST_ATTEMPTS = 6  # in WATCH_S; half a second, one second, ... are three
DOWN_S = 0.7  # longer than the first wait of a bot: at least one attempt fails
THOUGHT_S = 0.05
ILLEGAL_LEFT = 2
NOT_BACK = (
    f"It did not reconnect within {RECONNECT_S:g} s after a broken connection. After a `welcome` "
    "the first wait is half a second again."
)
AGAIN = Timing("3/move", 3_000, 3_000, 0)


async def resumes(harness: Harness) -> None:
    """A program that was just started gets a running match in welcome, and then its turn; nothing else."""
    match = harness.early_match(harness.game())
    turns = await harness.welcome(await harness.launch(), (match,))
    await harness.move(match, turns[match.number])
    await harness.finish(match)


async def obeys_busy(harness: Harness) -> None:
    """After `busy` a bot stays away for at least `retry_ms`."""
    bot = await harness.launch()
    await harness.hello(
        bot
    )  # a bot that is still writing when the connection closes may never read the earlier messages
    loop = asyncio.get_running_loop()
    since_s = loop.time()  # before it can have read anything: closing takes as long as the machine is busy
    await bot.send(Busy(retry_ms=RETRY_MS, message="too many bots are connecting at once"))
    await bot.close(CloseCode.BUSY, "too many bots are connecting at once")
    back = await harness.next_connection(since_s + TOO_EARLY_S - loop.time())
    away_s = loop.time() - since_s
    if back is not None and away_s < TOO_EARLY_S:
        raise RuleBroken(
            f"It was back after {away_s:.2f} s; busy had asked for {RETRY_MS / 1000:g} s.",
            close_text(CloseCode.BUSY).cure,
        )
    await harness.stop_bot()


async def backs_off(harness: Harness) -> None:
    """A bot that comes back waits longer and longer between attempts."""
    bot: BotConnection | None = await harness.connected()
    loop = asyncio.get_running_loop()
    until_s = loop.time() + WATCH_S
    attempts = -1
    while bot is not None:
        attempts += 1
        if attempts > MOST_ATTEMPTS:
            raise RuleBroken(
                f"It tried {attempts} times within {WATCH_S:g} s to come back.",
                "Wait half a second before the first attempt and twice as long before every other, partly at random.",
            )
        await bot.close(CloseCode.SERVER_ERROR, "an error of the server; come back with back-off")
        bot = await harness.next_connection(until_s - loop.time())
    await harness.stop_bot()


async def accepts_being_replaced(harness: Harness) -> None:
    """After the close code `replaced` a bot stays away."""
    bot = await harness.connected()
    await bot.close(CloseCode.REPLACED, "a newer connection of this bot has taken over")
    back = await harness.next_connection(WATCH_S)
    if back is not None:
        await harness.stop_bot()
        raise RuleBroken(
            "It reconnected after a newer connection had replaced it.", close_text(CloseCode.REPLACED).cure
        )
    await harness.stop_bot()


async def answers_again(harness: Harness) -> None:
    """Extra: a refused move is followed by another answer to the same turn."""
    match = harness.early_match(harness.game(), AGAIN)
    bot = await harness.begin(match)
    turn = harness.turn(match)
    answer = await harness.answer(await bot.send_turn(turn))
    again = bot.expect_answer(turn)
    await bot.send(
        Refused(
            code=RefusalCode.ILLEGAL_MOVE,
            message=f"the move {getattr(answer, 'move', '')} is not legal here",
            about="move",
            match=turn.match,
            ply=turn.ply,
            illegal_left=ILLEGAL_LEFT,
        )
    )
    try:
        await harness.move(match, again)
    except RuleBroken as fault:
        if again.answer.done():  # it did answer, with a wrong move once more, or has gone
            raise
        raise ExtraNotSupported("It does not answer again after a refused move; its clock would run out.") from fault
    await harness.finish(match)


async def comes_back(harness: Harness) -> None:
    """Extra: a bot whose connection breaks connects again."""
    bot = await harness.connected()
    bot.cut()
    await pending_turns_after_reconnect(harness, ())
    await harness.play_one_turn(harness.early_match(harness.game()))


async def cut_at_its_turn(harness: Harness) -> None:
    """Extra: the connection breaks when the turn has just been sent; the turn comes again and is answered."""
    bot, match = await begun_match(harness)
    await bot.send_turn(harness.turn(match))
    bot.cut()
    turns = await pending_turns_after_reconnect(harness, (match,))
    await harness.move(match, turns[match.number])
    await harness.finish(match)


async def cut_while_thinking(harness: Harness) -> None:
    """Extra: the connection breaks in the middle of a thought, or behind it where that is short."""
    bot, match = await begun_match(harness)
    pending = await bot.send_turn(harness.turn(match))
    await asyncio.wait([pending.answer], timeout=THOUGHT_S)
    bot.cut()
    if pending.answer.done():  # it thinks in less than THOUGHT_S: then the next turn is what it comes back to
        await harness.move(match, pending)
    if match.position.outcome() is None and not match.is_bots_turn:
        harness.opponent_moves(match)
    turns = await pending_turns_after_reconnect(harness, (match,))
    if match.number in turns:
        await harness.move(match, turns[match.number])
    await harness.finish(match)


async def cut_after_its_move(harness: Harness) -> None:
    """Extra: the connection breaks when the move has just arrived; the match goes on with the next turn."""
    bot, match = await begun_match(harness)
    await harness.ask_for_move(match)
    bot.cut()
    if match.position.outcome() is None:
        harness.opponent_moves(match)
    turns = await pending_turns_after_reconnect(harness, (match,))
    if match.number in turns:
        await harness.move(match, turns[match.number])
    await harness.finish(match)


async def server_restarts(harness: Harness) -> None:
    """Extra: the server closes, is away for a while, and is back with the bot's match."""
    bot, match = await begun_match(harness)
    await bot.send_turn(harness.turn(match))
    await bot.close(CloseCode.SERVER_CLOSING, "the server closes; its matches are saved")
    await harness.server.close()
    harness.transcript.add("note", f"the server is away for {DOWN_S:g} s")
    await asyncio.sleep(DOWN_S)
    await harness.server.open()
    turns = await pending_turns_after_reconnect(harness, (match,))
    await harness.move(match, turns[match.number])
    await harness.finish(match)


async def ended_while_away(harness: Harness) -> None:
    """Extra: a match that `welcome` does not list has ended; nothing more is said about it."""
    bot, match = await begun_match(harness)
    await bot.send_turn(harness.turn(match))
    bot.cut()
    await pending_turns_after_reconnect(harness, ())
    bot = await harness.connected()
    bot.match_over(match.number)
    with bot.attributing_to("ended-while-away", over=True):
        await harness.listen()
    await harness.play_one_turn(harness.early_match(harness.game()))


async def begun_match(harness: Harness) -> tuple[BotConnection, ScriptedMatch]:
    """The bot, if it is one that comes back, in a new match. Raises ExtraNotSupported."""
    if harness.never_reconnects:
        raise ExtraNotSupported(NOT_BACK)
    match = harness.early_match(harness.game())
    return await harness.begin(match), match


async def pending_turns_after_reconnect(harness: Harness, running: tuple[ScriptedMatch, ...]) -> dict[int, PendingTurn]:
    """The turns that wait for the bot when it is back, by match. Raises ExtraNotSupported, RuleBroken."""
    turns = await harness.next_reconnection(running)
    if turns is None:
        harness.never_reconnects = True
        raise ExtraNotSupported(NOT_BACK)
    return turns


SCENARIOS = (
    Scenario("resume", "answers a turn of a match whose beginning it has not seen", 4, "reconnecting", resumes),
    Scenario("busy", "stays away as long as busy says", 2, "life-of-a-connection", obeys_busy),
    Scenario("back-off", "does not hammer a server that is in trouble", 2, "reconnecting", backs_off),
)
EXTRAS = (
    Scenario("answers-again", "answers again after a refused move", 3, "playing-a-match", answers_again, extra=True),
    Scenario("comes-back", "comes back after a broken connection", 3, "reconnecting", comes_back, extra=True),
    *(
        Scenario(name, title, 2, "reconnecting", run, extra=True, after="comes-back")
        for name, title, run in (
            ("cut-at-turn", "comes back and answers the turn it missed", cut_at_its_turn),
            ("cut-while-thinking", "comes back in the middle of a thought", cut_while_thinking),
            ("cut-after-move", "comes back after its move and plays on", cut_after_its_move),
            ("restart", "comes back after a restart of the server", server_restarts),
            ("ended-while-away", "forgets a match that ended while it was away", ended_while_away),
        )
    ),
)
LAST = (Scenario("replaced", "stays away when it has been replaced", 3, "close-codes", accepts_being_replaced),)
