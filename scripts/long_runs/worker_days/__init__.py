"""Days of a lab whose workers vanish: the leases of programs, real workers, a disk and lines made of chance.

python -m scripts.long_runs.worker_days --days 1000

A day is a seed: ten hours of virtual time, with uploads, workers that are killed, cut off or asleep, a server that
dies, requests that are lost, late or doubled, and a disk that fails. link.py has the lines; oracle.py finds
faults; day.py runs it. Loop and disk are those of the simulation of the whole server
(scripts/long_runs/simulation/environment).
"""
