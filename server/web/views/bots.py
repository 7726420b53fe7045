"""Response models of bots and games."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import asdict

from tabiya.games.contract import Game, Option
from tabiya.games.registry import load_game, names
from tabiya.server.standings import StandingsCache
from tabiya.server.web.schemas.responses import BotDetail, BotGame, BotLine, GameInfo, OptionInfo, ThinkingTimes
from tabiya.server.web.views.matches import title_of
from tabiya.storage.records import BotRecord, MoveTimes
from tabiya.storage.store import Store

Present = Mapping[int, tuple[str, ...]]
"""Bots that are there: the games of each, by its id."""


def bot_line(bot: BotRecord, present: Present, hosted: Present) -> BotLine:
    """The bot as one line of a list. present: who is connected.  hosted: whose programs can be started."""
    return BotLine(
        name=bot.name,
        guest=bot.guest,
        connected=bot.id in present,
        plays=present.get(bot.id, ()),
        hosted=hosted.get(bot.id, ()),
        created_at=bot.created_at,
    )


async def bot_detail(
    bot: BotRecord, present: Present, hosted: Present, standings: StandingsCache, store: Store
) -> BotDetail:
    """The bot with its record in every game. Raises StoreError."""
    games, times = [], await store.move_times(bot.id)
    for game in names():
        rows = tuple(row for row in (await standings.standings(game)).rows if row.bot == bot.name)
        thinking = tuple(map(_thinking, (each for each in times if each.game == game)))
        if rows or thinking:
            games.append(BotGame(game=game, title=title_of(game), rows=rows, thinking=thinking))
    return BotDetail(**asdict(bot_line(bot, present, hosted)), games=tuple(games))


def _thinking(times: MoveTimes) -> ThinkingTimes:
    mean, longest = round(times.mean_us / 1_000, 3), round(times.max_us / 1_000, 3)
    return ThinkingTimes(version=times.version, moves=times.moves, mean_ms=mean, max_ms=longest)


def game_info(name: str) -> GameInfo:
    game: Game = load_game(name)
    return GameInfo(
        name=game.name,
        title=game.title,
        seats=game.seat_names,
        draws_possible=game.draws_possible,
        notation=game.move_hint,
        letters=dict(game.move_letters),
        start=game.start().text(),
        options=tuple(_option(option) for option in game.options),
        rules_version=game.rules_version,
    )


def _option(option: Option) -> OptionInfo:
    bounds = {"low": option.low, "high": option.high} if type(option.default) is int else {}
    return OptionInfo(name=option.name, default=option.default, help=option.help, **bounds)
