"""The listings compiled: one source for all games, equal values and equal node counts to the book forms.

Three functions cover all listings, for what differs between them are switches: `plain.py` (minimax, preclusion),
`window.py` (alpha-beta by four contracts), `null_window.py` (principal variation search). `searcher.py` is the
Python side.

What compiled code depends on is in this folder, so that an edit of a listing does not make anybody compile again.
"""
