"""Fits the network of the chess evaluation to games that the engine plays against itself.

    python -m scripts.weights.chess_net play games.txt --games 40000     # goes on where it was stopped
    python -m scripts.weights.chess_net fit games.txt [MORE.txt ...]          # tells the losses, changes nothing
    python -m scripts.weights.chess_net fit games.txt --write                 # writes bots/evaluators/chess/network.npz

The method and what came of it: docs/explanation/chess-evaluation.md.
"""
