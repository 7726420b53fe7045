"""Coverage-guided fuzzing with atheris: what reaches a new branch of our Python code is kept and bent further.

Started by `python -m scripts.long_runs.fuzz guided codec|wire`. atheris is needed for this alone and is in no list of
dependencies: it has wheels for Linux and macOS only. An input that fails is written to the corpus folder as `crash-…`;
`python -m scripts.long_runs.fuzzing.guided wire FILE` runs it again.

An input for `codec` is a byte that chooses the encoding, and a frame. An input for `wire` is a byte for the encoding
and steps of one byte and a payload each: see `WireTarget`.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import logging
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from scripts.websocket_frames import client_frame

if TYPE_CHECKING:
    from scripts.long_runs.fuzzing.in_memory import MemoryServer, PeerConnection

MISSING = (
    "coverage-guided runs need the package atheris (pip install atheris); without it, "
    "`python -m scripts.long_runs.fuzz codec` and `... server` bend messages at random"
)
SEEDS = 200
STEPS = 40
HELLO = b'{"type":"hello","name":"%s","seek":["%s"],"max_matches":3}'


def run_guided(target: str, seconds: int, seed: int, corpus: Path | None) -> int:
    """Fuzz in a subprocess, from examples of mutated messages; its exit code, 2 without atheris."""
    if importlib.util.find_spec("atheris") is None:
        print(MISSING, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        kept = corpus or Path(folder)
        kept.mkdir(parents=True, exist_ok=True)
        write_seeds(kept, target, seed)
        options = (f"-max_total_time={seconds}", f"-seed={seed}", "-max_len=4096", "-print_final_stats=1")
        command = [sys.executable, "-m", "scripts.long_runs.fuzzing.guided", target, *options, str(kept)]
        command += [f"-artifact_prefix={kept}/", "-timeout=120", "-rss_limit_mb=2048"]
        return subprocess.run(command, check=False).returncode


def write_seeds(folder: Path, target: str, seed: int) -> None:
    """Write mutated messages as first inputs."""
    from scripts.long_runs.fuzzing.mutations import MessageMutator
    from tabiya.protocol.codec import Encoding

    mutator = MessageMutator(Random(seed), no_message=0.1)
    for number in range(SEEDS):
        encoding = tuple(Encoding)[number % 2]
        frames = [mutator.frame(encoding) for _ in range(1 if target == "codec" else 8)]
        raw = [frame.encode("utf-8", "replace") if isinstance(frame, str) else frame for frame in frames]
        if target == "wire":
            raw = [bytes([0]) + min(len(each), 65_535).to_bytes(2, "big") + each[:65_535] for each in raw]
        (folder / f"seed-{number}").write_bytes(bytes([number % 2]) + b"".join(raw))


def codec_target(data: bytes) -> None:
    """One frame, as either sender's. Raises whatever is not a CodecError."""
    from scripts.long_runs.fuzzing.mutations import try_codec
    from tabiya.protocol.codec import Encoding

    encoding = tuple(Encoding)[data[0] % 2] if data else Encoding.JSON
    frame = data[1:].decode("utf-8", "replace") if encoding is Encoding.JSON else data[1:]
    for _ in try_codec(frame, [encoding]):
        pass


class WireTarget:
    """One server for all inputs; each input is a peer beside a quiet one that seeks the same game.

    Steps: 0 a message, 1 raw bytes, 2 a frame of the websocket with any first byte (the payload's), 3 another second
    passes, 4 the line is cut and a new one made. 0 to 2 have two bytes of length and a payload.
    """

    def __init__(self) -> None:
        from scripts.long_runs.fuzzing.in_memory import MemoryServer
        from tabiya.games.registry import names

        self.server: MemoryServer = MemoryServer(abandon_ms=5_000, stall_limit_ms=10_000, time_control="10+0")
        self._game = names()[0].encode()

    def __call__(self, data: bytes) -> None:
        """Raises AssertionError with everything that is wrong after this input."""
        encoding = ("json", "msgpack")[data[0] % 2] if data else "json"
        quiet, line = self._welcomed("json", b"quiet"), self._welcomed(encoding, b"loud")
        at = 1
        for _ in range(STEPS):
            if at >= len(data):
                break
            step, at = data[at] % 5, at + 1
            if step < 3:
                size = int.from_bytes(data[at : at + 2], "big")
                self._say(line, step, data[at + 2 : at + 2 + size], encoding)
                at += 2 + size
            elif step == 4:
                line.close()
                line = self._welcomed(encoding, b"loud")
            if step == 3:
                self.server.run(seconds=1.0)
        line.close()
        quiet.close()
        faults = self.server.faults()
        if faults:
            raise AssertionError("; ".join(faults))

    def _welcomed(self, encoding: str, name: bytes) -> PeerConnection:
        line = self.server.connect(encoding)
        hello = HELLO % (name, self._game)
        if encoding == "msgpack":
            import msgpack

            hello = msgpack.packb(json.loads(hello))
        self._say(line, 0, hello, encoding)
        return line

    def _say(self, line: PeerConnection, step: int, payload: bytes, encoding: str) -> None:
        if step == 1:
            self.server.say(line, payload)
            return
        first = (payload[0] if payload else 0x81) if step == 2 else 0x81 if encoding == "json" else 0x82
        payload = payload[1:] if step == 2 else payload
        frame = client_frame(payload, first & 15, fin=first >= 0x80, rsv=first >> 4 & 7)
        self.server.say(line, frame)


def main() -> None:
    """Under atheris, whose options follow the target's name."""
    atheris = importlib.import_module("atheris")  # no dependency of ours, so nothing of it is known to the type checker
    logging.getLogger().setLevel(logging.ERROR)
    with atheris.instrument_imports(include=["tabiya.protocol", "tabiya.server"]):
        importlib.import_module("tabiya.protocol.codec")
        importlib.import_module("tabiya.server.app")
    target = codec_target if sys.argv[1] == "codec" else WireTarget()
    atheris.Setup([sys.argv[0], *sys.argv[2:]], target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
