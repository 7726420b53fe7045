"""000: minimax, negamax, alpha-beta in both forms, and the greedy player that needs them."""
