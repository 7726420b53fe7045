"""Bots' connections and matches in separate processes, which exchange messages over a bus.

A *gateway* holds the websockets of bots. A *host* is a server that owns the database and plays the matches. When the
host is gone and another takes over, the bots stay connected: each gateway introduces its bots to the new host.
"""
