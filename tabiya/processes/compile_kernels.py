"""Compiling the kernels of games and engines into the cache, several games at once in processes of their own."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import as_completed

from tabiya.processes.parallel import parallel_processes

# between them they use every kernel of the search, of what solves endings, and of the textbooks' listings
PLAYERS = ("greedy", "minimax:1", "alphabeta:1", "pvs", "pvs:1?margin=1", "alphabeta-failhard:1")


def warm_all(
    games: tuple[str, ...],
    processes: int,
    players: tuple[str, ...] = PLAYERS,
    say: Callable[[str], None] = lambda sentence: None,
) -> None:
    """Compile the rules of each game and what the players need, `processes` games at once.

    say: called with a sentence for each that is ready.
    """
    begun = time.perf_counter()
    groups = longest_first(groups_with_same_rules(games))
    with parallel_processes(min(processes, len(groups))) as pool:
        jobs = {pool.submit(warm_some, group, players): group for group in groups}
        for job in as_completed(jobs):
            say(f"{', '.join(jobs[job])}: ready after {job.result():.1f} s")
    say(f"all compiled in {time.perf_counter() - begun:.1f} s")


def groups_with_same_rules(games: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The games in groups that share their rules, and so their compiled code."""
    from tabiya.games.registry import load_game

    groups: dict[str, list[str]] = {}
    for name in games:
        groups.setdefault(load_game(name).kernel_name(), []).append(name)
    return [tuple(group) for group in groups.values()]


def longest_first(groups: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Likely the longest first, so that no process compiles alone at the end.

    Several games that share their rules, then those registered last, for the registry begins with the simplest. Seconds
    of one run on two cores: 35, 28, 18 and 15; in the order of the registry that takes 63, in this one 50.
    """
    return sorted(groups, key=lambda group: (len(group), groups.index(group)), reverse=True)


def warm_some(names: tuple[str, ...], players: tuple[str, ...]) -> float:
    """Compile rules, players and what `tabiya uci` asks besides, of some games in turn; seconds taken."""
    from tabiya.bots.players.build import build_player
    from tabiya.bots.players.catalogue import evaluator_for
    from tabiya.bots.pool.warmup import warm as warm_player
    from tabiya.bots.solvers.solving_engine import SolvingEngine
    from tabiya.games.registry import load_game
    from tabiya.games.warm import warm

    begun = time.perf_counter()
    for name in names:
        game = load_game(name)
        warm(game)
        for player in players:
            warm_player(build_player(player), [name])
        # a kernel of its own, which no player calls and `tabiya uci` does
        SolvingEngine(evaluator_for(game), table_mb=0, solves=False).ended_value(game.start())
    return time.perf_counter() - begun
