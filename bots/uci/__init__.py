"""Our engine as a UCI program, for any board program and match runner: the other side of `bots/adapters/uci_*.py`.

Read in this order: `parse.py` (commands), `options.py`, `output.py` (`info` and `bestmove` lines), `running_search.py`
(one search), `engine_loader.py` (rules and engine, loaded in the background), `strength.py` (weaker levels),
`custom_evaluation.py` (an author's evaluation), `loop.py` (the command loop).  Source: docs/sources.md#uci
"""
