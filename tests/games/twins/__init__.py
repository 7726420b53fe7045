"""Naive twins: each game once more, written from its rules in plain Python, with no word of the kernels in it.

A twin has four functions over a plain position: `legal_moves` (texts), `play`, `outcome` (a `Result`) and `text`.
"""
