"""A bot in ten lines; `python ten_line_bot.py localhost:8080 reversi` runs it."""

import sys

from tabiya import Bot, Turn, run


class Squeeze(Bot):
    """Leaves its opponent the fewest replies."""

    def choose(self, turn: Turn) -> str:
        now = turn.position()
        return min(now.legal_moves(), key=lambda move: len(now.play(move).legal_moves()))


if __name__ == "__main__":
    run(Squeeze(), sys.argv[1], seek=sys.argv[2])
