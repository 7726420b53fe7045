"""Any PLAYER as a `Bot` that can be connected."""

from __future__ import annotations

from typing import Any

from tabiya.bots.client.bot import Bot
from tabiya.bots.players.build import check_ponders_not
from tabiya.bots.players.spec import PlayerKind, parse_player
from tabiya.bots.pool.pool_bot import PoolBot, name_from_player, say
from tabiya.bots.pool.sandbox import Sandbox


def make_bot(
    player: str,
    *,
    name: str = "",
    version: str = "",
    games: tuple[str, ...] = (),
    workers: int | None = None,
    sandbox: Sandbox | None = None,
    **options: Any,
) -> Bot:
    """The bot for a text of the PLAYER grammar.  Raises tabiya.bots.players.spec.PlayerError.

    It thinks in worker processes, one if `workers` is None. Only somebody's own class is then run in this process
    itself: all its hooks are called, and it can be debugged; what it does to its process is its author's business.
    sandbox: what is put around its workers. Nothing of a file runs in this process then, so `games` have to be given.
    options: threads, seed and what else PoolBot takes; with `remote` everybody's thinks in workers.
    """
    spec = parse_player(player)
    check_ponders_not(spec)
    if spec.kind is PlayerKind.PROGRAM:
        from tabiya.bots.adapters.program_bot import ProgramBot

        called = name or name_from_player(player)
        return ProgramBot(spec.command, name=called, version=version, games=games, sandbox=sandbox, report=say)
    if spec.kind is PlayerKind.FILE and (sandbox is not None or options.get("remote") is not None):
        name = name or spec.name
    elif spec.kind is PlayerKind.FILE and workers is None:
        from tabiya.bots.players.from_file import load_bot, load_custom_evaluator

        if load_custom_evaluator(spec.path, spec.name) is None:
            bot = load_bot(spec.path, spec.name)
            bot.name, bot.version, bot.games = name or bot.name, version or bot.version, games or bot.games
            return bot
        name = name or spec.name  # an evaluation plays as engines do, in processes of their own
    return PoolBot(player, name=name, version=version, games=games, workers=workers or 1, sandbox=sandbox, **options)
