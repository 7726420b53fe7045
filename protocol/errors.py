"""The one error of the codec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabiya.protocol.codes import RefusalCode

if TYPE_CHECKING:
    from tabiya.protocol.messages import Move


class CodecError(ValueError):
    """A frame that is no message, or a message that cannot be written.

    str(error): what was received and what was allowed, ready for `refused.message`.
    code: the refusal to answer with.
    garbage: true when the frame is no object of the connection's encoding at all; the peer is then closed.
    about: the `type` of the message, empty when it could not be read.
    match, ply: what it was about, None when that could not be read.
    move: the move, which counts because only its `info` is bad; without the bad parts.
    """

    def __init__(
        self,
        message: str,
        *,
        code: RefusalCode = RefusalCode.BAD_MESSAGE,
        garbage: bool = False,
        about: str = "",
        match: int | None = None,
        ply: int | None = None,
        move: Move | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.garbage = garbage
        self.about = about
        self.match = match
        self.ply = ply
        self.move = move
