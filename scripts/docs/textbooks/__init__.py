"""docs/explanation/textbooks.md, docs/measurements/textbooks.md: every listing, example and claim of the five texts.

    python -m scripts.docs.textbooks                 judge all again, and write the verdicts and the page (some minutes)
    python -m scripts.docs.textbooks perfect-order   judge one and print it; with --write it is written down
    python -m benchmarks.textbook --write       measure again what takes time: speed, depth in a second, matches

What is counted is the same on every machine; it is kept in docs/measurements/textbooks_counted.json, and a test judges
again. What is measured is kept in docs/measurements/textbooks_measured.json with machine and date. `make docs` and
`make check` only put the page together from both.
"""
