"""Pairing outside tournaments: seeks and challenges."""
