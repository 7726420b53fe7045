"""Chess: an evaluation by a small network, static exchange, endings."""
