"""`tabiya tune`: finds good values of a PLAYER's options by games of the player against itself (SPSA).

spsa            the method as pure functions: gains, perturbation, update
parameters      what is tuned, from its text
terms           what a run is; the player with given values, as a text of the PLAYER grammar
state           the file of a run: written after each iteration, read again after a kill
run             plays the iterations
report          the course as a table and in sentences
drawing         the course as a picture
"""
