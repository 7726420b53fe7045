"""From the bytes of a turn to the bytes of a move, without decoding either: a random one of the moves it lists.

The fields stand in the order of the message's class, so a few searches find what is needed; what is found this way
is compared with the real decoder's reading by sampling (`samples.py`).
"""

from __future__ import annotations

from scripts.websocket_frames import client_frame

TURN = b"\xa4type\xa4turn\xa5match"
MATCH = b"\xa5match"
PLY = b"\xa3ply"
LEGAL = b"\xablegal_moves"
MOVE_HEAD = b"\x84\xa4type\xa4move\xa5match"
MOVE_TEXT = b"\xa4move"
LONGEST_HEAD = 16
WIDTHS = {0xCC: 2, 0xCD: 3, 0xCE: 5, 0xCF: 9}


class UnreadableTurn(Exception):
    """A turn is not laid out as expected: the benchmark must be brought up to date."""


def number_at(data: bytes, at: int) -> bytes:
    """The bytes of the unsigned MessagePack number at `at`."""
    return data[at : at + WIDTHS.get(data[at], 1)]


def as_int(packed: bytes) -> int:
    """The value of such a number."""
    return packed[0] if len(packed) == 1 else int.from_bytes(packed[1:], "big")


def is_turn(data: bytes, start: int) -> int:
    """Where a turn that begins at `start` has its match's number; 0 if it is another message."""
    found = data.find(TURN, start, start + LONGEST_HEAD + len(TURN))
    return found + len(TURN) if found >= 0 else 0


def answer(data: bytes, match_at: int, end: int, stride: int, chance: float) -> tuple[bytes, bytes, bytes, bytes]:
    """Match, ply and chosen move of a turn as they are packed, and the frame that answers it.

    match_at: see `is_turn`.  end: of the turn.  stride: bytes of the shortest move with its length.  chance: 0..1.
    """
    match = number_at(data, match_at)
    ply_at = data.find(PLY, match_at, end)
    legal_at = data.find(LEGAL, ply_at, end) + len(LEGAL)
    if ply_at < 0 or legal_at < len(LEGAL):
        raise UnreadableTurn(repr(data[match_at - 32 : end]))
    ply = number_at(data, ply_at + len(PLY))
    count, first = data[legal_at] & 0x0F, legal_at + 1
    if data[legal_at] == 0xDC:
        count, first = int.from_bytes(data[legal_at + 1 : legal_at + 3], "big"), legal_at + 3
    at = first + int(chance * count) * stride
    while data[at] < 0x80:  # in the middle of a move: letters are below, the length before them is above
        at += 1
    move = data[at : at + 1 + (data[at] & 0x1F)]
    return match, ply, move, client_frame(MOVE_HEAD + match + PLY + ply + MOVE_TEXT + move)
