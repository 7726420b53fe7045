"""The whole server with simulated bots, network and disk on one virtual time: a seed is a run, and a run is repeatable.

python -m scripts.long_runs.simulation --seeds 1000

plan.py draws from the seed what a run has; world.py runs it in environment/, with bots.py, supervisor.py (the server,
started and killed), gateways.py and hosts.py (the same beside it) and faults.py (what goes wrong); checks/ judge it.
with_gateways.py and with_hosts.py are commands for runs with these; by_seeds.py is the command, also of worker_days.
"""
