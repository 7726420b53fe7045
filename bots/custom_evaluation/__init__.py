"""Somebody's own evaluation in the playing engine: a Python file with a class that derives from a game's evaluator.

Read in this order: `loading.py` (the file and what it imports from beside it, under a name made of their content),
`methods.py` (its methods in a form that compiles), `asking.py` (those that do not compile), `parameters.py` and
`records.py` (its numbers, and how compiled code reads them), `evaluators.py` (the evaluator that plays), `linked.py`
(how the engine comes to call it), `evaluation.py` (for tuning).  docs/how-to/your-own-evaluation.md is the author's
side.
"""
