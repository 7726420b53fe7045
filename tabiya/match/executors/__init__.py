"""Where the pairs of a match are played: in this process, in several of this machine, on workers of other machines.

executor       the interface, and this process
open_executor  the one that an address stands for
spread         gives out pairs, as many at once as there is room for
processes      processes of this machine; each runs process.py
dask           workers of a Dask cluster; each runs dask_worker.py
task           a pair on its way to another process
"""
