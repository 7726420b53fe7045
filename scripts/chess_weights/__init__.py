"""Fits the weights of the chess evaluation to games that the engine plays against itself.

    python -m scripts.chess_weights play games.txt --games 4000     # goes on where it was stopped
    python -m scripts.chess_weights value games.txt valued.txt      # what a longer search says of their positions
    python -m scripts.chess_weights fit valued.txt                  # tells the losses, changes nothing
    python -m scripts.chess_weights fit valued.txt --write          # writes bots/players/chess_numbers.py

The method and what came of it: docs/explanation/chess-evaluation.md.
"""
