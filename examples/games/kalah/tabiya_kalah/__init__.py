"""Kalah for Tabiya. Loads no rules: they are loaded when somebody plays."""

from tabiya.game import registered

GAME = registered("Kalah", "tabiya_kalah.rules", "Kalah")
