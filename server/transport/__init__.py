"""Bytes to messages and back: websockets, their limits, and a line in memory. Knows no game."""
