"""Tournaments that the server runs: orders, matches, persistence. The formats themselves are in server/pairing/ (pure).

settings         the order of an organiser, its bounds, and what is stored of it
manager          all tournaments: created, restored after a restart, commanded
director         one running tournament: handles its events in order and saves each step before it acts on it
transitions      the state of a running tournament, and how an order changes it
persistence      saves a step together with the matches that it starts
attendance       absent entrants, and losses in a row by the entrant's own fault
openings         the openings of its meetings
duplicates       games that repeat an earlier one
pairing_process  long pairings in a thread or a process, off the event loop
"""
