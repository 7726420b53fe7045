"""The subject of `tabiya analyse`: a drawn tree or a position of a game, and how its values are written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tabiya.bots.textbook.node import Wins
from tabiya.bots.textbook.recording.drawing import number
from tabiya.bots.textbook.recording.question import SearchQuestion
from tabiya.bots.textbook.tree import TreeError
from tabiya.cli.games import options_from
from tabiya.errors import UserError, user_errors
from tabiya.loaded_game import game_named


def position_of_match(number: int, ply: int | None, server: str | None, database: str | None) -> tuple[str, str, str]:
    """The game of a stored match, its start, and the moves before this ply. Raises UserError."""
    from tabiya.cli.players.game_sources import stored_game

    found = stored_game(number, server, database)
    if ply is None or ply > len(found.moves):
        raise UserError(
            f"match {number} has {len(found.moves)} moves: say with --ply, from 0 to {len(found.moves)}, before which"
        )
    return found.game, found.start, " ".join(found.moves[:ply])


def checked_question(question: SearchQuestion, options: list[str]) -> SearchQuestion:
    """The complete question. options: of the game's start, as NAME=VALUE.  Raises UserError."""
    if question.game:
        rules = game_named(question.game)
        given = options_from(rules, options)
        if given and not question.position:
            question = replace(question, position=rules.start(given).text())
    with user_errors(TreeError, ValueError):
        return question.checked()


def facts(question: SearchQuestion) -> dict[str, Any]:
    """The subject's fields in the JSON output."""
    if question.tree:
        return {"tree": str(question.tree_searched()), "to_move": ("max", "min")[question.min_begins]}
    position = question.position_searched()
    game = position.game
    return {"game": game.name, "position": position.text(), "to_move": game.seat_names[position.to_move]}


def value_text(question: SearchQuestion, value: int) -> str:
    """A value of the side to move for people."""
    if question.tree:
        return number(value)
    from tabiya.bots.search.scores import MATE
    from tabiya.bots.search.scores import value_text as in_words

    # 1 and -1 are said as they are: what precludes has values of -1, 0 and 1, which are no hundredths
    usual = question.wins == Wins.SOONER and question.grain == 1 and abs(value) <= MATE
    return in_words(value) if usual and value not in (-1, 1) else number(value)
