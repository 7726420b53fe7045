"""What plays the games: evaluations and ordering for the search, and players that answer a request with a move."""
