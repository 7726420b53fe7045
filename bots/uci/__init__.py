"""Our engine as a UCI program, for any board program and match runner: the other side of `bots/adapters/uci_*.py`.

Read in this order: `words.py` (what a line asks), `settings.py` (the options), `answers.py` (what is said),
`thinking.py` (one search in its thread), `loading.py` (what it needs), `levels.py` and `own.py` (what else may play),
`program.py` (the conversation).  Source: docs/sources.md#uci
"""
