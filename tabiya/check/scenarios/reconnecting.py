"""Connections that end: what every bot must leave undone, and what those that reconnect do."""

from __future__ import annotations

import asyncio

from tabiya.check.board import Board, Timing
from tabiya.check.bot_connection import Ask, Contact
from tabiya.check.harness import Trial
from tabiya.check.outcomes import Fault, NotShown
from tabiya.check.scenario import Scenario
from tabiya.protocol.codes import CloseCode, RefusalCode, close_text
from tabiya.protocol.messages import Busy, Refused

RETRY_MS = 900
TOO_EARLY_S = 0.85  # a little less: the bot's clock began when it read the message
WATCH_S = 2.5
MOST_ATTEMPTS = 6  # in WATCH_S; half a second, one second, ... are three
DOWN_S = 0.7  # longer than the first wait of a bot: at least one attempt fails
THOUGHT_S = 0.05
ILLEGAL_LEFT = 2
AGAIN = Timing("3/move", 3_000, 3_000, 0)


async def resumes(trial: Trial) -> None:
    """A program just started is told that it has a running match, and gets its turn: that is all it may rely on."""
    board = trial.early_board(trial.game())
    asks = await trial.welcome(await trial.launch(), (board,))
    await trial.move(board, asks[board.number])
    await trial.finish(board)


async def obeys_busy(trial: Trial) -> None:
    """After `busy` a bot stays away for at least `retry_ms`."""
    contact = await trial.launch()
    await trial.hello(contact)  # who is still writing it when the line closes may never read what was said before
    loop = asyncio.get_running_loop()
    since_s = loop.time()  # before it can have read anything: closing takes as long as the machine is busy
    await contact.tell(Busy(retry_ms=RETRY_MS, message="too many bots are connecting at once"))
    await contact.close(CloseCode.BUSY, "too many bots are connecting at once")
    back = await trial.arrival(since_s + TOO_EARLY_S - loop.time())
    away_s = loop.time() - since_s
    if back is not None and away_s < TOO_EARLY_S:
        raise Fault(
            f"It was back after {away_s:.2f} s; busy had asked for {RETRY_MS / 1000:g} s.",
            close_text(CloseCode.BUSY).cure,
        )
    await trial.drop()


async def backs_off(trial: Trial) -> None:
    """A bot that comes back waits longer and longer between attempts."""
    contact: Contact | None = await trial.connected()
    loop = asyncio.get_running_loop()
    until_s = loop.time() + WATCH_S
    attempts = -1
    while contact is not None:
        attempts += 1
        if attempts > MOST_ATTEMPTS:
            raise Fault(
                f"It tried {attempts} times within {WATCH_S:g} s to come back.",
                "Wait half a second before the first attempt and twice as long before every other, partly at random.",
            )
        await contact.close(CloseCode.SERVER_ERROR, "an error of the server; come back with back-off")
        contact = await trial.arrival(until_s - loop.time())
    await trial.drop()


async def accepts_being_replaced(trial: Trial) -> None:
    """After the close code `replaced` a bot stays away."""
    contact = await trial.connected()
    await contact.close(CloseCode.REPLACED, "a newer connection of this bot has taken over")
    back = await trial.arrival(WATCH_S)
    if back is not None:
        await trial.drop()
        raise Fault("It came back after it had been replaced.", close_text(CloseCode.REPLACED).cure)
    await trial.drop()


async def answers_again(trial: Trial) -> None:
    """Extra: a refused move is followed by another answer to the same turn."""
    board = trial.early_board(trial.game(), AGAIN)
    contact = await trial.begin(board)
    turn = trial.turn(board)
    answer = await trial.answer(await contact.ask(turn))
    again = contact.expect(turn)
    await contact.tell(
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
        await trial.move(board, again)
    except Fault as fault:
        if again.answer.done():
            raise
        raise NotShown("It does not answer again after a refused move; its clock would run out.") from fault
    await trial.finish(board)


async def comes_back(trial: Trial) -> None:
    """Extra: a bot whose connection breaks connects again."""
    contact = await trial.connected()
    contact.cut()
    await returned(trial, ())
    await one_turn(trial)


async def cut_at_its_turn(trial: Trial) -> None:
    """Extra: the connection breaks when the turn has just been sent; the turn comes again and is answered."""
    contact = await returning(trial)
    board = trial.early_board(trial.game())
    await trial.begin(board)
    await contact.ask(trial.turn(board))
    contact.cut()
    asks = await returned(trial, (board,))
    await trial.move(board, asks[board.number])
    await trial.finish(board)


async def cut_while_thinking(trial: Trial) -> None:
    """Extra: the connection breaks in the middle of a thought, or behind it where that is short."""
    contact = await returning(trial)
    board = trial.early_board(trial.game())
    await trial.begin(board)
    ask = await contact.ask(trial.turn(board))
    await asyncio.wait([ask.answer], timeout=THOUGHT_S)
    contact.cut()
    if ask.answer.done():
        await trial.move(board, ask)
    if board.position.outcome() is None and not board.waits_for_bot:
        trial.reply(board)
    asks = await returned(trial, (board,))
    if board.number in asks:
        await trial.move(board, asks[board.number])
    await trial.finish(board)


async def cut_after_its_move(trial: Trial) -> None:
    """Extra: the connection breaks when the move has just arrived; the match goes on with the next turn."""
    contact = await returning(trial)
    board = trial.early_board(trial.game())
    await trial.begin(board)
    await trial.ask(board)
    contact.cut()
    if board.position.outcome() is None:
        trial.reply(board)
    asks = await returned(trial, (board,))
    if board.number in asks:
        await trial.move(board, asks[board.number])
    await trial.finish(board)


async def server_restarts(trial: Trial) -> None:
    """Extra: the server closes, is away for a while, and is back with the bot's match."""
    contact = await returning(trial)
    board = trial.early_board(trial.game())
    await trial.begin(board)
    await contact.ask(trial.turn(board))
    await contact.close(CloseCode.SERVER_CLOSING, "the server closes; its matches are saved")
    await trial.door.shut()
    trial.transcript.add("note", f"the server is away for {DOWN_S:g} s")
    await asyncio.sleep(DOWN_S)
    await trial.door.open()
    asks = await returned(trial, (board,))
    await trial.move(board, asks[board.number])
    await trial.finish(board)


async def ended_while_away(trial: Trial) -> None:
    """Extra: a match that `welcome` does not list has ended; nothing more is said about it."""
    contact = await returning(trial)
    board = trial.early_board(trial.game())
    await trial.begin(board)
    await contact.ask(trial.turn(board))
    contact.cut()
    await returned(trial, ())
    contact = await trial.connected()
    contact.match_over(board.number)
    with contact.blaming("ended-while-away", over=True):
        await trial.quiet()
    await one_turn(trial)


async def returning(trial: Trial) -> Contact:
    """The bot, if it is one that comes back. Raises NotShown."""
    if trial.stays_away:
        raise NotShown("It does not come back after a broken connection.")
    return await trial.connected()


async def returned(trial: Trial, running: tuple[Board, ...]) -> dict[int, Ask]:
    """The turns that wait for the bot when it is back, by match. Raises NotShown, Fault."""
    asks = await trial.back(running)
    if asks is None:
        trial.stays_away = True
        raise NotShown("It does not come back after a broken connection.")
    return asks


async def one_turn(trial: Trial) -> None:
    """The bot that is back plays."""
    board = trial.early_board(trial.game())
    await trial.begin(board)
    await trial.ask(board)
    await trial.finish(board)


SCENARIOS = (
    Scenario("resume", "answers a turn of a match whose beginning it has not seen", 4, "reconnecting", resumes),
    Scenario("busy", "stays away as long as busy says", 2, "life-of-a-connection", obeys_busy),
    Scenario("back-off", "does not hammer a server that is in trouble", 2, "reconnecting", backs_off),
)
EXTRAS = (
    Scenario("answers-again", "answers again after a refused move", 3, "playing-a-match", answers_again, extra=True),
    Scenario("comes-back", "comes back after a broken connection", 3, "reconnecting", comes_back, extra=True),
    Scenario(
        "cut-at-turn",
        "comes back and answers the turn it missed",
        2,
        "reconnecting",
        cut_at_its_turn,
        extra=True,
        after="comes-back",
    ),
    Scenario(
        "cut-while-thinking",
        "comes back in the middle of a thought",
        2,
        "reconnecting",
        cut_while_thinking,
        extra=True,
        after="comes-back",
    ),
    Scenario(
        "cut-after-move",
        "comes back after its move and plays on",
        2,
        "reconnecting",
        cut_after_its_move,
        extra=True,
        after="comes-back",
    ),
    Scenario(
        "restart",
        "comes back after a restart of the server",
        2,
        "reconnecting",
        server_restarts,
        extra=True,
        after="comes-back",
    ),
    Scenario(
        "ended-while-away",
        "forgets a match that ended while it was away",
        2,
        "reconnecting",
        ended_while_away,
        extra=True,
        after="comes-back",
    ),
)
LAST = (Scenario("replaced", "stays away when it has been replaced", 3, "close-codes", accepts_being_replaced),)
