"""`tabiya match PLAYER PLAYER`: many games between two players, without a server of one's own."""

from __future__ import annotations

import asyncio
import math
import os
from collections import Counter
from typing import TYPE_CHECKING, Any

import typer

from tabiya.cli.errors import INTERRUPTED, UserError
from tabiya.cli.games import COMPILING, games_of, options_from, the_game
from tabiya.cli.output import FORMAT_OPTION, Format, note, printable, saying, show, show_json
from tabiya.cli.progress import bars

if TYPE_CHECKING:
    from bots.client.events import Event, Listener
    from tabiya.match.run import MatchPlan, Played

COLUMNS = {
    "player": "player",
    "games": "games",
    "wins": "won",
    "draws": "drawn",
    "losses": "lost",
    "points": "points",
    "elo": "Elo",
    "plus_minus": "±",
    "superiority": "better, %",
}
SLOW = "getting ready: engines are compiled the first time, which can take some minutes; then they are kept"


def match(
    first: str = typer.Argument(help="A PLAYER, such as my_bot.py:MyBot."),
    second: str = typer.Argument(help="Another PLAYER, such as alphabeta:4."),
    game: str = typer.Option(..., "--game", "-g", help="Name of the game."),
    games: int = typer.Option(20, "--games", "-n", help="How many games; an odd number is rounded up.", min=1),
    time_control: str = typer.Option("10+0.1", "--time", "-t", help="Time control of the games."),
    at_once: int = typer.Option(
        0, "--at-once", help="Games at the same time; 0: half as many as cores.", min=0, max=64
    ),
    option: list[str] = typer.Option([], "--option", "-o", help="Option of the game, as NAME=VALUE."),
    seed: int = typer.Option(0, "--seed", help="Seed of the openings and of the players' chance."),
    database: str = typer.Option("memory:", "--database", "-d", help="Where to keep the games; usually nowhere."),
    form: Format = FORMAT_OPTION,
) -> None:
    """Play games in pairs, each pair from one opening with seats changed, and say which PLAYER is better."""
    from tabiya.match.run import MatchPlan, Played

    for player in (first, second):
        games_of(player, (game,))
    with saying(COMPILING):
        options = options_from(the_game(game), option)
    pairs = (games + 1) // 2
    slots = at_once or max(1, (os.cpu_count() or 2) // 2)
    plan = MatchPlan((first, second), game, pairs, _checked(time_control), slots, options, seed, database)
    played = Played()
    finished = _play(plan, played)
    _show(played, form)
    if not finished:
        raise typer.Exit(INTERRUPTED)


def _checked(time_control: str) -> str:
    from protocol.time_control import TimeControlError, parse

    try:
        return str(parse(time_control))
    except TimeControlError as error:
        raise UserError(str(error)) from None


def _play(plan: MatchPlan, played: Played) -> bool:
    """Play to the end; False when it was stopped by Ctrl-C. Raises UserError."""
    from bots.client.errors import ClientError
    from bots.player_spec import PlayerError
    from bots.pool.errors import WorkerError
    from games.errors import GameError
    from server.app import StartError
    from storage.errors import StoreError
    from tabiya.match.run import MatchFailed, play

    label = " against ".join(plan.players)
    try:
        with bars() as progress, saying(SLOW) as enough:
            work = play(plan, played, _listener(enough), lambda now: progress.set(0, label, len(now.games), plan.games))
            asyncio.run(work)
    except (ClientError, GameError, MatchFailed, PlayerError, StartError, StoreError, WorkerError) as error:
        raise UserError(str(error)) from None
    except KeyboardInterrupt:
        return False
    return True


def _listener(enough: Any) -> Listener:
    """Says what a bot's author must know and nothing of the course of the games."""
    from bots.client.events import Connected, Disconnected, Fault, Late

    def listen(event: Event) -> None:
        if isinstance(event, Connected):
            enough()
        elif isinstance(event, Disconnected | Fault | Late):
            note(f"tabiya: {event}")

    return listen


def _show(played: Played, form: Format) -> None:
    rows = _rows(played)
    if form is Format.JSON:
        show_json({"players": rows, "games": [_game(game) for _, game in sorted(played.games.items())]})
        return
    show(rows, COLUMNS, form, (("superiority",),))
    if form is Format.TABLE:
        for line in _endings(played):
            typer.echo(line)


def _rows(played: Played) -> list[dict[str, Any]]:
    score = played.score
    first = (score.wins, score.draws, score.losses, score.elo, score.superiority)
    second = (score.losses, score.draws, score.wins, -score.elo, 1 - score.superiority)
    rows = []
    for name, (wins, draws, losses, elo, superiority) in zip(played.names, (first, second), strict=True):
        rows.append(
            {
                "player": name,
                "games": score.games,
                "wins": wins,
                "draws": draws,
                "losses": losses,
                "points": wins + draws / 2,
                "elo": round(elo, 1) if math.isfinite(elo) else None,
                "plus_minus": None if score.plus_minus is None else round(score.plus_minus, 1),
                "superiority": round(100 * superiority, 1),
            }
        )
    return rows


def _game(game: Any) -> dict[str, Any]:
    return {
        "number": game.number + 1,
        "match": game.match,
        "first_seat": game.first_seat,
        "score": game.score,
        "ending": game.ending,
        "reason": game.reason,
    }


def _endings(played: Played) -> list[str]:
    """How the games ended, for each player that won: what to look at first."""
    counts: Counter[str] = Counter()
    for game in played.games.values():
        who = {1.0: f"{played.names[0]} won", 0.0: f"{played.names[1]} won", 0.5: "drawn"}
        counts[f"{who.get(-1.0 if game.score is None else game.score, 'no result')}: {game.ending}"] += 1
    return [printable(f"{count:4}  {what.replace('_', ' ')}") for what, count in counts.most_common()]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(match)
