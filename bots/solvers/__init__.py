"""Exact answers near the end of a game, and the engine that asks for them."""
