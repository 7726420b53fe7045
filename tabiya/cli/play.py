"""`tabiya play`: a person against a PLAYER, in the terminal, without any server."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import typer

from tabiya.cli.errors import UserError
from tabiya.cli.games import options_from, play_moves, the_game

if TYPE_CHECKING:
    from bots.think import Player
    from games.position import Position

HELP = "a move in the game's notation, or: moves, undo, resign, help"
LOCAL_MATCH = 1


def play(
    player: str = typer.Argument(help="Who to play against, such as greedy, pvs:6 or my_bot.py:MyBot."),
    game: str = typer.Option(..., "--game", "-g", help="Name of the game."),
    seat: int = typer.Option(1, "--seat", help="Your seat: 1 begins, 2 follows.", min=1, max=2),
    position: str | None = typer.Option(None, "--position", "-p", help="Position text to start from."),
    option: list[str] = typer.Option([], "--option", "-o", help="Option of the game, as NAME=VALUE."),
    think: float = typer.Option(2.0, "--think", help="Seconds the player may think about a move.", min=0.01),
    seed: int = typer.Option(0, "--seed", help="Seed of all the player's chance; 0: another one each time."),
) -> None:
    """Play a game against PLAYER in the terminal."""
    from bots.player_spec import PlayerError, build_player
    from bots.think import ThinkMatch

    rules = the_game(game)
    options = options_from(rules, option)
    start = play_moves(rules, position, options, "")
    chance = seed or time.time_ns() % 2**31
    try:
        opponent = build_player(player)
        opponent.new_match(
            ThinkMatch(match=LOCAL_MATCH, game=game, seat=2 - seat, options=rules.read_options(options), seed=chance)
        )
    except PlayerError as error:
        raise UserError(str(error)) from None
    try:
        _play(start, opponent, seat - 1, think, chance)
    finally:
        close = getattr(opponent, "close", None)
        if close is not None:
            close()


def _play(start: Position, opponent: Player, seat: int, think: float, seed: int) -> None:
    names = start.game.seat_names
    typer.echo(f"You are {names[seat]}. {HELP[0].upper()}{HELP[1:]}.")
    line = [start]
    while line[-1].outcome() is None:
        at = line[-1]
        typer.echo(f"\n{at}\n")
        if at.to_move == seat:
            if not _persons_turn(line, names[seat], seat):
                typer.echo("You resign.")
                return
        else:
            line.append(_players_turn(at, opponent, names[1 - seat], think, seed))
    typer.echo(f"\n{line[-1]}\n\n{_verdict(line[-1], seat)}")


def _persons_turn(line: list[Position], name: str, seat: int) -> bool:
    """Read one command; False when the person resigns."""
    from games.errors import GameError

    at = line[-1]
    try:
        text = input(f"{name}> ").strip()
    except EOFError:
        return False
    if text in ("resign", "quit", "exit"):
        return False
    if text == "moves":
        typer.echo(" ".join(at.legal_moves()))
    elif text == "undo":
        while len(line) > 1 and (line.pop().to_move == seat or line[-1].to_move != seat):
            pass
    elif text in ("help", "?", ""):
        typer.echo(f"{HELP} ({at.game.move_hint})")
    else:
        try:
            line.append(at.play(text))
        except GameError as error:
            typer.echo(str(error))
    return True


def _players_turn(at: Position, opponent: Player, name: str, think: float, seed: int) -> Position:
    from bots.think import ThinkRequest

    history = at.history()
    thought = opponent.choose(
        ThinkRequest(
            match=LOCAL_MATCH,
            game=at.game.name,
            seat=at.to_move,
            ply=at.ply,
            position=at.text(),
            history_position=history.text,
            history_moves=history.moves,
            legal_moves=at.legal_moves(),
            last_move=at.last_move,
            move_limit_ms=round(think * 1_000),
            budget_s=think,
            seed=seed + at.ply,
        )
    )
    details = [f"depth {thought.depth}"] if thought.depth is not None else []
    details += [f"value {thought.score / 100:+.2f}"] if thought.score is not None else []
    details += [f"expects {' '.join(thought.pv)}"] if thought.pv else []
    typer.echo(f"{name}> {thought.move}" + (f"   ({', '.join(details)})" if details else ""))
    return at.play(thought.move)


def _verdict(at: Position, seat: int) -> str:
    outcome = at.outcome()
    assert outcome is not None
    how = outcome.ending.replace("_", " ")
    if outcome.winner is None:
        return f"A draw: {how}."
    return f"You win: {how}." if outcome.winner == seat else f"You lose: {how}."


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(play)
