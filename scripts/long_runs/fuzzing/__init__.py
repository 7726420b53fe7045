"""Mutated messages and hostile clients, and an honest pair that must play on undisturbed."""
