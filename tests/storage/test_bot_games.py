"""What every store answers about the games of one bot."""

from __future__ import annotations

from msgspec.structs import replace

from tabiya.storage.records import BotId, GameFilter, GameOpening, MatchId, ThinkTime
from tabiya.storage.store import Store
from tests.storage.samples import NOON, move, new_match, result, seat, two_bots


async def played(store: Store) -> list[MatchId]:
    """Ada against Bob in two games, against Eve, and one that goes on; one aborted."""
    ada, bob = await two_bots(store)
    eve = await store.create_bot("eve", created_at=NOON)
    ids = []
    for number, (first, second, game) in enumerate(
        [(ada, bob, "reversi"), (bob, ada, "nim"), (eve, ada, "reversi"), (bob, eve, "reversi"), (ada, bob, "reversi")]
    ):
        seats = (seat(first), seat(second))
        ids.append(await store.create_match(new_match((first, second), f"m{number}", game=game, seats=seats)))
    for match_id in ids[:4]:
        await store.finish_match(result(match_id))
    aborted = await store.create_match(new_match((ada, bob), "aborted"))
    await store.finish_match(result(aborted, ending="aborted", winner=None))
    return ids


async def test_the_ended_games_of_a_bot_come_in_order_in_either_seat_and_as_many_as_are_wanted(store: Store) -> None:
    first, second, third, *_ = await played(store)
    ada, bob = BotId(1), BotId(2)

    async def found(**wanted: object) -> list[MatchId]:
        asked = GameFilter(**{"bot_id": ada, **wanted})  # type: ignore[arg-type]
        return [game.match_id for game in await store.games_of_bot(asked)]

    assert await found() == [third, second, first]
    assert await found(oldest_first=True, limit=2) == [first, second]
    assert await found(game="nim") == [second]
    assert await found(against=bob) == [second, first]
    assert await found(before=third) == [second, first]
    assert await found(after=first, oldest_first=True) == [second, third]
    assert await found(bot_id=BotId(99)) == []
    [game] = await store.games_of_bot(GameFilter(bot_id=ada, limit=1))
    assert (game.bots, game.versions) == (("eve", "ada"), ("1.0", "1.0"))


async def test_how_matches_began_and_how_long_their_moves_took_is_told_for_several_at_once(store: Store) -> None:
    first, second, *_ = await played(store)
    await store.append_move(replace(move(first, 2, "c4"), seat=0, think_us=700))
    ada, bob, _ = await store.list_bots()
    start = new_match((ada, bob)).start_text
    assert await store.game_openings([first, second, MatchId(99)], 1) == {
        first: GameOpening(start_text=start, moves=("d3",)),
        second: GameOpening(start_text=start, moves=("d3",)),
    }
    assert (await store.game_openings([first], 9))[first].moves == ("d3", "c3", "c4")
    assert await store.think_times([first, second]) == {first: (ThinkTime(ply=2, seat=0, think_us=700),)}
