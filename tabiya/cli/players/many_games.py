"""What all commands that play many games share: read the plan, play, report errors."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from tabiya.cli.games import COMPILING, games_of, openings_from, openings_read_from, options_from, time_control_from
from tabiya.cli.options import OnFailure
from tabiya.cli.output import note, note_if_slow
from tabiya.cli.rule_options import read_adjudication
from tabiya.cli.workers import check_workers
from tabiya.errors import UserError, user_error
from tabiya.loaded_game import game_named

if TYPE_CHECKING:
    from tabiya.bots.client.events import Event, EventTexts, Listener
    from tabiya.match.plan import MatchPlan


def plan_of(
    players: tuple[str, str],
    game: str,
    pairs: int,
    time_control: str,
    *,
    option: list[str],
    openings: str,
    seed: int,
    rules: tuple[str, str, int],
    on_failure: OnFailure,
    workers: str,
    loads: bool = True,
    shuffled: bool = False,
    plies: int = 0,
    **more: Any,
) -> MatchPlan:
    """The plan, checked as far as possible before anything is started. Raises UserError.

    option: of the game, as NAME=VALUE.  rules: the words of --draw and --resign, and --max-moves.  loads: as of
    `games_of`.  shuffled, plies: as of
    `openings_from`.  more: further fields of the plan.
    """
    from tabiya.match.openings import openings_of
    from tabiya.match.plan import MatchPlan
    from tabiya.server.core.adjudication import complaint

    check_workers(workers)
    adjudication = read_adjudication(*rules)
    for player in players:
        games_of(player, (game,), loads=loads)
    with note_if_slow(COMPILING):
        known = game_named(game)
        options = options_from(known, option)
    if adjudication and (trouble := complaint(adjudication, known.title, draws_possible=known.draws_possible)):
        raise UserError(trouble)
    plan = MatchPlan(
        players, game, pairs, time_control_from(time_control), options=options, seed=seed, adjudication=adjudication,
        openings=tuple(openings_from(openings, game, seed, shuffled=shuffled, plies=plies)),
        emergency_moves=on_failure is OnFailure.LEGAL_MOVE, **more,
    )  # fmt: skip
    if openings:
        with openings_read_from(openings):
            openings_of(plan)
    return plan


def plays_to_end(games: Coroutine[Any, Any, None]) -> bool:
    """Play; False when it was stopped by Ctrl-C. Raises UserError for expected errors."""
    from tabiya.bots.client.run import run_loop
    from tabiya.bots.gc_tuning import collect_rarely
    from tabiya.match.pairs import FAILURES

    collect_rarely()
    try:
        run_loop(games)
    except FAILURES as error:
        raise user_error(error) from None
    except KeyboardInterrupt:
        return False
    return True


def listener_of(texts: EventTexts, enough: Callable[[], None]) -> Listener:
    """A listener that prints problems of the bot, and nothing about the games."""
    from tabiya.bots.client.events import BotError, Connected, Disconnected, MoveOverdue, Note

    def listen(event: Event) -> None:
        if isinstance(event, Connected):
            enough()
        elif isinstance(event, Disconnected | BotError | MoveOverdue | Note):
            note(f"tabiya: {texts.text(event)}")

    return listen
