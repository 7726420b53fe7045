"""One move of every game before any clock runs, so that nothing is compiled while one does."""

from __future__ import annotations

from collections.abc import Iterable

from tabiya.bots.players.api import MatchInfo, Player
from tabiya.bots.players.from_bot import BotPlayer
from tabiya.bots.players.lazy_rules import have_rules, request_at

WARM_S = 0.5  # plenty for an engine to answer; a search plans far less


def warm(player: Player, games: Iterable[str]) -> None:
    """Let the player think shortly about the start of each game; a bot from a file gets ready by its `prepare`.

    Without the rules on this machine there is nothing to compile either, and nothing is done.
    """
    wanted = tuple(games)
    if isinstance(player, BotPlayer):  # its first move is requested when a clock runs, not before
        player.prepare(wanted)
        return
    if not wanted or not have_rules():
        return
    from tabiya.games.registry import load_game, names

    for game in wanted:
        if game in names():
            start = load_game(game).start()
            player.new_match(MatchInfo(match=0, game=game, seat=start.to_move))
            left_ms = int(WARM_S * 1000)
            player.choose(request_at(start, 0, budget_s=WARM_S, move_limit_ms=left_ms, remaining_ms=left_ms))
