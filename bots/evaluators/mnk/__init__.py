"""The m,n,k games (tic-tac-toe, Connect 5): lines counted by what they lack."""
