"""The five textbooks, runnable: every listing by its name in the book, one file a listing.

text_000/ ... text_004/   the listings, as short as printed, over the protocol of `node.py`
catalogue.py              all of them by name, with source and contract: look here first
tree.py, board.py         what they search: explicit trees, positions of the games
instrument.py             tells an observer what a listing does, without a line in the listing
observers.py              what observers collect: counts, the principal variation
order.py, quiescence.py   parameters: the order of the moves, what a leaf is worth
techniques.py             what each technique saves on one position or tree
recording/                a search kept whole: stepped through, drawn, explained
compiled/                 the same searches compiled: equal values, equal node counts
"""
