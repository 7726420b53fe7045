"""The evaluations that the textbooks name."""
