"""The whole server with simulated bots, network and disk on one virtual time: a seed is a run, and a run is repeatable.

python -m scripts.long_runs.simulation --seeds 1000
"""
