"""OpenSpiel's games for two with perfect information and without chance, each hosted as `spiel_` and its name there."""

from __future__ import annotations

from typing import Any

from tabiya.game import registered

GAMES = {
    "amazons": "Amazons",
    "antichess": "Antichess (Losing Chess)",
    "breakthrough": "Breakthrough",
    "checkers": "Checkers",
    "chess": "Chess",
    "chinese_checkers": "Chinese Checkers",
    "clobber": "Clobber",
    "connect_four": "Connect Four",
    "crazyhouse": "Crazyhouse",
    "cursor_go": "Cursor Go",
    "dots_and_boxes": "Dots and Boxes",
    "go": "Go",
    "gomoku": "Gomoku",
    "havannah": "Havannah",
    "hex": "Hex",
    "hive": "Hive",
    "lines_of_action": "Lines of Action",
    "mancala": "Mancala",
    "mnk": "m,n,k-game",
    "nim": "Nim",
    "nine_mens_morris": "Nine men's morris",
    "othello": "Othello",
    "oware": "Oware",
    "pentago": "Pentago",
    "quoridor": "Quoridor",
    "shogi": "Shogi",
    "tic_tac_toe": "Tic Tac Toe",
    "twixt": "TwixT",
    "ultimate_tic_tac_toe": "Ultimate Tic-Tac-Toe",
    "xiangqi": "Chinese Chess (Xiangqi)",
    "y": "Y Connection Game",
}
"""Titles by OpenSpiel's names."""


def __getattr__(name: str) -> Any:
    """The line of the registry to which an entry point leads."""
    try:
        return registered(f"{GAMES[name.removeprefix('spiel_')]} (OpenSpiel)", "tabiya_openspiel.rules", "SpielGame")
    except KeyError:
        raise AttributeError(name) from None
