"""What every search shares: values, limits, clock, the path from the root.

The searches are in bots/engine/ (which plays) and bots/textbook/ (as the books print them).
"""
