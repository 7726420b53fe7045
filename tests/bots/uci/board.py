"""The other side of the conversation, in this process: lines in, lines out."""

from __future__ import annotations

import threading

from tabiya.bots.uci.custom_evaluation import CustomEvaluation
from tabiya.bots.uci.loop import UciProgram
from tests.waiting import WITHIN_S


class Board:
    """The other side: what was said so far, and waiting for more."""

    def __init__(self, game: str = "chess", custom: CustomEvaluation | None = None) -> None:
        self.printed, self._changed = list[str](), threading.Condition()
        self.program = UciProgram(game, "Test", self._hear, custom)

    def _hear(self, line: str) -> None:
        with self._changed:
            self.printed.append(line)
            self._changed.notify_all()

    def tell(self, *lines: str) -> None:
        for line in lines:
            assert self.program.handle(line)

    def wait(self, begins: str) -> str:
        """The next line that begins so; forgets all up to it."""
        with self._changed:
            assert self._changed.wait_for(lambda: any(line.startswith(begins) for line in self.printed), WITHIN_S)
            at = next(number for number, line in enumerate(self.printed) if line.startswith(begins))
            line = self.printed[at]
            del self.printed[: at + 1]
            return line
