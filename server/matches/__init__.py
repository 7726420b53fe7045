"""Matches under way: the effects of the pure core carried out, timers, watchers."""
