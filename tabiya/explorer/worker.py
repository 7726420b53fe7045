"""The process that searches and reviews: questions as lines of JSON come in, answers as frames go to standard output.

A frame is a letter, four bytes of length (the first the most significant) and so many bytes: `p` for the visits so far,
of a review the moves, `a` for the answer, `e` for a sentence that says why there is none. A line `stop` ends what runs.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import asdict
from queue import SimpleQueue
from typing import Any, BinaryIO

from tabiya.bots.textbook.observers import TooBig
from tabiya.bots.textbook.recording.calls import Line, calls_to
from tabiya.bots.textbook.recording.differences import compare
from tabiya.bots.textbook.recording.question import MOST_VISITS, SearchQuestion, names_of
from tabiya.bots.textbook.recording.recording import Recording, Stopped
from tabiya.bots.textbook.run_listing import Report
from tabiya.explorer.exercises import shown_sheet
from tabiya.games.registry import load_game
from tabiya.server.archive.reviews import JudgedMove, encoded

PROGRESS, ANSWER, ERROR = b"p", b"a", b"e"
STOP = "stop"
MOST_S = 120.0  # for one search
REPORT_INTERVAL_S = 0.2  # between two reports of progress
MOST_KEPT = 1_200_000  # visits of recordings that are kept for questions about them
NICE = 10  # matches go first
ENDED = "the search was stopped"
ADVICE = "ask for less depth"
TOO_LONG = f"the search has taken {MOST_S:.0f} seconds; {ADVICE}"
TOO_LONG_A_GAME = f"the review has taken {MOST_S:.0f} seconds; `tabiya review` takes as long as it needs"


class Worker:
    """Answers one question after the other."""

    def __init__(self, out: BinaryIO, clock: Callable[[], float] = time.monotonic) -> None:
        """clock: seconds."""
        self._out, self._clock = out, clock
        self._kept: OrderedDict[str, tuple[Recording, Report]] = OrderedDict()
        self.stopped = threading.Event()

    def answer(self, text: str) -> None:
        """Read a question, write progress and answer."""
        given = json.loads(text)
        try:
            if given["do"] == "exercises":
                answer = shown_sheet(**given["question"])
            elif given["do"] == "review":
                answer = self._review(**given["question"])
            else:
                answer = getattr(self, f"_{given['do']}")(SearchQuestion(**given["question"]), given)
        except Stopped:
            too_long = TOO_LONG_A_GAME if given["do"] == "review" else TOO_LONG
            self._write(ERROR, (ENDED if self.stopped.is_set() else too_long).encode())
        except TooBig as error:
            self._write(ERROR, f"{error}; {ADVICE}".encode())
        except (ValueError, LookupError) as error:
            self._write(ERROR, str(error).encode())
        else:
            self._write(ANSWER, answer)

    def _search(self, question: SearchQuestion, given: dict[str, Any]) -> bytes:
        recording, report = self._recorded(question)
        return recording.packed(question.about(report, recording))

    def _calls(self, question: SearchQuestion, given: dict[str, Any]) -> bytes:
        recording, _ = self._recorded(question)
        calls = calls_to(recording, given["visit"], question.listing, question.root(), question.depth, question.window)
        packed = [
            {
                "visit": call.visit,
                "function": call.function,
                "lines": [_packed_line(line) for line in call.lines],
                "returned": _packed_line(call.returned)[:2] if call.returned else None,
            }
            for call in calls
        ]
        return json.dumps({"calls": packed}, separators=(",", ":")).encode()

    def _difference(self, question: SearchQuestion, given: dict[str, Any]) -> bytes:
        other = SearchQuestion(**given["other"])
        names = names_of(question, other)
        compared = compare(self._recorded(question)[0], self._recorded(other)[0], names)
        return json.dumps({"names": names, **asdict(compared)}, separators=(",", ":")).encode()

    def _review(self, game: str, start: str, moves: Sequence[str], nodes: int) -> bytes:
        """The judged moves of a game, in stored form; progress is reported in moves."""
        from tabiya.review.judge import judge  # the engine takes a second to load, which searches need not wait for

        go_on, judged = self._progress(), list[JudgedMove]()
        for move in judge(load_game(game), start, moves, nodes):
            judged.append(move)
            if not go_on(len(judged)):
                raise Stopped
        return encoded(judged).encode()

    def _recorded(self, question: SearchQuestion) -> tuple[Recording, Report]:
        key = repr(question)
        found = self._kept.pop(key, None) or question.recorded(self._progress(), MOST_VISITS)
        self._kept[key] = found
        while len(self._kept) > 1 and sum(len(recording) for recording, _ in self._kept.values()) > MOST_KEPT:
            self._kept.popitem(last=False)
        return found

    def _progress(self) -> Callable[[int], bool]:
        """A callback that reports visits, or moves, now and then, and returns whether to go on."""
        begun = reported = self._clock()

        def go_on(visits: int) -> bool:
            nonlocal reported
            now = self._clock()
            if now - reported >= REPORT_INTERVAL_S:
                reported = now
                self._write(PROGRESS, str(visits).encode())
            return now - begun < MOST_S and not self.stopped.is_set()

        return go_on

    def _write(self, kind: bytes, body: bytes) -> None:
        self._out.write(kind + len(body).to_bytes(4, "big") + body)
        self._out.flush()


def _packed_line(line: Line) -> list[Any]:
    return [line.number, line.variables, line.below]


def main() -> None:
    """Answer until standard input ends."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    out = sys.stdout.buffer
    sys.stdout = sys.stderr  # what anything prints is no frame
    worker, waiting = Worker(out), SimpleQueue[str | None]()

    def read() -> None:
        for line in sys.stdin:
            if line.strip() == STOP:
                worker.stopped.set()
            else:
                waiting.put(line)
        worker.stopped.set()
        waiting.put(None)

    threading.Thread(target=read, daemon=True).start()
    while (line := waiting.get()) is not None:
        worker.stopped.clear()
        worker.answer(line)


if __name__ == "__main__":
    main()
