"""A search kept whole, so that it can be stepped through, drawn, compared and asked about.

question.py     what is searched and how, as texts and numbers: from a link, a command line or a program
recording.py    every visit in order, as columns; what has happened by each step
differences.py  what only one of two searches visited, and why
minimum.py      the fewest leaves that any order could have left
drawing.py      the search drawn as text, and the words at its nodes
picture.py      the same as SVG: folding.py which nodes, layout.py where, painting.py how
explanation.py  question, recording and report as one object, for notebooks and programs
scenes.py       the books' examples and claims that a search shows, by name
calls.py        the listing line by line at any visit, with its variables, without searching again
"""
