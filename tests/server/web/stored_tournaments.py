"""Tournaments as a server would have stored them, without one game having been played: for pages at any moment."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins

from tabiya.server.pairing import FORMATS
from tabiya.server.pairing.state import Mark, ScheduledGame
from tabiya.server.tournaments.settings import TournamentOrder, plan_of, settings_of
from tabiya.storage.records import (
    BotId,
    MatchId,
    NewMatch,
    NewTournament,
    ResultRecord,
    SeatRecord,
    TournamentEntry,
    TournamentId,
    TournamentStatus,
    TournamentStep,
)
from tabiya.storage.store import Store
from tests.server.pairing.play import Played
from tests.server.web.web_server import GAME

BEGAN = 1_750_000_000.0
WINNERS = {Mark.FIRST_WON: 0, Mark.SECOND_WON: 1}


async def stored_tournament(
    store: Store,
    form: str,
    bots: tuple[str, ...],
    *,
    share: float = 1.0,
    status: TournamentStatus = "running",
    seed: int = 1,
    name: str = "Cup",
    **fields: Any,
) -> TournamentId:
    """A tournament of which that share of the games is played, some run, and the rest is to come.

    Each game has lasted `10 s + its number`; one that runs began a minute after the last of these.
    """
    order = TournamentOrder(name=name, game=GAME, format=form, bots=bots, time_control="60+0.5", seed=seed, **fields)
    settings = settings_of(order, time_control="60+0.5")
    play = Played(FORMATS[form], plan_of(settings, len(bots)), seed, abort=0.0, absent=0.0, slots=len(bots) // 2)
    while not play.over() and play.state.games_played < share * _total(play):
        play.step()
    ids = [await _bot(store, bot) for bot in bots]
    entries = tuple(
        TournamentEntry(number=number, bot_id=bot, bot=bots[number], version="1.0") for number, bot in enumerate(ids)
    )
    tournament = await store.create_tournament(
        NewTournament(
            name=name,
            game=GAME,
            format=form,
            settings=to_builtins(settings),
            seed=seed,
            state={},
            entries=entries,
            created_at=BEGAN,
        )
    )
    step = TournamentStep(
        tournament_id=tournament, step=1, status=status, state=to_builtins(play.state), started_at=BEGAN
    )
    await store.save_tournament_step(step)
    for number, mark in enumerate(play.state.marks):
        if mark in (*WINNERS, Mark.DRAWN, Mark.RUNNING):
            game = play.form.game(play.plan, play.state, number)
            await _match(store, tournament, game, entries, Mark(mark))
    return tournament


def _total(play: Played) -> int:
    return play.form.max_games(play.plan, play.state)


async def _bot(store: Store, name: str) -> BotId:
    known = await store.bot_by_name(name)
    return (known or await store.create_bot(name, created_at=BEGAN)).id


async def _match(
    store: Store, tournament: TournamentId, game: ScheduledGame, entries: tuple[TournamentEntry, ...], mark: Mark
) -> MatchId:
    began = BEGAN + 5 * game.number
    one, two = (
        SeatRecord(bot_id=entries[entrant].bot_id, bot=entries[entrant].bot, version="1.0")
        for entrant in (game.first, game.second)
    )
    match = await store.create_match(
        NewMatch(
            key=f"stored-{tournament}-{game.number}",
            game=GAME,
            rules_version=1,
            start_text="",
            time_control="60+0.5",
            seats=(one, two),
            stall_limit_ms=60_000,
            remaining_us=(60_000_000, 60_000_000),
            tournament_id=tournament,
            pairing=game.meeting,
            game_index=game.leg,
            created_at=began,
        )
    )
    if mark != Mark.RUNNING:
        await store.finish_match(
            ResultRecord(
                match_id=match,
                winner=WINNERS.get(mark),
                ending="full_board" if mark == Mark.DRAWN else "line",
                remaining_us=(50_000_000, 50_000_000),
                ended_at=began + 10 + game.number,
            )
        )
    return match
