"""Breakthrough for Tabiya, in plain Python. Loads no rules: they are loaded when somebody plays."""

from tabiya.game import registered

GAME = registered("Breakthrough", "tabiya_breakthrough.rules", "Breakthrough")
