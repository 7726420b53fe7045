"""What `tabiya analyse` looks at: a drawn tree or a position of a game, analysed and drawn by the textbooks' code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from tabiya.bots.textbook.analysis import Finding, Order, Question
from tabiya.bots.textbook.catalogue import Listing
from tabiya.bots.textbook.drawing import Style, View, number
from tabiya.bots.textbook.examples import EXAMPLES
from tabiya.bots.textbook.tree import DEEPEST, Tree, TreeError, parse_tree
from tabiya.cli.games import options_from, play_moves
from tabiya.cli.output import note
from tabiya.errors import UserError

if TYPE_CHECKING:
    from tabiya.bots.textbook.board import Judge
    from tabiya.games.contract import Game
    from tabiya.games.position import Position

USUAL_DEPTH = 3


class Wins(StrEnum):
    """What a won game is worth (bots/textbook/board.py)."""

    SOONER = "sooner"
    INFINITE = "infinite"
    ONE = "one"


def position_of_match(number: int, ply: int | None, server: str | None, database: str | None) -> tuple[str, str, str]:
    """The game of a stored match, its start, and the moves before this ply. Raises UserError."""
    from tabiya.cli.players.game_sources import stored_game

    found = stored_game(number, server, database)
    if ply is None or ply > len(found.moves):
        raise UserError(
            f"match {number} has {len(found.moves)} moves: say with --ply, from 0 to {len(found.moves)}, before which"
        )
    return found.game, found.start, " ".join(found.moves[:ply])


class Subject:
    """What is analysed."""

    question: Question

    def findings(self, listings: Sequence[tuple[str, Listing]]) -> list[Finding]:
        """Each algorithm's answer."""
        raise NotImplementedError

    def drawings(self, listings: Sequence[tuple[str, Listing]], view: View) -> list[list[str]]:
        """Each algorithm's search, drawn."""
        raise NotImplementedError

    def value_text(self, value: int) -> str:
        """A value of the side to move for people."""
        return number(value)

    def facts(self) -> dict[str, Any]:
        """What JSON says of it."""
        raise NotImplementedError


class TreeSubject(Subject):
    """A drawn tree, given as text or as the name of a book's example."""

    def __init__(self, text: str, min_begins: bool, question: Question) -> None:
        from dataclasses import replace

        example = EXAMPLES.get(text)
        # a list, or a single leaf; anything else is the misspelt name of an example
        if example is None and not re.match(r"\s*(\[|-?[1-9]|0\s*$)", text):
            raise TreeError(f"a drawn tree is a list such as [[9,8,7],[6,5,4]], or one of {', '.join(EXAMPLES)}")
        self.tree: Tree = parse_tree(example.text if example else text, int(min_begins))
        self.labels = example.labels if example else {}
        if question.depth > DEEPEST:
            raise TreeError(f"a tree is at most {DEEPEST} plies deep")
        self.question = replace(question, depth=question.depth or max(1, self.tree.height()))

    def findings(self, listings: Sequence[tuple[str, Listing]]) -> list[Finding]:
        from tabiya.bots.textbook.analysis import analyse_tree

        self._warn(listings)
        return analyse_tree(self.tree, listings, self.question)

    def _warn(self, listings: Sequence[tuple[str, Listing]]) -> None:
        careless = [name for name, listing in listings if not listing.tests_ends]
        if careless and not self.tree.is_even():
            note(f"{', '.join(careless)} never asks if the game is over: leaves above the last ply count as lost")

    def drawings(self, listings: Sequence[tuple[str, Listing]], view: View) -> list[list[str]]:
        from tabiya.bots.textbook.analysis import trace

        style = Style(view, labels=self.labels)
        return [trace(self.tree, listing, self.question, style) for _, listing in listings]

    def facts(self) -> dict[str, Any]:
        return {"tree": str(self.tree), "to_move": ("max", "min")[self.tree.seat]}


class GameSubject(Subject):
    """A position of a game and how it is evaluated."""

    def __init__(
        self,
        rules: Game,
        position: str | None,
        options: list[str],
        moves: str,
        question: Question,
        judged: tuple[int, bool, Wins, bool, str],
    ) -> None:
        from dataclasses import replace

        self.position: Position = play_moves(rules, position, options_from(rules, options), moves)
        if self.position.outcome() is not None:
            raise UserError(f"the game is over, there is nothing to analyse: {self.position.text()}")
        if question.order in (Order.PERFECT, Order.WORST):
            raise UserError(f"the order {question.order} knows the answer beforehand; it is for drawn trees only")
        self.question = replace(question, depth=question.depth or USUAL_DEPTH)
        self._judged = judged

    def judge(self, listing: Listing) -> Judge:
        """The evaluation asked for; preclusion needs values of -1, 0 and 1."""
        from tabiya.bots.textbook import board
        from tabiya.bots.textbook.evaluations.index import book_evaluator

        grain, quiescence, wins, near, evaluation = self._judged
        wins = Wins.ONE if listing.precludes else wins
        evaluator = book_evaluator(self.position.game, evaluation)
        return board.Judge(evaluator, grain, quiescence, board.Wins(wins.value), near)

    def findings(self, listings: Sequence[tuple[str, Listing]]) -> list[Finding]:
        from tabiya.bots.textbook.analysis import analyse_position

        return analyse_position(self.position, listings, self.question, self.judge)

    def drawings(self, listings: Sequence[tuple[str, Listing]], view: View) -> list[list[str]]:
        from tabiya.bots.textbook.analysis import trace
        from tabiya.bots.textbook.board import Board

        style = Style(view, self.position.game.seat_names)
        return [
            trace(Board(self.position, self.judge(listing)), listing, self.question, style) for _, listing in listings
        ]

    def value_text(self, value: int) -> str:
        from tabiya.bots.search.scores import MATE, value_text

        grain, _, wins, _, _ = self._judged
        # 1 and -1 are said as they are: what precludes has values of -1, 0 and 1 (judge), which are no hundredths
        usual = wins is Wins.SOONER and grain == 1 and abs(value) <= MATE
        return value_text(value) if usual and value not in (-1, 1) else number(value)

    def facts(self) -> dict[str, Any]:
        game = self.position.game
        return {"game": game.name, "position": self.position.text(), "to_move": game.seat_names[self.position.to_move]}
