"""The codec's time for the messages of an ordinary move, in microseconds a message.

python -m benchmarks.codec                # a table on the terminal
python -m benchmarks.codec --repeat 20    # more rounds; the fastest of them counts
"""

import argparse
import timeit
from collections.abc import Callable
from pathlib import Path

from scripts.docs.protocol_vectors import Vector, read_vectors
from tabiya.protocol.codec import Encoding, decode_client, decode_server, encode

ROOT = Path(__file__).parent.parent
CALLS = 20_000
MEASURED = ("move", "turn, every field", "watching, a running match")


def frame_of(vector: Vector, encoding: Encoding) -> str | bytes:
    """The bytes or text of a test vector."""
    return vector.json if encoding is Encoding.JSON else bytes.fromhex(vector.msgpack)


def microseconds(call: Callable[[], object], repeat: int) -> float:
    """The time of one call: the fastest of `repeat` rounds of CALLS calls."""
    return min(timeit.repeat(call, number=CALLS, repeat=repeat)) / CALLS * 1e6


def measure(vector: Vector, encoding: Encoding, repeat: int) -> str:
    """One line of the table."""
    frame = frame_of(vector, encoding)
    decode = decode_client if vector.sender == "client" else decode_server
    message = decode(frame, encoding)
    encoding_us = microseconds(lambda: encode(message, encoding), repeat)
    decoding_us = microseconds(lambda: decode(frame, encoding), repeat)
    return f"{vector.name:28} {encoding:8} {len(frame):6} {encoding_us:10.2f} {decoding_us:10.2f}"


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description="Measure the codec.")
    parser.add_argument("--repeat", type=int, default=5, help="rounds; the fastest counts (default 5)")
    repeat = parser.parse_args().repeat
    print(f"{'message':28} {'encoding':8} {'bytes':>6} {'encode us':>10} {'decode us':>10}")
    for vector in read_vectors().messages:
        if vector.name in MEASURED:
            for encoding in Encoding:
                print(measure(vector, encoding, repeat))


if __name__ == "__main__":
    main()
