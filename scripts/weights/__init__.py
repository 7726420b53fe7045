"""Makes the weights of the evaluations."""
