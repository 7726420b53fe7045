"""`tabiya play`: a person against a PLAYER, in the terminal, without any server."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from tabiya.cli.games import COMPILING, COMPILING_ENGINES, options_from, play_moves, player_for
from tabiya.cli.output import note_if_slow
from tabiya.errors import UserError, user_error
from tabiya.loaded_game import game_named
from tabiya.protocol.printable import printable

if TYPE_CHECKING:
    from tabiya.bots.players.api import MoveReply, MoveRequest, Player
    from tabiya.games.position import Position

HELP = "type a move ({hint}), or: moves, undo, resign, help"
LOCAL_MATCH = 1


def play(
    player: str = typer.Argument(help="Opponent, such as greedy, pvs:6 or my_bot.py:MyBot."),
    game: str = typer.Option(..., "--game", "-g", help="Name of the game."),
    seat: int = typer.Option(1, "--seat", help="Your seat; 1 moves first.", min=1, max=2),
    position: str | None = typer.Option(None, "--position", "-p", help="Position text to start from."),
    option: list[str] = typer.Option([], "--option", "-o", help="Option of the game, as NAME=VALUE."),
    move_time: float = typer.Option(2.0, "--move-time", help="Seconds per move for the player.", min=0.01),
    seed: int = typer.Option(0, "--seed", help="Seed of the player's random numbers; 0: a new one each time."),
) -> None:
    """Play a game against PLAYER in the terminal."""
    from tabiya.bots.players.api import MatchInfo

    with note_if_slow(COMPILING):
        rules = game_named(game)
        options = options_from(rules, option)
        start = play_moves(rules, position, options, "")
    chance = seed or time.time_ns() % 2**31
    # 2 - seat: the other seat, counted from 0
    match = MatchInfo(match=LOCAL_MATCH, game=game, seat=2 - seat, options=rules.read_options(options), seed=chance)
    opponent = player_for(player, game)
    try:
        with note_if_slow(COMPILING_ENGINES), _player_errors_as_user_errors(player):
            opponent.new_match(match)
        _TerminalGame(start, player, opponent, seat - 1, move_time, chance).play()
    finally:
        close = getattr(opponent, "close", None)  # of an engine's program; most players have nothing to end
        if close is not None:
            close()


@contextlib.contextmanager
def _player_errors_as_user_errors(player: str) -> Iterator[None]:
    """Turns a player's exceptions into one sentence, with the place if the error is in the author's file."""
    from tabiya.bots.adapters.engine_process import ProgramError
    from tabiya.bots.client.failure import failure_of
    from tabiya.bots.players.spec import PlayerError

    try:
        yield
    except (PlayerError, ProgramError) as error:
        raise user_error(error) from None
    except Exception as error:
        failure = failure_of(error, f"{player}: choose")
        raise UserError(failure.error, failure=failure) from None


class _TerminalGame:
    """A person and a player at a board. line: every position of the game so far."""

    def __init__(self, start: Position, player: str, opponent: Player, seat: int, move_time: float, seed: int) -> None:
        self.line = [start]
        self._player, self._opponent = player, opponent
        self._seat, self._move_time, self._seed = seat, move_time, seed
        self._name, self._other = start.game.seat_names[seat], start.game.seat_names[1 - seat]
        self._help = HELP.format(hint=start.game.move_hint)

    def play(self) -> None:
        """Play to the end, or until one of the two resigns."""
        typer.echo(f"You are {self._name}. {self._help[:1].upper()}{self._help[1:]}")
        self._draw()
        while self.line[-1].outcome() is None:
            if not (self._human_turn() if self.line[-1].to_move == self._seat else self._players_turn()):
                return
        typer.echo(_verdict(self.line[-1], self._seat))

    def _draw(self) -> None:
        typer.echo(f"\n{self.line[-1]}\n")

    def _human_turn(self) -> bool:
        """Read one command; False when the person resigns."""
        try:
            text = input(f"{self._name}> ").strip()
        except EOFError:  # Ctrl-D, or the end of a file of moves
            typer.echo()
            text = "resign"
        match text.lower():
            case "resign" | "quit" | "exit":
                typer.echo("You resign.")
                return False
            case "moves":
                typer.echo(" ".join(self.line[-1].legal_moves()))
            case "undo":
                self._undo()
            case "help" | "?" | "":
                typer.echo(self._help)
            case _:
                self._move(text)
        return True

    def _move(self, text: str) -> None:
        from tabiya.games.errors import GameError

        try:
            self.line.append(self.line[-1].play(typed_move(self.line[-1], text)))
        except GameError as error:
            typer.echo(str(error))
        else:
            self._draw()

    def _undo(self) -> None:
        """Back to where the person had the move before; the player's answer goes too."""
        mine = [index for index, at in enumerate(self.line[:-1]) if at.to_move == self._seat]
        if not mine:
            typer.echo("there is no move of yours to take back")
            return
        del self.line[mine[-1] + 1 :]
        self._draw()

    def _players_turn(self) -> bool:
        """Ask the player; False when it resigns. Raises UserError if it fails or breaks the rules."""
        from tabiya.games.errors import GameError

        at = self.line[-1]
        thought = self._thought(at)
        if thought.resign:
            typer.echo(f"{self._other} resigns. You win.")
            return False
        typer.echo(f"{self._other}> {printable(thought.move)}{_details(thought)}")
        try:
            self.line.append(at.play(thought.move))
        except GameError as error:
            raise UserError(f"{self._player} broke the rules: {error}") from None
        self._draw()
        return True

    def _thought(self, at: Position) -> MoveReply:
        alarm = threading.Timer(self._move_time, self._opponent.stop)
        alarm.start()
        try:
            with note_if_slow(COMPILING_ENGINES, self._move_time + 2.0), _player_errors_as_user_errors(self._player):
                return self._opponent.choose(_request(at, self._move_time, self._seed + at.ply))
        finally:
            alarm.cancel()


def typed_move(at: Position, text: str) -> str:
    """The move that a person means: in any case of letters, or as people write it in this game (chess: `Nf3`).

    Raises IllegalMove or MoveFormatError.
    """
    from tabiya.games.registry import load_game

    for move in (text, text.lower()):
        if move in at.legal_moves():
            return move
    return load_game(at.game.name).read_move(at, text)


def _request(at: Position, move_time: float, seed: int) -> MoveRequest:
    from tabiya.bots.players.lazy_rules import request_at

    limit = {"time_control": f"{move_time:g}/move", "move_limit_ms": round(move_time * 1_000), "budget_s": move_time}
    return request_at(at, LOCAL_MATCH, seed=seed, **limit)


def _details(thought: MoveReply) -> str:
    from tabiya.bots.search.scores import value_text

    details = [f"depth {thought.depth}"] if thought.depth is not None else []
    details += [value_text(thought.score)] if thought.score is not None else []
    details += [f"expects {' '.join(thought.pv)}"] if thought.pv else []
    return f"   ({printable(', '.join(details))})" if details else ""


def _verdict(at: Position, seat: int) -> str:
    outcome = at.outcome()
    assert outcome is not None
    how = outcome.ending.replace("_", " ")
    if outcome.winner is None:
        return f"A draw: {how}."
    return f"You win: {how}." if outcome.winner == seat else f"You lose: {how}."
