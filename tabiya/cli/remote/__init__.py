"""Commands that ask a running server, by its API."""
