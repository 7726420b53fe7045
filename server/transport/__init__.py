"""Websockets: bytes to messages and back, with all limits. Knows no game."""
