"""002: a lecture of 15-211 at CMU: exact recursion, preclusion, and alpha-beta with the theorem of its window."""
