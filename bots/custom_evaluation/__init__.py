"""A user-defined evaluation in the playing engine: a Python file with a class that derives from a game's evaluator.

Read in this order: `loader.py` (the file and what it imports from its folder, under a name made of their content),
`rewrite.py` (its methods in a form that compiles), `python_callback.py` (those that do not compile), `parameters.py`
and `parameter_binding.py` (its numbers, and how compiled code reads them), `compile.py` (the evaluator that plays),
`indirect_calls.py` (how the engine calls it), `evaluation.py` (for tuning).  docs/how-to/your-own-evaluation.md is the
author's side.
"""
