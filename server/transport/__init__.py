"""Bytes to messages and back: websockets, their limits, and nothing of what they say. Knows no game."""
