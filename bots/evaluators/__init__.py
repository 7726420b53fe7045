"""What a game adds to its rules so that a search can play it: evaluation, move priorities, hooks."""
