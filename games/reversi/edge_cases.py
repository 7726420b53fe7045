"""Turns of reversi that players get wrong, as positions."""

from __future__ import annotations

from tabiya.games.contract import TrickyTurn

TURNS = (
    TrickyTurn("O is the first to move", "---------------------------OX------XO--------------------------- O"),
    TrickyTurn("X must pass", "XXXXXX--OXXXXXXXXOXXXOXXXXOXXXXXXXOOXOXXXOXOXXOXXOOXXOOXXOXXXXXX X"),
    TrickyTurn("O must pass", "OOOOXXXXOOOOXXXOOOOOXXXXOOOOXXXXOOOOXXXXOOOOXOXXOOOOXXXXOO-OXXXX O"),
    TrickyTurn("one move is legal", "-------------------X--X----XXX--OOXXXX---O-X-X--X-O-XX---------- X"),
    TrickyTurn("one square is left", "XXXXXX-OOXXXXXOXXOXXXOXXXXOXXXXXXXOOXOXXXOXOXXOXXOOXXOOXXOXXXXXX X"),
)
