"""Fits the weights of the chess evaluation to games that the engine plays against itself.

    python -m scripts.weights.chess_weights play games.txt --games 8000     # goes on where it was stopped
    python -m scripts.weights.chess_weights fit games.txt                   # tells the losses, changes nothing
    python -m scripts.weights.chess_weights fit games.txt --write # writes bots/evaluators/chess/weight_values.py

The method and what came of it: docs/explanation/chess-evaluation.md.
"""
