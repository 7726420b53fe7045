"""What makes the weights of the evaluations."""
