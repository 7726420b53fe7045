"""Pages and API: reads the store and the spectators' stream, and passes on an operator's orders."""
