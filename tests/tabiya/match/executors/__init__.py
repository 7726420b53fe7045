"""Tests of tabiya/match/executors/."""
