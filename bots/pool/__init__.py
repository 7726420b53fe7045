"""Worker processes that think, supervised by the process that holds the connection.

pool_bot.py a `Bot` that thinks here · pool.py all workers · supervisor.py a worker and its replacements ·
process.py one worker as its supervisor sees it · worker.py the worker process · frames.py what they send ·
time_limits.py the limits of one move.
"""
