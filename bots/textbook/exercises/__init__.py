"""Exercises on small trees, made from a seed, with the answers that the listings find.

kinds.py     what can be asked of a tree
sheet.py     exercises of all kinds from a seed
"""
