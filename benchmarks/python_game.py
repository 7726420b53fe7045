"""The speed of rules in plain Python: Connect Four compiled, as a package has it, and as the naive twin of the tests.

python -m benchmarks.python_game                  # a referee's moves, random games, perft, the engine: processor time
python -m benchmarks.python_game --seconds 5
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from benchmarks.common import parser, print_rows
from tabiya.bots.engine.engine import Engine
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.games.contract import Game, OptionValue
from tabiya.games.perft import perft
from tabiya.games.python_game import PythonGame
from tabiya.games.rules import Outcome
from tabiya.research.playouts import random_playouts
from tests.examples.twins import connect4 as twin
from tests.live import ROOT

COLUMNS = {"what": ("a second", "<24"), "compiled": ("compiled", ">13,.0f"), "python": ("plain Python", ">14,.0f")}


@dataclass(frozen=True, slots=True)
class Row:
    """How often a second, both ways."""

    what: str
    compiled: float
    python: float


class NaiveConnectFour(PythonGame):
    """The twin's functions, by the names that the contract has for them."""

    rules_version = 1
    seat_names, seat_colours = ("Red", "Yellow"), ("#d55e00", "#f0e442")
    endings = ("four_in_a_row", "full_board")
    draws_possible = True
    max_plies = 42
    move_pattern = re.compile("[a-g]")
    move_hint = "the letter of a column, such as d"

    def first(self, options: Mapping[str, OptionValue]) -> twin.Position:
        return twin.Position()

    def read(self, text: str) -> twin.Position:
        board, _, side = text.partition(" ")
        columns = zip(*reversed(board.split("/")), strict=True)
        return twin.Position(tuple("".join(discs).rstrip("-") for discs in columns), side)

    def written(self, position: twin.Position) -> str:
        return twin.text(position)

    def mover(self, position: twin.Position) -> int:
        return "RY".index(position.side)

    def moves(self, position: twin.Position) -> list[str]:
        return twin.legal_moves(position)

    def after(self, position: twin.Position, move: str) -> twin.Position:
        return twin.play(position, move)

    def result(self, position: twin.Position) -> Outcome | None:
        found = twin.outcome(position)
        return None if found is None else Outcome(*found)


def rate(work: Callable[[int], int], seconds: float) -> float:
    """How much `work` does in a second of processor time; its amount grows until the measurement is long enough."""
    amount = 1
    while True:
        begun = time.process_time()
        done = work(amount)
        if (taken := time.process_time() - begun) >= seconds:
            return done / taken
        amount *= 2


def refereed(game: Game, games: int) -> int:
    """Plies of random games, move by move as a referee makes them."""
    draw, plies = random.Random(1), 0
    for _ in range(games):
        position = game.start()
        while position.outcome() is None:
            position, plies = position.play(draw.choice(position.legal_moves())), plies + 1
    return plies


def works(game: Game) -> dict[str, Callable[[int], int]]:
    """The work that is measured, all compiled or loaded before."""
    engine = Engine(evaluator_for(game))
    found: dict[str, Callable[[int], int]] = {
        "moves of a referee": lambda games: refereed(game, games),
        "plies of random games": lambda games: int(random_playouts(game.start(), games, seed=1).plies.sum()),
        "leaves of perft": lambda amount: perft(game.start(), 3 + amount.bit_length()),
        "nodes of the engine": lambda amount: engine.search(game.start(), nodes=256 * amount).nodes,
    }
    for work in found.values():
        work(1)
    return found


def measured(seconds: float) -> Iterator[Row]:
    """A row for each kind of work."""
    sys.path.insert(0, str(ROOT / "examples" / "games" / "connect4"))
    from tabiya_connect4.rules import ConnectFour

    both = works(ConnectFour("connect4", "Connect Four")), works(NaiveConnectFour("naive", "Connect Four"))
    for what in both[0]:
        yield Row(what, rate(both[0][what], seconds), rate(both[1][what], seconds))


def main() -> None:
    """The command."""
    options = parser("What rules in plain Python cost.")
    options.add_argument("--seconds", type=float, default=2.0, help="of each figure, at least")
    given = options.parse_args()
    print_rows(measured(given.seconds), COLUMNS, given.format)


if __name__ == "__main__":
    main()
