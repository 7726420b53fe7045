"""Any of these games by OpenSpiel's own rules. A position is its moves since the start, a number in letters for each.

A game that is longer than such a text may be is drawn.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from typing import Any, NamedTuple

import pyspiel

from tabiya.game import OptionValue, Outcome, PositionError, PythonGame

DIGITS = string.digits + string.ascii_letters
START = "-"
LINES = str.maketrans(dict.fromkeys("┌┐└┘├┤┬┴┼", "+") | dict.fromkeys("╴╶─", "-") | dict.fromkeys("╵╷│", "|"))


class Played(NamedTuple):
    """A position: OpenSpiel's state, and its numbers of the legal moves by our texts."""

    state: Any
    actions: dict[str, int]


class SpielGame(PythonGame):
    """The game of OpenSpiel whose name stands behind `spiel_`, as its parameters are by default."""

    rules_version = 1
    seat_names, seat_colours = ("First", "Second"), ("#2f6f9f", "#b5532e")
    endings = ("by_the_rules", "too_long")
    draws_possible = True
    opening_plies = 2
    move_pattern = re.compile(f"[A-Za-z0-9]{{1,{PythonGame.max_move_text}}}")
    move_hint = "one of the legal moves"

    def __init__(self, name: str, title: str) -> None:
        super().__init__(name, title)
        self.spiel = pyspiel.load_game(name.removeprefix("spiel_"))
        self.digits = next(width for width in (1, 2, 3) if len(DIGITS) ** width >= self.spiel.num_distinct_actions())
        self.max_plies = min(self.max_text // self.digits, self.spiel.max_game_length())

    def first(self, options: Mapping[str, OptionValue]) -> Played:
        return _played(self.spiel.new_initial_state())

    def read(self, text: str) -> Played:
        state = self.spiel.new_initial_state()
        if text == START:
            return _played(state)
        if not text.isascii() or not text.isalnum() or len(text) % self.digits:
            raise PositionError(f"a position is {START}, or letters and digits, {self.digits} for each move")
        for at in range(0, len(text), self.digits):
            action = 0
            for letter in text[at : at + self.digits]:
                action = len(DIGITS) * action + DIGITS.index(letter)
            if state.is_terminal() or action not in state.legal_actions():
                raise PositionError(f"move {at // self.digits + 1} is not legal")
            state.apply_action(action)
        return _played(state)

    def written(self, position: Played) -> str:
        return "".join(map(self._letters, position.state.history())) or START

    def _letters(self, action: int) -> str:
        letters = ""
        for _ in range(self.digits):
            action, digit = divmod(action, len(DIGITS))
            letters = DIGITS[digit] + letters
        return letters

    def mover(self, position: Played) -> int:
        player: int = position.state.current_player()
        return player if player >= 0 else 1 - int(position.state.full_history()[-1].player)

    def moves(self, position: Played) -> list[str]:
        return list(position.actions)

    def after(self, position: Played, move: str) -> Played:
        child = position.state.clone()
        child.apply_action(position.actions[move])
        return _played(child)

    def result(self, position: Played) -> Outcome | None:
        if position.state.is_terminal():
            first, second = position.state.returns()
            return Outcome(None if first == second else int(second > first), "by_the_rules")
        return Outcome(None, "too_long") if len(position.state.history()) >= self.max_plies else None

    def drawing(self, position: Played) -> str:
        return str(position.state).translate(LINES).encode("ascii", "replace").decode()


def _played(state: Any) -> Played:
    """With OpenSpiel's own texts of the moves, shortened; or else its numbers of them."""
    legal = state.legal_actions()
    texts = [_shortened(state.action_to_string(action)) for action in legal]
    if len(set(texts)) < len(texts) or not all(0 < len(text) <= PythonGame.max_move_text for text in texts):
        texts = [str(action) for action in legal]
    return Played(state, dict(zip(texts, legal, strict=True)))


def _shortened(text: str) -> str:
    """Letters and digits alone; numbers that something parted are parted by an x."""
    return re.sub("[^A-Za-z0-9]", "", re.sub(r"(?<=\d)[^A-Za-z0-9]+(?=\d)", "x", text))
