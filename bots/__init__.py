"""The players: client library, search, worker pool, engine adapters."""
