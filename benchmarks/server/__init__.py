"""How much one server carries: moves a second, latency, memory, spectators, the time to restore.

python -m benchmarks.server                         # everything; about four minutes
python -m benchmarks.server --only speed,latency    # parts, see `--help`
"""
