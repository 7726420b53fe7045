"""Scenarios of the start of a connection: hello, waiting for welcome, the fields of hello."""

from __future__ import annotations

import asyncio

from tabiya.check.harness import POLL_S, Harness
from tabiya.check.outcomes import NotApplicable, RuleBroken
from tabiya.check.scenario import Scenario
from tabiya.check.scenarios.turns import one_turn_of_any_game
from tabiya.games.registry import names
from tabiya.protocol.encodings import PROTOCOL_VERSION, Encoding
from tabiya.server.accounts.names import NameRefused, check_name

SEEK_TIMEOUT_S = 2.0  # how long seeks are awaited after welcome


async def says_hello(harness: Harness) -> None:
    """The first message is a hello that a server would take."""
    hello = await harness.hello(await harness.launch())
    if hello.protocol != PROTOCOL_VERSION:
        raise RuleBroken(
            f"It asks for version {hello.protocol} of the protocol.", f"Leave protocol out, or send {PROTOCOL_VERSION}."
        )
    try:
        check_name(hello.name)
    except NameRefused as refused:
        raise RuleBroken(
            f"Its name {hello.name!r} would be refused: {refused}.", "See the rule for names under Security."
        ) from None


async def waits_for_welcome(harness: Harness) -> None:
    """The bot sends nothing between hello and welcome."""
    bot = harness.bot
    assert bot is not None
    await harness.listen()
    early = list(bot.before_welcome)
    await harness.welcome(bot)
    if early:
        raise RuleBroken(f"It sent {len(early)} messages before welcome.", "Wait for welcome before you send more.")


async def names_its_games(harness: Harness) -> None:
    """Some game it plays is named, by `games` or `seek` in hello or by seeks after welcome."""
    bot = await harness.connected()
    hello = await harness.hello(bot)
    if hello.max_matches == 0:
        raise RuleBroken(
            "It takes no matches (max_matches is 0).", "Say in max_matches how many matches it plays at once."
        )
    loop = asyncio.get_running_loop()
    until = loop.time() + SEEK_TIMEOUT_S
    while not (hello.games or hello.seek or bot.seeks or harness.requested_games) and loop.time() < until:  # noqa: ASYNC110
        await asyncio.sleep(POLL_S)
    await harness.listen()  # it may seek several games, one after the other
    claimed = tuple(dict.fromkeys([*hello.games, *hello.seek, *bot.seeks]))
    if unknown := [game for game in claimed if game not in names()]:
        raise RuleBroken(
            f"It names a game that the server does not have: {unknown[0]!r}.", f"The games are {', '.join(names())}."
        )
    harness.games = harness.requested_games or claimed
    if not harness.games:
        raise RuleBroken(
            "It has not named a game that it plays.",
            "Name games in `games` or `seek` of hello, or send `seek`; or name them here with --game.",
        )


async def plays_without_the_list(harness: Harness) -> None:
    """A bot that has declined the list of legal moves answers turns without it."""
    if (await harness.hello(await harness.connected())).legal_moves:
        raise NotApplicable("it wants the list of legal moves")
    await one_turn_of_any_game(harness)


async def speaks_the_other_encoding(harness: Harness) -> None:
    """A bot that offers both encodings speaks the one that the server chooses, and not only its favourite."""
    offered = (await harness.connected()).raw.offered
    both = [encoding for encoding in Encoding if encoding.subprotocol in offered]
    if len(both) < 2:
        raise NotApplicable(f"it offers {both[0] if both else 'no subprotocol, which means json'} alone")
    harness.server.preferred_encoding = next(encoding for encoding in both if encoding.subprotocol != offered[0])
    try:
        await harness.restarted()
        match = harness.early_match(harness.game())
        await harness.play_one_turn(match)
    finally:  # the next scenario is to meet the bot in its own encoding again
        harness.server.preferred_encoding = None
        await harness.stop_bot()


FIRST = (
    Scenario("hello", "says hello first", 4, "life-of-a-connection", says_hello, first=True),
    Scenario("patience", "waits for welcome before it says more", 2, "life-of-a-connection", waits_for_welcome),
    Scenario("claims", "names a game that it plays", 2, "hello", names_its_games, first=True),
    Scenario("no-list", "plays without the list it declined", 2, "playing-a-match", plays_without_the_list, first=True),
)
LAST = (
    Scenario("encodings", "speaks each encoding that it offers", 3, "the-two-encodings", speaks_the_other_encoding),
)
