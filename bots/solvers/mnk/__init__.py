"""Wins by fours and threes in the m,n,k games."""
