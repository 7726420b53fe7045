"""A Dask cluster: for pairs of games (tabiya/match/executors) and for thinking.

connect       a connection to the scheduler
launcher      starts the worker processes of a `WorkerPool` on the cluster
worker_actor  the Dask actor that starts such a process, and passes bytes to and from it
player_files  the files of players, taken along to other machines
build_id      whether both ends run the same Tabiya
silence       how soon who is lost is missed
"""
