"""Where the server's processor time for a move goes, by part of the server, at full speed (Linux, with py-spy).

The time of each thread is the system's count; the work of the event loop's thread is sampled.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import psutil

from benchmarks.server.parts import Row, Scale, playing
from benchmarks.server.processes import ROOT, BenchmarkFailed

SAMPLES_A_SECOND = 500
THREADS = {"tabiya-write": "saving thread", "tabiya-checkpoint": "checkpoints"}
WHOLE_CALLS = {
    "logging/__init__.py": "logging",
    "server/logs.py": "logging",
    "server/matches/factory.py": "begin and end",
    "server/lobby": "begin and end",
    "server/core/restore.py": "begin and end",
    "server/ratings": "begin and end",
    "server/web": "pages",
}
"""Parts of the server that everything called from these functions counts for."""
PLACES = {
    "server/core": "match core",
    "games": "rules",
    "protocol": "codec",
    "server/transport": "websockets",
    "server": "glue",
    "storage": "glue",
}
"""Parts of the server by the innermost place of our code in a stack."""
LOOP = "event loop"  # nothing of ours is called: it reads sockets and looks at timers
OTHERS = "other threads"
NAMES = [*dict.fromkeys((*PLACES.values(), LOOP, *WHOLE_CALLS.values(), *THREADS.values(), OTHERS))]


def budget(scale: Scale) -> list[Row]:
    """Microseconds of the server's processor time for a move, by part."""
    return [_budget(game, scale) for game in scale.games]


def _budget(game: str, scale: Scale) -> Row:
    with playing(game, scale, scale.pairs, scale.matches) as (folder, served, load):
        pid = served.process.pid
        run = {"pid": pid, "warm_s": scale.warm_s, "seconds": scale.seconds}
        before = _used_s(pid)
        counted = load.do("run", **run)  # without being looked at, which costs
        used_s = Counter(_used_s(pid))
        used_s.subtract(before)
        stacks, ready_s = folder / "stacks", _ready_s(pid)
        words = ["record", "--pid", str(pid), "--duration", str(round(scale.seconds)), "--rate", str(SAMPLES_A_SECOND)]
        with _py_spy(*words, "--format", "raw", "--full-filenames", "--function", "--output", str(stacks)) as spy:
            assert spy.stdout is not None
            # it samples from now on; a busy machine takes as long as the run to attach it
            output = spy.stdout.readline()
            load.do("run", **run)
            output += spy.communicate()[0]
        if spy.returncode:
            raise BenchmarkFailed(f"py-spy: {output.strip()}")
        samples = counts(stacks.read_text("utf-8"), round(SAMPLES_A_SECOND * (_ready_s(pid) - ready_s)))
        names = _names(pid)
    us_of_move = 1e6 * counted["server_cpu_s"] / counted["moves"]
    us = Counter[str]()
    for thread, seconds in used_s.items():
        of_thread = us_of_move * seconds / sum(used_s.values())
        if thread == pid:
            us.update({part: of_thread * count / samples.total() for part, count in samples.items()})
        else:
            us[THREADS.get(names.get(thread, ""), OTHERS)] += of_thread
    row = {"game": game, "moves/s": round(counted["moves"] / counted["took_s"]), "us/move": round(us_of_move, 1)}
    return row | {name: round(us[name], 1) for name in NAMES}


def counts(stacks: str, most: int) -> Counter[str]:
    """Samples of each part in the event loop's thread.

    stacks: a line for each stack, with how often it was seen at its end.  most: so many can be of a time in which it
    had something to do; of more, the rest has seen it wait in the loop.
    """
    found = Counter[str]()
    for line in stacks.splitlines():
        stack, _, count = line.rpartition(" ")
        if not stack.startswith(("Thread._bootstrap ", "_bootstrap ")):
            found[part_of(stack)] += int(count)
    found[LOOP] = max(0, found[LOOP] - max(0, found.total() - most))
    return found


def part_of(stack: str) -> str:
    """The part of the server that a stack counts for. stack: calls as py-spy writes them, the outermost first."""
    files = [call.rpartition("(")[2].rstrip(")").removeprefix(f"{ROOT}/tabiya/") for call in stack.split(";")]
    for file in files:
        for prefix, part in WHOLE_CALLS.items():
            if file.startswith(prefix) or f"/{prefix}" in file:
                return part
    for file in reversed(files):
        for prefix, part in PLACES.items():
            if file.startswith(f"{prefix}/"):
                return part
    return LOOP


def _py_spy(*words: str) -> subprocess.Popen[str]:
    beside = str(Path(sys.executable).parent)
    command = shutil.which("py-spy", path=beside) or shutil.which("py-spy")
    if command is None:
        raise BenchmarkFailed("py-spy is not installed (pip install py-spy)")
    return subprocess.Popen([command, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def _names(pid: int) -> dict[int, str]:
    """Names of the threads of Python, by the system's number."""
    with _py_spy("dump", "--pid", str(pid), "--json") as spy:
        output, _ = spy.communicate()
    return {thread["os_thread_id"]: thread["thread_name"] or "" for thread in json.loads(output)}


def _used_s(pid: int) -> dict[int, float]:
    """Processor time of each thread."""
    return {thread.id: thread.user_time + thread.system_time for thread in psutil.Process(pid).threads()}


def _ready_s(pid: int) -> float:
    """For how long the first thread has run, or waited for nothing but a core."""
    ran_ns, waited_ns, _ = Path(f"/proc/{pid}/schedstat").read_text("ascii").split()
    return (int(ran_ns) + int(waited_ns)) / 1e9
