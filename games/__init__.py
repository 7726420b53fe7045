"""The rules: one folder per game, one contract, one registry line. Pure; imports nothing else of Tabiya."""
