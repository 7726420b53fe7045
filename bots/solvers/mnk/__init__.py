"""Wins by fours in the m,n,k games."""
