"""What `choose` may return, made into messages that the server will take."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct

from tabiya.bots.client.failure import AnswerError
from tabiya.protocol.messages import DrawOffer, Move, MoveInfo, Resign
from tabiya.protocol.messages.fields import LARGEST_NUMBER

# The bounds of the protocol (protocol/messages/fields.py).
LONGEST_MOVE = 16
LONGEST_TEXT = 500
LONGEST_VARIATION = 128

AnswerMessage = Move | Resign | DrawOffer


class Choice(Struct, frozen=True):
    """A move with additional information.

    info: details of the search, for the replay.  resign: resign the match; the move is not sent.
    offer_draw: offer a draw with the move, or accept the opponent's offer.  failure: why it resigns, if the program
    has failed; sent to the server.
    """

    move: str = ""
    info: MoveInfo | None = None
    resign: bool = False
    offer_draw: bool = False
    failure: str = ""


def as_choice(answer: object, asked: Callable[..., Any] | None = None) -> Choice:
    """The choice that `answer` means.  asked: the method that returned it.  Raises AnswerError."""
    choice = Choice(answer) if isinstance(answer, str) else answer
    if not isinstance(choice, Choice):
        raise AnswerError(_no_choice(answer), asked)
    info: object = choice.info
    if info is not None and not isinstance(info, MoveInfo):
        text = f"the info of a Choice is a MoveInfo, such as MoveInfo(depth=3, score=20), not {info!r:.80}"
        raise AnswerError(text, asked)
    if choice.resign:
        return choice
    if not isinstance(choice.move, str) or not 1 <= len(choice.move) <= LONGEST_MOVE:  # type: ignore[redundant-expr]
        text = f"choose returned the move {choice.move!r:.80}; a move has 1 to {LONGEST_MOVE} characters"
        raise AnswerError(text, asked)
    try:
        choice.move.encode()
    except UnicodeEncodeError as error:  # half a surrogate pair, which fits in no frame
        raise AnswerError(f"choose returned a move that is no text: {error}", asked) from None
    return choice


def _no_choice(answer: object) -> str:
    if inspect.iscoroutine(answer):
        answer.close()  # or Python would warn that it was never awaited
        return f"choose returned {answer.__qualname__} itself, not what it returns: await is missing before its call"
    if inspect.isgenerator(answer):
        return "choose has a yield; it must return the text of a move, or a Choice"
    return f"choose returned {answer!r:.80}; it must return the text of a move, or a Choice"


def answer_messages(choice: Choice, match: int, ply: int) -> tuple[AnswerMessage, ...]:
    """What goes on the wire, in order: a draw is offered before the move, because it belongs to the same ply."""
    if choice.resign:
        return (Resign(match=match, failure=_remark(choice.failure)),)
    move = Move(match=match, ply=ply, move=str(choice.move), info=within_bounds(choice.info))
    return (DrawOffer(match=match, ply=ply), move) if choice.offer_draw else (move,)


def within_bounds(info: MoveInfo | None) -> MoveInfo | None:
    """The info within the bounds of the protocol: a number out of bounds is left out, a long text is cut.

    The server refuses a whole move for a bad `info`, and an engine should not lose a match over its own statistics.
    """
    if info is None:
        return None
    return MoveInfo(
        depth=_count(info.depth),
        score=_whole(info.score),
        nodes=_count(info.nodes),
        pv=_variation(info.pv),
        time_ms=_count(info.time_ms),
        text=_remark(info.text),
    )


def _remark(text: Any) -> str:
    return str(text)[:LONGEST_TEXT].encode("utf-8", "replace").decode()


def _variation(moves: Any) -> tuple[str, ...]:
    """The first moves of a line that fit; moves after a gap would mislead."""
    kept: list[str] = []
    moves = moves.split() if isinstance(moves, str) else moves
    for move in tuple(moves)[:LONGEST_VARIATION] if isinstance(moves, Iterable) else ():
        if not 1 <= len(str(move)) <= LONGEST_MOVE or not str(move).isprintable():
            break
        kept.append(str(move))
    return tuple(kept)


def _whole(number: Any) -> int | None:
    try:
        value = None if number is None else int(number)
    except (TypeError, ValueError, OverflowError):
        return None
    return value if value is not None and abs(value) <= LARGEST_NUMBER else None


def _count(number: Any) -> int | None:
    value = _whole(number)
    return value if value is not None and value >= 0 else None
