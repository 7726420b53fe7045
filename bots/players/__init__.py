"""Players: objects that answer a request with a move, and the PLAYER grammar that names them."""
