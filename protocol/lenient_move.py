"""Reads a `move` whose optional `info` is invalid without the invalid fields, so that the move still counts."""

from __future__ import annotations

from typing import Any

import msgspec

from tabiya.protocol.messages import Move, MoveInfo

ANYTHING_CONVERT_RAISES = (ValueError, TypeError, OverflowError, RecursionError)
_ABOUT = str(Move.__struct_config__.tag)


def without_bad_info(plain: Any) -> Move | None:
    """The move in `plain` with what is good of its `info`; None if something else is wrong, or it is no move.

    plain: any value the decoders give.
    """
    if not isinstance(plain, dict) or plain.get("type") != _ABOUT or plain.get("info") is None:
        return None
    info = plain["info"]
    given = {name: info[name] for name in MoveInfo.__struct_fields__ if name in info} if isinstance(info, dict) else {}
    good = {name: value for name, value in given.items() if _fits({name: value}, MoveInfo)}
    move = plain | {"info": good or None}
    return msgspec.convert(move, Move) if _fits(move, Move) else None


def _fits(plain: dict[str, Any], kind: type[msgspec.Struct]) -> bool:
    try:
        msgspec.convert(plain, kind)
    except ANYTHING_CONVERT_RAISES:
        return False
    return True
