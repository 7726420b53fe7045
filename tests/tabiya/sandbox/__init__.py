"""Tests of tabiya/sandbox/."""
