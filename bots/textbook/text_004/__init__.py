"""004: an assignment on Connect 5: one move ahead, minimax, minimax with lookahead, alpha-beta."""
