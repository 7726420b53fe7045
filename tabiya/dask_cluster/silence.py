"""How soon each end notices that the other is silent: stopped or disconnected."""

BEAT_S = 0.5
"""Interval in which each side sends a sign of life if it has no data."""
SILENCE_S = 3.0
"""An end that is silent for this long counts as lost. A machine that is only busy still sends signs of life."""
