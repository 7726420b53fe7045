"""Lichess's Bot API in front of a server: clients that were written for lichess.org play here unchanged."""
