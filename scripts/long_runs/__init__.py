"""Campaigns that take minutes: many bots for long, hostile clients by the million. Each has a short form in the suite.

python -m scripts.long_runs.soak          # two hundred bots for half an hour
python -m scripts.long_runs.fuzz          # a million bent messages against a whole server
python -m scripts.long_runs.chaos         # server and bots killed, stopped, cut off and flooded while tournaments run
python -m scripts.long_runs.bullet        # twenty thousand games at 0.2+0.002, each loss on time with its account
python -m scripts.long_runs.class_day     # a Swiss of forty bots, some of which misbehave, behind lines that jitter
python -m scripts.long_runs.mass_reconnect    # two hundred bots come back after a restart
python -m scripts.long_runs.stops         # searches on two threads, stopped at ten thousand random moments
python -m scripts.long_runs.lost_workers      # a match on a Dask cluster whose workers come and go
"""
