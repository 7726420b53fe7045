"""Bots' connections in processes of their own, joined to the host of the matches by a bus.

A *gateway* holds the websockets of bots. A *host* is a server that owns the database and plays the matches. When the
host is gone and another takes over, the bots stay connected: each gateway introduces its bots to the new host.
"""
