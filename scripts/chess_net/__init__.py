"""Fits the network of the chess evaluation to games that the engine plays against itself.

    python -m scripts.chess_net play games.txt --games 40000     # goes on where it was stopped
    python -m scripts.chess_net fit games.txt [MORE.txt ...]          # tells the losses, changes nothing
    python -m scripts.chess_net fit games.txt --write                 # writes bots/players/chess_net.npz

The method and what came of it: docs/explanation/chess-evaluation.md.
"""
