"""The process that `tabiya bench start` measures: it loads what a bot's worker loads, no more, and answers a question.

    python -m benchmarks.ready TABLE_MB GAME...

Says two lines: the seconds of processor time until it had answered a question on each game, and the megabytes that are
resident after it has thought about each for a second.
"""

from __future__ import annotations

import sys
import time

from tabiya.bots.players.api import MatchInfo, Player
from tabiya.bots.players.build import build_player
from tabiya.bots.players.lazy_rules import load_game, request_at

PLAYER, THINKS_S, MEGABYTE = "pvs", 1.0, 1e6


def answer(player: Player, game: str, seconds: float) -> None:
    """One move at the start of a game."""
    start = load_game(game).start()
    player.new_match(MatchInfo(match=0, game=game, seat=start.to_move))
    player.choose(request_at(start, match=0, budget_s=seconds, move_limit_ms=int(1000 * seconds)))


def main() -> None:
    """Answer, say so, think, say so."""
    table_mb, games = float(sys.argv[1]), sys.argv[2:]
    player = build_player(PLAYER, table_mb=table_mb)
    for game in games:
        answer(player, game, 0.0)
    print(time.process_time(), flush=True)
    for game in games:
        answer(player, game, THINKS_S)
    import psutil  # not before: a worker does without

    print(psutil.Process().memory_info().rss / MEGABYTE, flush=True)


if __name__ == "__main__":
    main()
