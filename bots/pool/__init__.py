"""Worker processes that think, supervised by the process that holds the connection.

pool_bot.py a `Bot` that thinks here · pool.py all workers · slot.py a worker and its replacements · process.py one
worker as its supervisor sees it · worker.py the worker itself · frames.py what the two say to each other ·
allowance.py how long a thought may take. Nothing is imported here: a worker loads none of the supervisor's half.
"""
