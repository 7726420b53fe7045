"""Running matches: creates them, carries out the effects of the pure core, shows them to spectators."""
