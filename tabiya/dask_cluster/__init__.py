"""A Dask cluster: for pairs of games (tabiya/match/executors) and for thinking.

connect       a connection to the scheduler
thinkers      starts thinkers, for a `WorkerPool`; each seems to it a process like those of this machine
thinker       what runs in a worker of Dask: a process that thinks, and the bytes to and from it
player_files  the files of players, taken along to other machines
this_tabiya   whether the other end is the same Tabiya
silence       how soon who is lost is missed
"""
