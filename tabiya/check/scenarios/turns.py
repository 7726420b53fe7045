"""Single turns of every kind, in every game that the bot plays, and whole games."""

from __future__ import annotations

import asyncio
import re
from functools import partial

from msgspec.structs import asdict

from tabiya.check.bot_connection import MATCH_AND_PLY
from tabiya.check.harness import Harness, walk
from tabiya.check.outcomes import RuleBroken
from tabiya.check.scenario import Scenario
from tabiya.check.scripted_match import ScriptedMatch, Timing
from tabiya.games.contract import EdgeCase, Game
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tabiya.protocol.messages import Turn

SEVERAL_PLIES = 5
LONG_WALKS, LONGEST_WALK = 8, 600  # random games are short by chance: the longest of several is taken
LARGEST_MATCH = 2**53 - 1  # the largest whole number that JavaScript holds exactly
PADDING = 1_000_000  # characters; a turn is then just below the largest frame of a server
GAME_S = 30.0
GAME_INCREMENT_S = 0.1
SHORT_MS = (1_000, 600)
CONTROLS = (
    Timing("none", clock_ms=None, limit_ms=10_000, increment_ms=0),
    Timing("40/10", clock_ms=9_000, limit_ms=9_000, increment_ms=0, moves_to_go=37),
    Timing("5/move", clock_ms=5_000, limit_ms=5_000, increment_ms=0),
    Timing("20+0.5", clock_ms=20_000, limit_ms=20_000, increment_ms=500),
)


class PaddedTurn(Turn, frozen=True, kw_only=True, tag="turn"):
    """A turn with a very long field that no bot knows."""

    padding: str


async def answers_one_turn(harness: Harness, position: Position, timing: Timing | None = None) -> None:
    """A match that begins here is answered once."""
    match = harness.new_match(position) if timing is None else harness.new_match(position, timing=timing)
    await harness.play_one_turn(match)


async def first_turn(game: str, harness: Harness) -> None:
    """The first turn of a game from its usual start."""
    await answers_one_turn(harness, load_game(game).start())


async def edge_case(game: str, turn: EdgeCase, harness: Harness) -> None:
    """A turn of a kind that bots get wrong."""
    await answers_one_turn(harness, load_game(game).parse(turn.position))


async def late_turn(game: str, harness: Harness) -> None:
    """A turn late in a long game, with a long history."""
    rules = load_game(game)
    walks = (walk(rules, min(LONGEST_WALK, rules.max_plies), seed) for seed in range(LONG_WALKS))
    await answers_one_turn(harness, max(walks, key=lambda position: position.ply))


async def quick_turns(game: str, harness: Harness) -> None:
    """Turns with little time."""
    for limit_ms in SHORT_MS:
        timing = Timing("60+0.1", clock_ms=limit_ms, limit_ms=limit_ms)
        await answers_one_turn(harness, walk(load_game(game), SEVERAL_PLIES), timing)


def _goes_on(game: Game) -> Position:
    """A few random plies from the start, where no move ends the game: a bot that only takes wins fails here."""
    walks = (walk(game, plies) for plies in range(SEVERAL_PLIES, 0, -1))
    ongoing = (at for at in walks if all(at.play(move).outcome() is None for move in at.legal_moves()))
    return next(ongoing, game.start())


async def every_time_control(harness: Harness) -> None:
    """Turns under every kind of time control, one of them without clocks."""
    for index, timing in enumerate(CONTROLS):
        await answers_one_turn(harness, walk(harness.game(index), SEVERAL_PLIES), timing)


async def one_turn_of_any_game(harness: Harness) -> None:
    """Some game is played; asked at a ply that is not the first, where no move ends the game."""
    faults: list[RuleBroken] = []
    for game in harness.games:
        try:
            await answers_one_turn(harness, _goes_on(load_game(game)))
        except RuleBroken as fault:
            # one game that it cannot play is no reason to try nothing else
            faults.append(fault)
            harness.failed_games.add(game)
            await harness.stop_bot()
        else:
            return
    raise faults[0]


async def large_numbers(harness: Harness) -> None:
    """The number of a match may need 53 bits."""
    match = harness.early_match(harness.game())
    match.number = LARGEST_MATCH
    bot = await harness.begin(match)
    with bot.attributing_to("large-numbers"):
        await harness.ask_for_move(match)
    await harness.finish(match)


async def large_frames(harness: Harness) -> None:
    """A frame may have up to a mebibyte."""
    match = harness.early_match(harness.game())
    bot = await harness.begin(match)
    await harness.move(match, await bot.send_turn(PaddedTurn(**asdict(harness.turn(match)), padding="-" * PADDING)))
    await harness.finish(match)


async def whole_game(game: str, harness: Harness) -> None:
    """A game against an opponent that plays at random, to its end and with its clock."""
    rules = load_game(game)
    position = walk(rules, rules.opening_plies or 2)
    # in one game the bot begins and in the next it follows
    match = harness.new_match(position, seat=harness.games.index(game) % 2 ^ position.to_move)
    await harness.begin(match)
    left_s = GAME_S
    while match.position.outcome() is None:
        if match.position.to_move != match.seat:
            harness.opponent_moves(match)
            continue
        left_ms = round(left_s * 1000)
        match.timing = Timing(f"{GAME_S:g}+{GAME_INCREMENT_S:g}", left_ms, left_ms, round(GAME_INCREMENT_S * 1000))
        left_s += GAME_INCREMENT_S - await timed_turn(harness, match)
        if left_s <= 0:
            raise RuleBroken(
                f"It ran out of time at ply {match.position.ply}.",
                "Divide clock_ms over the moves that may still come.",
            )
    await harness.finish(match)


async def timed_turn(harness: Harness, match: ScriptedMatch) -> float:
    """The seconds that the answer took."""
    loop = asyncio.get_running_loop()
    began_s = loop.time()
    await harness.ask_for_move(match)
    return loop.time() - began_s


def slug(words: str) -> str:
    """Words as part of a scenario's name."""
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def turns_of(game: str) -> tuple[Scenario, ...]:
    """The scenarios of one game's turns."""
    rules = load_game(game)
    section = "positions-and-moves"
    return (
        Scenario(f"{game}/first", f"answers the first turn of {rules.title}", 3, section, partial(first_turn, game)),
        *(
            Scenario(
                f"{game}/{slug(turn.about)}",
                f"answers a turn of {rules.title} where {turn.about}",
                1,
                section,
                partial(edge_case, game, turn),
            )
            for turn in rules.edge_cases()
        ),
        Scenario(f"{game}/late", f"answers late in a long game of {rules.title}", 1, section, partial(late_turn, game)),
        Scenario(
            f"{game}/quick", f"answers {rules.title} with a second left", 2, "the-clock", partial(quick_turns, game)
        ),
    )


def whole_game_of(game: str) -> Scenario:
    """A game from the opening to its end, once all its single turns are well."""
    title = f"plays a whole game of {load_game(game).title}, every move legal"
    return Scenario(f"{game}/whole", title, 5, "playing-a-match", partial(whole_game, game), after=f"{game}/")


FIRST = (
    Scenario(
        MATCH_AND_PLY,
        "answers a turn and names its match and ply",
        4,
        "playing-a-match",
        one_turn_of_any_game,
        first=True,
    ),
)
ANY_GAME = (
    Scenario("time-controls", "plays under every kind of time control", 2, "the-clock", every_time_control),
    Scenario("large-numbers", "reads numbers up to 2^53 - 1", 2, "the-two-encodings", large_numbers),
    Scenario("large-frames", "reads frames of up to 1,048,576 bytes", 2, "the-two-encodings", large_frames),
)
