"""Other messages of a server: new fields, new types, names of all scripts, notices, draw offers, refusals."""

from __future__ import annotations

from typing import Any

from msgspec.structs import asdict, replace

from tabiya.check.harness import Harness
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
from tabiya.protocol.messages.client import WireMessage

# Letters outside Latin, an emoji beyond 16 bits, text to the left, combining accents, what must be escaped.
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


class Weather(WireMessage, frozen=True, kw_only=True):
    """A message of a later version, with fields that it shares with a turn."""

    match: int
    ply: int
    legal_moves: tuple[str, ...]


async def unknown_fields(harness: Harness) -> None:
    """Fields that a later version has added are ignored."""
    match = harness.early_match(harness.game())
    started = match.started()
    bot = await harness.connected()
    bot.match_begins(match.number)  # by hand: `begin` would send the message as it is today
    await bot.send(FutureStarted(**asdict(started), anthem="la la la"))
    turn = FutureTurn(**asdict(harness.turn(match)), spectators=3, forecast=FORECAST, seat_colour=None)
    await harness.move(match, await bot.send_turn(turn))
    await harness.finish(match)


async def unknown_types(harness: Harness) -> None:
    """Messages that a later version has added are ignored."""
    match = harness.early_match(harness.game())
    bot = await harness.begin(match)
    # looks like a turn to a bot that does not look at `type`
    await bot.send(Weather(match=match.number, ply=match.position.ply, legal_moves=("z9",)))
    await harness.ask_for_move(match)
    await harness.finish(match)


async def other_messages(harness: Harness) -> None:
    """Messages that a bot may ignore: a notice, a challenge that lapses, the state of a match."""
    match = harness.early_match(harness.game())
    bot = await harness.begin(match)
    await bot.send(
        Notice(kind="tournament_started", text="the tournament 'May' has begun", tournament="May"),
        Challenged(challenge=5, opponent="bob", game=match.game, time="60+0.5", lapses_ms=1),
        ChallengeEnded(challenge=5, opponent="bob", outcome="lapsed"),
        watching(harness),
    )
    await harness.ask_for_move(match)
    await harness.finish(match)


def watching(harness: Harness) -> Watching:
    """The state of a match between others."""
    position = harness.game().start()
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


async def names_of_all_scripts(harness: Harness) -> None:
    """Names are any Unicode."""
    for name in NAMES:
        match = harness.early_match(harness.game())
        match.opponent = name
        await harness.play_one_turn(match)


async def draw_offers(harness: Harness) -> None:
    """An offer is accepted by `draw_offer` or declined by the next move, and has no other effect."""
    games = [harness.game(index) for index in range(len(harness.games)) if harness.game(index).draws_possible]
    if not games:
        raise NotApplicable("its games have no draws")
    match = harness.early_match(games[0])
    bot = await harness.begin(match)
    await harness.answer(await bot.send_turn(replace(harness.turn(match), draw_offered=True)))
    await harness.end(match, aborted=True)
    match = harness.new_match(match.position, seat=1 - match.position.to_move)
    bot = await harness.begin(match)
    await harness.listen()
    with bot.attributing_to("draw-offers"):
        await bot.send(DrawOffered(match=match.number, ply=match.position.ply))
        await harness.listen()
        harness.opponent_moves(match)
        await harness.ask_for_move(match)
    await harness.finish(match)


async def settled_refusals(harness: Harness) -> None:
    """Refusals that ask for nothing are not answered by another move."""
    match = harness.early_match(harness.game())
    bot = await harness.begin(match)
    await harness.ask_for_move(match)
    number, ply = match.number, match.position.ply
    with bot.attributing_to("refusals"):
        await bot.send(
            Refused(
                code=RefusalCode.ALREADY_PLAYED, message="had been received", about="move", match=number, ply=ply - 1
            ),
            Refused(code=RefusalCode.WRONG_PLY, message="a stale move", about="move", match=number, ply=ply - 2),
            Refused(code=RefusalCode.NOT_SEEKING, message="there is no such seek", about="unseek"),
            Refused(code="wrong_moon_phase", message="a refusal of a later version", about="seek"),
        )
        await harness.listen()
    await harness.finish(match)
    match = harness.early_match(harness.game())
    await harness.play_one_turn(match)


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
