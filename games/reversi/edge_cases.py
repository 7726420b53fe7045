"""Turns of reversi that players get wrong, as positions."""

from __future__ import annotations

from tabiya.games.contract import EdgeCase

EDGE_CASES = (
    EdgeCase("O is the first to move", "---------------------------OX------XO--------------------------- O"),
    EdgeCase("X must pass", "XXXXXX--OXXXXXXXXOXXXOXXXXOXXXXXXXOOXOXXXOXOXXOXXOOXXOOXXOXXXXXX X"),
    EdgeCase("O must pass", "OOOOXXXXOOOOXXXOOOOOXXXXOOOOXXXXOOOOXXXXOOOOXOXXOOOOXXXXOO-OXXXX O"),
    EdgeCase("one move is legal", "-------------------X--X----XXX--OOXXXX---O-X-X--X-O-XX---------- X"),
    EdgeCase("one square is left", "XXXXXX-OOXXXXXOXXOXXXOXXXXOXXXXXXXOOXOXXXOXOXXOXXOOXXOOXXOXXXXXX X"),
)
