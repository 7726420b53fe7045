"""001: step 14 of "Writing a chess program in 99 steps": minimax, alpha-beta, principal variation search, the line."""
