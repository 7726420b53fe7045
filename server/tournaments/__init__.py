"""Tournaments as the server runs them; how each format pairs and counts is in server/pairing/, which is pure.

settings    what an organiser asks for, its bounds, and what is kept of it
organiser   all tournaments: created, found again after a restart, commanded
director    one running tournament: what happens in order, every step saved before it is acted on
changes     an organiser's change as a new state: enter, withdraw, pause, ...
steps       what a step saves
attendance  who is away for how long, and who loses by its own fault again and again
openings    the openings of its mini-matches
duplicates  games that were played twice
apart       long work off the event loop
"""
