"""The worker process: builds the player, warms it up, answers questions one after another.

Started by bots/pool/process.py. The main thread thinks; a second one reads frames, so that a stop is heard during a
thought, and so that the worker ends at once when its supervisor has gone, however deep in compiled code the first is.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import BinaryIO

from tabiya.bots.client.failure import (
    LOAD_HINT,
    AnswerError,
    ProgramFailure,
    author_lines,
    failure_of,
    is_while_loaded,
)
from tabiya.bots.gc_tuning import freeze_heap
from tabiya.bots.players.api import MoveReply, Player
from tabiya.bots.players.build import player_warnings
from tabiya.bots.players.spec import PlayerKind, parse_player
from tabiya.bots.players.time_limit import LOAD_S, is_compiling
from tabiya.bots.pool.frames import (
    DEFAULT_FACTORY,
    HEADER_BYTES,
    Answered,
    Ask,
    Failed,
    Forget,
    FromWorker,
    Phase,
    Ready,
    Start,
    Stop,
    ToWorker,
    Where,
    body_length,
    pack,
    unpack,
)
from tabiya.bots.pool.warmup import warm

Factory = Callable[..., Player]
LOADING = "loading "


class MatchPlayers:
    """The players of one worker, one for each match, and the question that is being thought about."""

    def __init__(self, send: Callable[[FromWorker], None]) -> None:
        self._send = send
        self._build: Callable[[], Player]
        self._players: dict[int, Player] = {}
        self._idle: list[Player] = []
        self._current: tuple[int, Player] | None = None
        self._lock = threading.Lock()

    def begin(self, build: Callable[[], Player]) -> None:
        """Build players in this way from now on; forget the present ones."""
        for player in [*self._players.values(), *self._idle]:
            close = getattr(player, "close", None)
            if close is not None:
                close()
        self._players, self._idle, self._build = {}, [], build

    def acquire(self) -> Player:
        """A player without a match: a released one, or a new one."""
        return self._idle.pop() if self._idle else self._build()

    def release(self, player: Player) -> None:
        """A player whose match is over."""
        self._idle.append(player)

    def answer(self, ask: Ask) -> None:
        """Think, and send the answer or the failure."""
        try:
            player = self._player_of(ask)
            with self._lock:
                self._current = (ask.number, player)
            try:
                reply = as_reply(player.choose(ask.request))
            finally:
                with self._lock:
                    self._current = None
            frame: FromWorker = Answered(number=ask.number, reply=reply)
            unpack(pack(frame)[HEADER_BYTES:], FromWorker)  # what cannot be sent or read is the player's failure
        except BaseException as error:  # sys.exit() in a player is a fault like any other
            frame = Failed(number=ask.number, failure=failure_of(error, "choose"))
        self._send(frame)

    def stop(self, number: int) -> None:
        """Called from the reading thread: stop the thought about this question if it is the present one."""
        with self._lock:
            if self._current is not None and self._current[0] == number:
                self._current[1].stop()

    def forget(self, match: int) -> None:
        """The match is over; its player is free for another."""
        player = self._players.pop(match, None)
        if player is not None:
            self.release(player)

    def kill_programs(self) -> None:
        """Called from the reading thread when all is over: players that are other programs must not outlive us."""
        for player in [*self._players.values(), *self._idle]:
            kill = getattr(player, "kill", None)
            if kill is not None:
                kill()

    def _player_of(self, ask: Ask) -> Player:
        match = ask.match.match
        if match not in self._players:
            player = self.acquire()
            player.new_match(ask.match)
            self._players[match] = player
        return self._players[match]


def as_reply(answer: object) -> MoveReply:
    """The answer of a player.  Raises AnswerError."""
    if not isinstance(answer, MoveReply):
        raise AnswerError(f"choose returned {answer!r:.80}; a player returns a MoveReply")
    return answer


def find_factory(name: str) -> Factory:
    """The function that `module:function` names."""
    module, _, function = name.partition(":")
    factory: Factory = getattr(importlib.import_module(module), function)
    return factory


def read_frame(pipe: BinaryIO) -> ToWorker | None:
    """The next frame, None when the supervisor has gone."""
    header = pipe.read(HEADER_BYTES)
    if len(header) < HEADER_BYTES:
        return None
    body = pipe.read(body_length(header))
    frame: ToWorker = unpack(body, ToWorker)
    return frame


def take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output for frames alone: the player reads nothing and prints to standard error."""
    frames_in, frames_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: redirect_to_null(frames_in, frames_out))
    return os.fdopen(frames_in, "rb"), os.fdopen(frames_out, "wb")


def redirect_to_null(*pipes: int) -> None:
    """Close the pipes in a process that the player has forked, or the supervisor would not notice the worker's end."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for pipe in pipes:
        os.dup2(nothing, pipe)
    os.close(nothing)


def main() -> None:
    """Serve one supervisor until it has gone."""
    with contextlib.suppress(ValueError):  # only a main thread may; Ctrl-C is the supervisor's business
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    frames_in, frames_out = take_pipes()

    def send(frame: FromWorker) -> None:
        try:
            frames_out.write(pack(frame))
            frames_out.flush()
        except OSError:
            os._exit(0)

    jobs: queue.SimpleQueue[Start | Ask | Forget] = queue.SimpleQueue()
    players = MatchPlayers(send)
    # before a player is built: that may take minutes, in which the supervisor may go
    threading.Thread(target=_listen, args=(frames_in, jobs, players, send), daemon=True).start()
    while True:
        job = jobs.get()
        if isinstance(job, Start):
            _get_ready(job, players, send)
        elif isinstance(job, Ask):
            players.answer(job)
        else:
            players.forget(job.match)


def _get_ready(start: Start, players: MatchPlayers, send: Callable[[FromWorker], None]) -> None:
    """Build this player and report when it is warm; a failure ends the process."""
    players.begin(lambda: find_factory(start.factory)(start.player, threads=start.threads))
    phase = Phase(name=f"{LOADING}{start.player}", limit_s=loading_limit_s(start))
    try:
        sys.path[:0] = start.path
        send(phase)
        player = players.acquire()
        phase = Phase(name="getting ready", limit_s=start.ready_s * max(1, len(start.games)))
        send(phase)
        warm(player, start.games)
        warnings = tuple(player_warnings(start.player)) if start.factory == DEFAULT_FACTORY else ()
        players.release(player)
        freeze_heap()
    except BaseException as error:
        send(Failed(number=0, failure=getattr(error, "failure", None) or failure_of(error, phase.name)))
        os._exit(1)  # not sys.exit: threads of the player could keep the process alive
    send(Ready(warnings=warnings))


def loading_limit_s(start: Start) -> float:
    """How long the player may take to be built. Only a user's own file has nothing to compile then."""
    is_file = start.factory == DEFAULT_FACTORY and parse_player(start.player).kind is PlayerKind.FILE
    return min(LOAD_S, start.ready_s) if is_file else start.ready_s * max(1, len(start.games))


def answer_where(asked: Where) -> Phase | Failed:
    """Called from the reading thread: the line of the late main thread; the phase again if it compiles."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    if is_compiling(frame):
        return Phase(name=asked.phase, limit_s=asked.limit_s)
    calls = traceback.extract_stack(frame)
    if calls[0].filename == "<string>":  # this process was started with `python -c`: that line is no author's
        del calls[0]
    lines, left_out = author_lines(calls)
    error = f"it is not over after {asked.limit_s:.3g} s"
    if asked.phase.startswith(LOADING) and is_while_loaded(lines):
        error += f" ({LOAD_HINT})"
    failure = ProgramFailure(called=asked.phase, error=error, lines=lines, left_out=left_out)
    return Failed(number=0, failure=failure)


def _listen(
    frames_in: BinaryIO,
    jobs: queue.SimpleQueue[Start | Ask | Forget],
    players: MatchPlayers,
    send: Callable[[FromWorker], None],
) -> None:
    while True:
        try:
            frame = read_frame(frames_in)
        except (OSError, ValueError):  # the supervisor was cut off in the middle of a frame
            frame = None
        if frame is None:
            try:
                players.kill_programs()
            finally:
                os._exit(0)
        if isinstance(frame, Stop):
            players.stop(frame.number)
        elif isinstance(frame, Where):
            send(answer_where(frame))
        else:
            jobs.put(frame)
