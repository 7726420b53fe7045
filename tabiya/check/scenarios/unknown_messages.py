"""What else a server may say: new fields, new types, names of all scripts, news, draw offers, refusals."""

from __future__ import annotations

from typing import Any

from msgspec.structs import asdict, replace

from tabiya.check.harness import Trial
from tabiya.check.outcomes import NotApplicable
from tabiya.check.scenario import Scenario
from tabiya.protocol.codes import RefusalCode
from tabiya.protocol.messages import (
    Challenged,
    ChallengeEnded,
    DrawOffered,
    MatchStarted,
    Notice,
    Refused,
    Turn,
    Watching,
)
from tabiya.protocol.messages.client import Wire

NAMES = ("Ægir-Ω-2", "山田・Ж 🙂 \u202b\u05d0", "a\u0301e\u0301 \\\"'<b>")


FORECAST = {"wind": [1, -2.5, None], "rain": {"today": False}}


class FutureTurn(Turn, frozen=True, kw_only=True, tag="turn"):
    """A turn with fields of a later version."""

    spectators: int
    forecast: dict[str, Any]
    seat_colour: None


class FutureStarted(MatchStarted, frozen=True, kw_only=True, tag="match_started"):
    """The beginning of a match with a field of a later version."""

    anthem: str


class Weather(Wire, frozen=True, kw_only=True):
    """A message of a later version, with fields that it shares with a turn."""

    match: int
    ply: int
    legal_moves: tuple[str, ...]


async def unknown_fields(trial: Trial) -> None:
    """Fields that a later version has added are ignored."""
    board = trial.early_board(trial.game())
    started = board.started()
    contact = await trial.connected()
    contact.begins(board.number)
    await contact.tell(FutureStarted(**asdict(started), anthem="la la la"))
    turn = FutureTurn(**asdict(trial.turn(board)), spectators=3, forecast=FORECAST, seat_colour=None)
    await trial.move(board, await contact.ask(turn))
    await trial.finish(board)


async def unknown_types(trial: Trial) -> None:
    """Messages that a later version has added are ignored."""
    board = trial.early_board(trial.game())
    contact = await trial.begin(board)
    await contact.tell(Weather(match=board.number, ply=board.position.ply, legal_moves=("z9",)))
    await trial.ask(board)
    await trial.finish(board)


async def other_messages(trial: Trial) -> None:
    """What a bot may ignore: a notice, a challenge that lapses, the state of a match."""
    board = trial.early_board(trial.game())
    contact = await trial.begin(board)
    await contact.tell(
        Notice(kind="tournament_started", text="the tournament 'May' has begun", tournament="May"),
        Challenged(challenge=5, opponent="bob", game=board.game, time="60+0.5", lapses_ms=1),
        ChallengeEnded(challenge=5, opponent="bob", outcome="lapsed"),
        watching(trial),
    )
    await trial.ask(board)
    await trial.finish(board)


def watching(trial: Trial) -> Watching:
    """The state of a match between others."""
    position = trial.game().start()
    return Watching(
        match=7,
        game=position.game.name,
        names=("ann", "bob"),
        time_control="none",
        start=position.text(),
        moves=(),
        position=position.text(),
        ply=0,
        to_move=position.to_move,
        last_move=None,
        clock_ms=None,
    )


async def names_of_all_scripts(trial: Trial) -> None:
    """Names are any Unicode."""
    for name in NAMES:
        board = trial.early_board(trial.game())
        board.opponent = name
        await trial.begin(board)
        await trial.ask(board)
        await trial.finish(board)


async def draw_offers(trial: Trial) -> None:
    """An offer is accepted by `draw_offer` or declined by the next move; nothing else follows from it."""
    games = [trial.game(index) for index in range(len(trial.games)) if trial.game(index).draws_possible]
    if not games:
        raise NotApplicable("the games it plays know no draw")
    board = trial.early_board(games[0])
    contact = await trial.begin(board)
    await trial.answer(await contact.ask(replace(trial.turn(board), draw_offered=True)))
    await trial.end(board, aborted=True)
    board = trial.board(board.position, seat=1 - board.position.to_move)
    contact = await trial.begin(board)
    await trial.quiet()
    with contact.blaming("draw-offers"):
        await contact.tell(DrawOffered(match=board.number, ply=board.position.ply))
        await trial.quiet()
        trial.reply(board)
        await trial.ask(board)
    await trial.finish(board)


async def settled_refusals(trial: Trial) -> None:
    """Refusals that ask for nothing are not answered by another move."""
    board = trial.early_board(trial.game())
    contact = await trial.begin(board)
    await trial.ask(board)
    number, ply = board.number, board.position.ply
    with contact.blaming("refusals"):
        await contact.tell(
            Refused(
                code=RefusalCode.ALREADY_PLAYED, message="had been received", about="move", match=number, ply=ply - 1
            ),
            Refused(code=RefusalCode.WRONG_PLY, message="a stale move", about="move", match=number, ply=ply - 2),
            Refused(code=RefusalCode.NOT_SEEKING, message="there is no such seek", about="unseek"),
            Refused(code="wrong_moon_phase", message="a refusal of a later version", about="seek"),
        )
        await trial.quiet()
    await trial.finish(board)
    board = trial.early_board(trial.game())
    await trial.begin(board)
    await trial.ask(board)
    await trial.finish(board)


SCENARIOS = (
    Scenario("unknown-fields", "ignores fields it does not know", 3, "versions", unknown_fields),
    Scenario("unknown-types", "ignores messages it does not know", 3, "versions", unknown_types),
    Scenario(
        "other-messages", "lives with messages that are not about its matches", 2, "more-than-playing", other_messages
    ),
    Scenario("names", "reads names of all scripts", 2, "security", names_of_all_scripts),
    Scenario(
        "draw-offers",
        "accepts or declines a draw offer, and does nothing else about it",
        2,
        "playing-a-match",
        draw_offers,
    ),
    Scenario("refusals", "does not answer refusals that ask for nothing", 2, "refusals", settled_refusals),
)
