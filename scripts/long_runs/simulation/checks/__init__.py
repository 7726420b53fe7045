"""Checks during a run and after it: bots get only what is saved, clocks are right, no game is lost."""
