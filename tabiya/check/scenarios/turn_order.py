"""When to move and when not: out of turn, after the end, twice, to a slow server, in several matches at once."""

from __future__ import annotations

from tabiya.check.bot_connection import MATCH_OVER, MESSAGES, OUT_OF_TURN
from tabiya.check.harness import Trial
from tabiya.check.outcomes import Fault, NotApplicable
from tabiya.check.scenario import Scenario
from tabiya.protocol.messages import DrawOffered

SLOW_S = 1.5
MOST_AT_ONCE = 4
ROUNDS = 3


async def stays_for_the_next(trial: Trial) -> None:
    """After a match the bot is there for another one, on the same connection."""
    trial.leaves = True
    for _ in range(2):
        board = trial.early_board(trial.game())
        contact = await trial.begin(board)
        await trial.ask(board)
        await trial.finish(board)
        if contact.ended.done():
            raise Fault(
                f"It left when its match was over ({contact.ended.result()}).",
                "Go on reading after match_ended: the next match comes on the same connection.",
            )
    trial.leaves = False


async def waits_for_its_turn(trial: Trial) -> None:
    """Nothing is sent while the opponent is to move."""
    at = trial.early_board(trial.game()).position
    board = trial.board(at, seat=1 - at.to_move)
    contact = await trial.begin(board)
    await trial.quiet()
    if at.game.draws_possible:
        await contact.tell(DrawOffered(match=board.number, ply=at.ply))
        await trial.quiet()
    trial.reply(board)
    await trial.ask(board)
    await trial.quiet()
    await trial.finish(board)


async def ended_while_thinking(trial: Trial) -> None:
    """A match may end while its turn waits for an answer; afterwards nothing is said about it."""
    board = trial.early_board(trial.game())
    contact = await trial.begin(board)
    await contact.ask(trial.turn(board))
    await trial.end(board, aborted=True)
    await trial.quiet()
    if contact.ended.done() and not trial.leaves:
        raise trial.gone(contact.ended.result())


async def slow_server(trial: Trial) -> None:
    """A server may be slow: a move that is not yet answered is not sent again."""
    board = trial.early_board(trial.game())
    contact = await trial.begin(board)
    await trial.ask(board)
    with contact.blaming("slow-server"):
        await trial.quiet(SLOW_S)
    if contact.ended.done():
        raise trial.gone(contact.ended.result())
    if board.position.outcome() is None:
        trial.reply(board)
    if board.position.outcome() is None:
        await trial.ask(board)
    await trial.finish(board)


async def same_turn_twice(trial: Trial) -> None:
    """The same turn may come twice; it is answered once or twice, and the match goes on."""
    board = trial.early_board(trial.game())
    contact = await trial.begin(board)
    await trial.move(board, await contact.ask(trial.turn(board), times=2))
    await trial.quiet()
    if contact.ended.done():
        raise trial.gone(contact.ended.result())
    await trial.finish(board)


async def several_at_once(trial: Trial) -> None:
    """As many matches at once as hello allows, their turns answered in any order."""
    most = (await trial.hello(await trial.connected())).max_matches
    if most < 2:
        raise NotApplicable("it plays one match at a time")
    boards = [trial.early_board(trial.game(index)) for index in range(min(most, MOST_AT_ONCE))]
    for board in boards:
        await trial.begin(board)
    for _ in range(ROUNDS):
        boards = [board for board in boards if board.position.outcome() is None][::-1]
        contact = await trial.connected()
        asks = [(board, await contact.ask(trial.turn(board))) for board in boards]
        for board, ask in asks:
            await trial.move(board, ask)
            if board.position.outcome() is None:
                trial.reply(board)
    for board in boards:
        await trial.finish(board)


async def nothing(trial: Trial) -> None:
    """Judged by everything the bot has sent in all the other scenarios."""


SCENARIOS = (
    Scenario("next-match", "stays for the next match", 3, "life-of-a-connection", stays_for_the_next),
    Scenario(OUT_OF_TURN, "moves only when it is asked", 4, "playing-a-match", waits_for_its_turn),
    Scenario(MATCH_OVER, "says nothing about a match that is over", 3, "playing-a-match", ended_while_thinking),
    Scenario("slow-server", "waits for a slow server without repeating itself", 2, "playing-a-match", slow_server),
    Scenario("same-turn-twice", "lives with a turn that comes twice", 2, "reconnecting", same_turn_twice),
    Scenario("at-once", "plays as many matches at once as it says", 4, "more-than-playing", several_at_once),
)
LAST = (Scenario(MESSAGES, "sends nothing that is no message", 3, "messages-of-a-bot", nothing),)
