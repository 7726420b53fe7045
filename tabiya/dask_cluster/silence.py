"""How soon each end notices that the other is silent: stopped or disconnected."""

BEAT_S = 0.5
"""Who waits for the other's bytes is told at least so often that there are none."""
SILENCE_S = 3.0
"""Who has not been heard of for so long is lost. A machine that is only busy says something now and then."""
