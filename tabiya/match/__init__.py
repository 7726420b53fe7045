"""`tabiya match`: two players against each other without a server of one's own, in pairs of games from one opening.

`plan.py` says what is to be played; `run.py` plays: a private server, each player as a bot on it (`seat.py`: any bot by
our client, its thinking done by worker processes; `engine_seat.py`: a UCI or NBoard engine, spoken to directly), games
seated one after the other. `ledger.py` finds the games of a run again after it was killed; `played.py` counts,
`report.py` says it, `writing.py` puts the games into files.
"""
