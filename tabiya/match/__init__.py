"""`tabiya match`: two players against each other without a server of one's own, in pairs of games from one opening.

`score.py` is what the results say (pure numbers); `run.py` plays: a private server, both players as bots of this
process whose thinking is done by worker processes.
"""
