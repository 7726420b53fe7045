"""When to move and when not: out of turn, after the end, twice, to a slow server, in several matches at once."""

from __future__ import annotations

from tabiya.check.bot_connection import MATCH_OVER, MESSAGES, OUT_OF_TURN
from tabiya.check.harness import Harness
from tabiya.check.outcomes import NotApplicable, RuleBroken
from tabiya.check.scenario import Scenario
from tabiya.protocol.messages import DrawOffered

SLOW_S = 1.5  # longer than the second after which some bots send again
MOST_AT_ONCE = 4
ROUNDS = 3


async def stays_for_the_next(harness: Harness) -> None:
    """After a match the bot is there for another one, on the same connection."""
    harness.may_leave = True  # and so for the rest if this fails: leaving costs the points of one scenario only
    for _ in range(2):
        match = harness.early_match(harness.game())
        bot = await harness.begin(match)
        await harness.ask_for_move(match)
        await harness.finish(match)
        if bot.ended.done():
            raise RuleBroken(
                f"It left when its match was over ({bot.ended.result()}).",
                "Go on reading after match_ended: the next match comes on the same connection.",
            )
    harness.may_leave = False


async def waits_for_its_turn(harness: Harness) -> None:
    """Nothing is sent while the opponent is to move."""
    at = harness.early_match(harness.game()).position
    match = harness.new_match(at, seat=1 - at.to_move)
    bot = await harness.begin(match)
    await harness.listen()
    if at.game.draws_possible:  # news about the match tempts some bots to move
        await bot.send(DrawOffered(match=match.number, ply=at.ply))
        await harness.listen()
    harness.opponent_moves(match)
    await harness.ask_for_move(match)
    await harness.listen()
    await harness.finish(match)


async def ended_while_thinking(harness: Harness) -> None:
    """A match may end while its turn waits for an answer; afterwards nothing is said about it."""
    match = harness.early_match(harness.game())
    bot = await harness.begin(match)
    await bot.send_turn(harness.turn(match))
    await harness.end(match, aborted=True)
    await harness.listen()
    if bot.ended.done() and not harness.may_leave:
        raise harness.gone_failure(bot.ended.result())


async def slow_server(harness: Harness) -> None:
    """A server may be slow: a move that is not yet answered is not sent again."""
    match = harness.early_match(harness.game())
    bot = await harness.begin(match)
    await harness.ask_for_move(match)
    with bot.attributing_to("slow-server"):
        await harness.listen(SLOW_S)
    if bot.ended.done():
        raise harness.gone_failure(bot.ended.result())
    if match.position.outcome() is None:
        harness.opponent_moves(match)
    if match.position.outcome() is None:
        await harness.ask_for_move(match)
    await harness.finish(match)


async def same_turn_twice(harness: Harness) -> None:
    """The same turn may come twice; it is answered once or twice, and the match goes on."""
    match = harness.early_match(harness.game())
    bot = await harness.begin(match)
    await harness.move(match, await bot.send_turn(harness.turn(match), times=2))
    await harness.listen()
    if bot.ended.done():
        raise harness.gone_failure(bot.ended.result())
    await harness.finish(match)


async def several_at_once(harness: Harness) -> None:
    """As many matches at once as hello allows, their turns answered in any order."""
    most = (await harness.hello(await harness.connected())).max_matches
    if most < 2:
        raise NotApplicable("it plays one match at a time")
    matches = [harness.early_match(harness.game(index)) for index in range(min(most, MOST_AT_ONCE))]
    for match in matches:
        await harness.begin(match)
    for _ in range(ROUNDS):
        # in the other order each time, so that no bot gets by with answering in the order of the beginnings
        matches = [match for match in matches if match.position.outcome() is None][::-1]
        bot = await harness.connected()
        turns = [(match, await bot.send_turn(harness.turn(match))) for match in matches]
        for match, pending in turns:
            await harness.move(match, pending)
            if match.position.outcome() is None:
                harness.opponent_moves(match)
    for match in matches:
        await harness.finish(match)


async def nothing(harness: Harness) -> None:
    """Tries nothing: the rule is judged by what the bot has sent in all the other scenarios."""


SCENARIOS = (
    Scenario("next-match", "stays for the next match", 3, "life-of-a-connection", stays_for_the_next),
    Scenario(OUT_OF_TURN, "moves only when it is asked", 4, "playing-a-match", waits_for_its_turn),
    Scenario(MATCH_OVER, "says nothing about a match that is over", 3, "playing-a-match", ended_while_thinking),
    Scenario("slow-server", "waits for a slow server without repeating itself", 2, "playing-a-match", slow_server),
    Scenario("same-turn-twice", "lives with a turn that comes twice", 2, "reconnecting", same_turn_twice),
    Scenario("at-once", "plays as many matches at once as it says", 4, "more-than-playing", several_at_once),
)
LAST = (Scenario(MESSAGES, "sends nothing that is no message", 3, "messages-of-a-bot", nothing),)
