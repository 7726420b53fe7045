"""Hex for Tabiya. Loads no rules: they are loaded when somebody plays."""

from tabiya.game import registered

GAME = registered("Hex", "tabiya_hex.rules", "Hex")
