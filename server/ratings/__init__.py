"""Ratings and tests of strength, pure: games in, numbers out.

elo (the scale), davidson (the model), fit (ratings of all players at once), pairs (two players, by pairs of games),
sprt (sequential test), results and result_table (counted games), rating (what a fit returns), anchors (ratings that an
operator fixes).
"""
