"""Code that all handlers share: reading and answering requests, authorisation, and access to the running server."""
