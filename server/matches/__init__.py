"""Running matches: made, the effects of the pure core carried out, shown to spectators."""
